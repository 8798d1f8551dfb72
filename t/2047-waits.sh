#!/bin/bash
# ireconcile: a member that is being deleted for long: which finalizers hold it.
. "${0%/*}/lib.sh"
. t/ireconcile.sh

write_program
# going [FINALIZERS]: the item, terminating since the beginning
going() {
	observed a-0 a v 2 "$dying${1:+,\"finalizers\":[$1]}"
}
# told N WHAT OBJECT LAST: the Events of the lines, until that minute
told() {
	{
		initially "$(thing a 1 "" "$(spec "$1" v),$(status true)")" "$3"
		tick "$4"
		tick 10:00
	} | ireconcile -f "$T/watches.yaml" --clock=input >"$T/out" 2>"$T/err"
	jq -r '.reconcile.events[]? | "\(.type) \(.reason) \(.message)"' \
		"$T/out" >"$T/got"
}
waits='ConfigMap/ns/a-0 is being deleted, and waits for a finalizer: x.example.com/hold'
hold='"x.example.com/hold"'

told 1 "" "$(going "$hold")" 00:05
is "$(<"$T/got")" "Warning WaitsForFinalizer $waits" \
	"a desired member that something holds: an Event names the finalizer, once"
says "ireconcile: warning: thing.example.com ns/a: $waits" "... and the log"
told 0 "" "$(going "$hold")" 00:05
is "$(<"$T/got")" "Warning WaitsForFinalizer $waits" \
	"one that is to go"
told 1 "" "$(going "$hold,\"b\"")" 00:05
is "$(<"$T/got")" "Warning WaitsForFinalizer $waits, b" "two finalizers"
told 1 "" "$(going)" 00:05
is "$(cat "$T/got" "$T/err")" "" "nothing holds it: nothing is told"

# A Namespace waits for what is in it, which its conditions name.
sed -i 's/kind: ConfigMap, manage/kind: Namespace, manage/
	s/^  program:.*/&\n  finalizer: example.com\/f/' "$T/watches.yaml"
sed -i 's/ConfigMap/Namespace/' "$T/program.jq"
room() { # CONDITIONS
	object Namespace a-0 2 "$dying,$(marks Namespace//a-0)" \
		"\"status\":{\"phase\":\"Terminating\",\"conditions\":[$1]}" |
		sed 's/"namespace":"ns",//'
}
condition() { # TYPE STATUS MESSAGE
	printf '{"type":"%s","status":"%s","message":"%s"}' "$@"
}
told 1 "" "$(room "$(condition NamespaceDeletionContentFailure False "All content successfully deleted"),$(condition NamespaceContentRemaining True "Some resources are remaining: pods"),$(condition NamespaceFinalizersRemaining True "Some content has finalizers: x in 1")")" 00:05
is "$(<"$T/got")" \
	"Warning WaitsForFinalizer Namespace//a-0 is being deleted, and waits: Some resources are remaining: pods; Some content has finalizers: x in 1" \
	"a Namespace that waits for what is in it"
told 1 "" "$(room "$(condition NamespaceContentRemaining False "All gone")")" 00:05
is "$(cat "$T/got" "$T/err")" "" "... nothing is in its way"
write_program

given initially "$(thing a 1 "" "$(spec 1 v),$(status true)")" \
	"$(going "$hold")"
and tick 00:09.9
decided 0 "before 10 s"
is "$(cat "$T/out" "$T/err")" "" "... nothing is told, as most deletions end by then"
done_testing
