#!/bin/bash
# ireconcile: a change that a program makes again and again is held back, and
# named.
. "${0%/*}/lib.sh"
. t/ireconcile.sh

write_program
cat >>"$T/watches.yaml" <<'X'
  - {apiVersion: apps/v1, kind: Deployment, manage: true}
  desiredReads: [now]
X
program() {
	printf 'def desired: %s;\ndef status: %s;\n' "$1" "$2" >"$T/program.jq"
}
lines() {
	wc -l <"$T/out"
}
# ---- a status that counts ----

program '[]' '{n: ([(.primary.status.n // 0) + 1, .primary.spec.max] | min)}'
# counted FROM TO [TIME]: its status arrives, again and again
counted() {
	local i line

	line=$(event MODIFIED "$(thing a NUMBER '"generation":1' \
		"\"spec\":{\"max\":$max},\"status\":{\"n\":NUMBER}")" "${3:-}")
	for ((i = $1; i <= $2; i++)); do echo "${line//NUMBER/$i}"; done
}
start_counting() {
	initially "$(thing a 0 '"generation":1' "\"spec\":{\"max\":$max}")"
}
max=1000
given start_counting
and counted 1 150
decide
is "$(lines)" 101 "a status that counts its writes is held back"
said='ireconcile: warning: thing.example.com ns/a: .status.n changes again and again (100, then 101): it is held back'
says "$said" "... and said once, with path and values"
is "$(tail -n 1 "$T/out" | jq -c '.reconcile | [.status, .events]')" \
	'[{"n":101},[{"message":".status.n changes again and again (100, then 101)","reason":"Unsettled","type":"Warning"}]]' \
	"... the last one brings an Event"
tick 00:09.999 >>"$T/in"
decide
is "$(lines)" 101 "nothing is written for 10 s"
tick 00:10 >>"$T/in"
decide
is "$(lines)" 102 "... then once"
and counted 151 180
and tick 00:29.999
decide
is "$(lines)" 102 "... and not for 20 s then"
tick 00:30 >>"$T/in"
decide
is "$(lines)" 103 "... once more"

# A change by its users may end this.
max=20
event MODIFIED "$(thing a 500 '"generation":2' '"spec":{"max":20},"status":{"n":180}')" \
	>>"$T/in"
decide
is "$(lines)" 104 "a new spec is followed at once"
is "$(tail -n 1 "$T/err")" "ireconcile: thing.example.com ns/a: .status.n changes again and again (180, then 181): that is over" \
	"... it is over then"

# It settles without a change.
max=102
given start_counting
and counted 1 101
and tick 00:10
and counted 102 102 2026-01-01T00:00:11Z
and tick 00:29.999
decide
is "$(lines)" 102 "a status that settles"
is "$(grep -c over "$T/err")" 0 "... is watched as long as it was held back"
tick 00:30 >>"$T/in"
decide
is "$(grep -c over "$T/err")" 1 "... and over then"

# One change a second does no harm.
max=1000
given start_counting
for i in {1..250}; do
	printf -v at '2026-01-01T00:%02d:%02dZ' $((i / 60)) $((i % 60))
	counted "$i" "$i" "$at"
done >>"$T/in"
decide
is "$(lines)" 251 "one change a second goes on for ever"
says "" "... in silence"

# ---- other clients make changes, too ----

program '[]' '{pods: [.owned.Pod[].status.phase]}'
given initially "$(thing a 0 '"generation":1')"
pod=$(event ADDED "$(object Pod p-NUMBER NUMBER '"labels":{"thing":"a"}' '"status":{"phase":"NUMBER"}')")
for i in {1..250}; do echo "${pod//NUMBER/$i}"; done >>"$T/in"
decide
is "$(lines)" 250 "a status that follows 250 pods is not held back"
says "" "... and nothing is said"

# ---- conditions ----

program '[]' '{n: ((.primary.status.n // 0) + 1), conditions: []}'
max=1
given start_counting
and counted 1 120
decide
is "$(tail -n 1 "$T/out" | jq -c .reconcile.status)" \
	'{"conditions":[{"lastTransitionTime":"2026-01-01T00:00:00Z","message":".status.n changes again and again (100, then 101)","observedGeneration":1,"reason":"NeverSettles","status":"True","type":"Unsettled"}],"n":101}' \
	"a status with conditions gets one"
