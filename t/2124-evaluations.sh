#!/bin/bash
# ireconcile: evaluationsPerMinute limits how often one primary is evaluated;
# what changes meanwhile waits, and is not lost.
. "${0%/*}/lib.sh"
. t/ireconcile.sh

# An Event has the time of the evaluation and the version of the primary.
cat >"$T/program.jq" <<'END'
def desired: [];
def events: [{type: "Normal", reason: "Seen",
	message: "\(.now - 1767225600):\(.primary.metadata.resourceVersion)"}];
END
limit() { watches "evaluationsPerMinute: $1"; }
# changes NAME EVERY UNTIL: a change of it every so many seconds
changes() {
	local i

	for ((i = $2; i <= $3; i += $2)); do
		event MODIFIED "$(thing "$1" "$((i + 1))")" \
			"$(date -ud "@$((1767225600 + i))" +%FT%TZ)"
	done
}
# evaluated WHAT [NAME]: the seconds of each evaluation, and what it saw
evaluated() {
	decided 0 "$1" --report-fd=4 4>"$T/report"
	got=$(jq -r --arg name "${2:-a}" '.reconcile |
		select(.primary.name == $name) | .events[].message' "$T/out" | xargs)
}

limit 6
given initially "$(thing a 1)"
and changes a 1 61
and tick 02:00
evaluated "a change every second"
is "$got" "0:1 1:2 2:3 15:15 30:30 45:45 60:60 75:62" \
	"three at once, then one every 15 s, and the last state"
says "ireconcile: thing.example.com ns/a: changes more often than it is evaluated (evaluationsPerMinute: 6, $T/watches.yaml:1): evaluations are delayed, and see the last state" \
	"... the log says it once"
is "$(jq '.metrics["kpipe_evaluations_delayed_total{controller=\"thing.example.com\"}"] | select(. != null)' "$T/report" |
	tail -n 1)" 5 "... a metric counts"
cp "$T/out" "$T/first"
decided 0 "the same input again"
same "$T/out" "$T/first" "... gives the same lines"

limit 1
given initially "$(thing a 1)"
and changes a 7 70
and tick 05:00
evaluated "one a minute"
is "$got" "0:1 60:57 120:71" "... is one"

limit 60
given initially "$(thing a 1)"
and changes a 1 59
evaluated "sixty a minute"
is "$(wc -w <<<"$got")" 60 "... allow one a second"

# Others do not wait, nor a request of a user; what is quiet has its burst again.
limit 2
given initially "$(thing a 1)" "$(thing b 1)"
and changes a 1 3
and event MODIFIED "$(thing b 5)" 2026-01-01T00:00:04Z
and event MODIFIED "$(thing a 6 '"annotations":{"reconcile.fluxcd.io/requestedAt":"1"}')" \
	2026-01-01T00:00:05Z
and event MODIFIED "$(thing a 7 '"annotations":{"reconcile.fluxcd.io/requestedAt":"1"}')" \
	2026-01-01T00:00:06Z
and tick 03:00
evaluated "a request of a user"
is "$got" "0:1 5:6 35:7" "... does not wait"
evaluated "another primary" b
is "$got" "0:1 30:5" "... has a limit of its own"

# Deleted while it waits; and created again.
limit 1
given initially "$(thing a 1)"
and event MODIFIED "$(thing a 2)" 2026-01-01T00:00:01Z
and event DELETED "$(thing a 2)" 2026-01-01T00:00:02Z
and tick 02:00
evaluated "a primary that goes while it waits"
is "$got" "0:1" "... is not evaluated any more"

# Without times nothing is limited.
limit 1
{
	begin_all
	event ADDED "$(thing a 1)"
	end_all
	event MODIFIED "$(thing a 2)"
	event MODIFIED "$(thing a 3)"
} >"$T/in"
sed -i 's/\\(.now - 1767225600)/-/' "$T/program.jq"
evaluated "lines without a time"
is "$got" "-:1 -:2 -:3" "... are not limited"

done_testing
