#!/bin/bash
# ireconcile: a member that is being deleted for long: which finalizers hold it.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=ireconcile.sh
. t/ireconcile.sh

write_program
# going [FINALIZERS]: the item, terminating since the beginning
going() {
	observed a-0 a v 2 "\"deletionTimestamp\":\"2026-01-01T00:00:00Z\"${1:+,\"finalizers\":[$1]}"
}
# told N WHAT OBJECT LAST: the Events of the lines, until that minute
told() {
	{
		begin_all
		event ADDED "$(thing a 1 "" "$(spec "$1" v),$(status true)")" \
			2026-01-01T00:00:00Z
		event ADDED "$3"
		end_all
		tick "$4"
		tick 10:00
	} | ireconcile -f "$T/watches.yaml" --clock=input >"$T/out" 2>"$T/err"
	jq -r '.reconcile.events[]? | "\(.type) \(.reason) \(.message)"' \
		"$T/out" >"$T/got"
}
waits='ConfigMap/ns/a-0 is being deleted, and waits for a finalizer: x.example.com/hold'
hold='"x.example.com/hold"'

told 1 "" "$(going "$hold")" 00:05
is "$(cat "$T/got")" "Warning WaitsForFinalizer $waits" \
	"a desired member that something holds: an Event names the finalizer, once"
is "$(cat "$T/err")" "ireconcile: warning: thing.example.com ns/a: $waits" \
	"... and the log"
told 0 "" "$(going "$hold")" 00:05
is "$(cat "$T/got")" "Warning WaitsForFinalizer $waits" \
	"one that is to go"
told 1 "" "$(going "$hold,\"b\"")" 00:05
is "$(cat "$T/got")" "Warning WaitsForFinalizer $waits, b" "two finalizers"
told 1 "" "$(going)" 00:05
is "$(cat "$T/got" "$T/err")" "" "nothing holds it: nothing is told"
{
	begin_all
	event ADDED "$(thing a 1 "" "$(spec 1 v),$(status true)")" \
		2026-01-01T00:00:00Z
	event ADDED "$(going "$hold")"
	end_all
	tick 00:09.9
} >"$T/in"
runs 0 "before 10 s" ireconcile -f "$T/watches.yaml" --clock=input <"$T/in"
is "$(cat "$T/out" "$T/err")" "" "... nothing is told, as most deletions end by then"
done_testing