program '[]' '{n: "\u202e\((.primary.status.n // 0) + 1)", conditions: []}'
decide
is "$(tail -n 1 "$T/out" | jq -r '.reconcile.status.conditions[0].message')" \
	'.status.n changes again and again (100, then "\u202e101")' \
	"... whose message shows what cannot be seen"

# ---- items ----

# items KIND API FIELD VALUE PATHS: an item whose field is the
# time, and how it comes back
items() {
	local i object at

	program "[{apiVersion: \"$2\", kind: \"$1\", metadata: {name: \"i\"}} | $3 = \"\\(.now)\"] | map(.)" null
	sed -i "s/^def desired: /&.now as \$now | /; s/\\\\(.now)/\\\\(\$now)/" "$T/program.jq"
	[ -n "${5-}" ] || return 0
	initially "$(thing a 0 '"generation":1')"
	object=$(object "$1" i RV "\"annotations\":{\"kpipe.dev/paths\":\"$5\"},$(owner a)" "$4")
	object=${object/\"v1\"/\"$2\"}
	for i in {1..150}; do
		printf -v at 2026-01-01T00:00:00.%03dZ "$i"
		event MODIFIED "${object/RV/$i}" "$at"
	done
}
items ConfigMap v1 .data.k ""
items ConfigMap v1 .data.k '"data":{"k":"hidden"}' "$(paths_of "$(thing a 0)")" >"$T/in"
decide
is "$(lines)" 103 "an item with the time in it"
says "ireconcile: warning: thing.example.com ns/a: ConfigMap/ns/i: .data.k changes again and again: it is held back" \
	"... is named without what it holds, if that is data"
items Deployment apps/v1 .spec.paused ""
items Deployment apps/v1 .spec.paused '"spec":{"paused":"no"}' "$(paths_of "$(thing a 0)")" >"$T/in"
decide
is "$(sed 's/ (.*)/ (...)/' "$T/err")" "ireconcile: warning: thing.example.com ns/a: Deployment.apps/ns/i: .spec.paused changes again and again (...): it is held back" \
	"... else with its values"
is "$(grep -o 'again (.*, then "1767225600\.' "$T/err")" 'again ("no", then "1767225600.' \
	"... the observed one and the desired one"

# ---- sets ----

# New names each time.
program '[{apiVersion: "v1", kind: "ConfigMap", metadata: {name: "i-\(.now * 1000 | floor)"}}]' null
{
	initially "$(thing a 0 '"generation":1')"
	for i in {1..60}; do
		printf -v at 2026-01-01T00:00:00.%03dZ "$i"
		event ADDED "$(object ConfigMap "i-$((1767225600000 + i - 1))" "$i" "$(owner a)")" "$at"
	done
} >"$T/in"
decide
is "$(grep -c '"delete"' "$T/out")" 31 "objects with ever new names: the set is held back"
is "$(sed 's/[0-9]\{13\}/TIME/' "$T/err")" "ireconcile: warning: thing.example.com ns/a: ConfigMap/ns/i-TIME and others are created and deleted in turn: it is held back" \
	"... and said"

# ---- requeue ----

# A requeue with almost no delay, again and again.
cat >"$T/program.jq" <<'X'
def desired: [];
def status: null;
def requeue: .now + 0.001 | . as $at | "\(floor | todate | rtrimstr("Z"))\($at - floor + 1 | tostring[1:8])Z";
X
given initially "$(thing a 0 '"generation":1')"
and tick 00:10
ireconcile -f "$T/watches.yaml" --clock=input --report-fd 5 \
	<"$T/in" 5>"$T/report" >"$T/out" 2>"$T/err"
evaluations=$(sed -n 's/.*"evaluations":\([0-9]*\).*/\1/p' "$T/report" | tail -n 1)
ok "a requeue in a moment, each time: $evaluations evaluations in 10 s" \
	[ "$evaluations" -le 130 ]
says "" "... without an error"
done_testing
