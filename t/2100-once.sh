#!/bin/bash
# ireconcile: an item that is created at most once is requested again, at once,
# if the line that requested it has become stale; and timers are precise.
. "${0%/*}/lib.sh"
. t/ireconcile.sh
. "${0%/*}/clock/lib.sh"

write_program
cat >"$T/program.jq" <<'END'
include "operator";
def desired: [once({apiVersion: "v1", kind: "ConfigMap",
	metadata: {name: "\(.primary.metadata.name)-0"},
	data: {k: .primary.spec.k}})];
def status: {busy: (.outstanding != [])}
	+ if .error then {error: .error} else {} end;
END
busy() { printf '"status":{"busy":%s}' "$1"; }
# asks RV [STATUS]: the line that requests it
asks() {
	# shellcheck disable=SC2016
	line "$(configmap a-0 a v)" a "$1" \
		"$(known a-0 null),\"once\":[\"ConfigMap/ns/a-0\"],${2:-$(busy true)},\"onError\":{\"busy\":true,\"error\":\"\${error}\"}"
}

# Our finalizer and another client's annotation change the version of the
# primary: the line that names the old one is stale.
given initially "$(thing a 1 "" "$(spec 1 v)")"
and event MODIFIED "$(thing a 2 '"annotations":{"x":"1"}' "$(spec 1 v)")"
want asks 1
also asks 2
replay 0 "the primary changed: asked for again at once"
event ADDED "$(object Pod p 3)" >>"$T/in"
replay 0 "... and not twice for one change"

# Five at once, then one a second.
for i in 3 4 5 6 7 8 9; do
	event MODIFIED "$(thing a $i "" "$(spec 1 v)")" \
		"2026-01-01T00:00:00.$i""00Z"
done >>"$T/in"
for i in 3 4 5 6; do asks $i; done >>"$T/want"
replay 0 "a primary that changes all the time: five at once"
tick 00:01 >>"$T/in"
asks 9 >>"$T/want"
replay 0 "... then one a second"
tick 00:09 >>"$T/in"
replay 0 "... and only while there was a change"
event ADDED "$(observed a-0 a v 20)" >>"$T/in"
event MODIFIED "$(thing a 21 "" "$(spec 1 v),$(busy false)")" >>"$T/in"
line "" a 9 "$(busy false)" >>"$T/want"
replay 0 "... and not when it is there"

# The status of the line was written: kapply created the item, although we have
# not observed it yet. Another request would create a second one.
given initially "$(thing a 1 "" "$(spec 1 v)")"
and event MODIFIED "$(thing a 2 "" "$(spec 1 v),$(busy true)")"
and event MODIFIED "$(thing a 3 '"annotations":{"x":"1"}' \
	"$(spec 1 v),$(busy true)")"
asks 1 >"$T/want"
replay 0 "created and not yet seen: not asked for again"

# It failed: onError was written, which gave another resourceVersion.
given initially "$(thing a 1 "" "$(spec 1 v)")"
and event MODIFIED "$(thing a 2 "" "$(spec 1 v),\"status\":{\"busy\":true,\"error\":\"no room\"}")"
want asks 1
also line "$(configmap a-0 a v)" a 2 \
	"$(known a-0 null),\"once\":[\"ConfigMap/ns/a-0\"],\"onError\":{\"busy\":true,\"error\":\"\${error}\"}"
replay 0 "it could not be created: asked for again"

# ---- precise timers ----

# Each primary waits for its own time; its status says when it was evaluated.
cat >"$T/program.jq" <<'END'
def desired: [];
def status: if .now >= .primary.spec.at then {at: .now} else null end;
def requeue: .primary.spec.at | floor as $s
	| ($s | todate | rtrimstr("Z")) + "." + ((. - $s) * 1000 + 1000 | round
	| tostring | ltrimstr("1")) + "Z";
END
mkfifo "$T/pipe"
# The next reader's pipe must not be taken for that of this one.
close_pipe() {
	exec 9>&-
	wait "${started[-1]}"
}

# A time that passes during an evaluation, which takes some tenths of a second
# here, is not lost.
cp "$T/program.jq" "$T/quick.jq"
sed -i 's/^def requeue: /&(reduce range(600000) as $i (0; . + 1)) as $x | /' \
	"$T/program.jq"
start bash -c "exec ireconcile -f '$T/watches.yaml' <'$T/pipe' >'$T/out'"
exec 9>"$T/pipe"
{
	initially
} >&9
for i in 1 2; do
	now=$(date +%s.%N)
	at=$(awk "BEGIN {printf \"%.3f\", $now + 0.05}")
	event ADDED "$(thing "a-$i" 1 "" "\"spec\":{\"at\":$at}")" >&9
	ok "no time is lost" wait_for 10 grep -q "\"name\":\"a-$i\"" "$T/out"
done
close_pipe
cp "$T/quick.jq" "$T/program.jq"

clock_begin --at 2027-01-15T08:00:00Z
due() { echo $((1800000003000 + $1 * 104)); }
# shown AT: an object that shows the time at once
shown() { thing shown 1 "" "\"spec\":{\"at\":$1}"; }
given begin_all
waits=$(event ADDED "$(thing wait-NUMBER 1 "" '"spec":{"at":9999999999}')")
for ((i = 0; i < 1000; i++)); do echo "${waits//NUMBER/$i}"; done >>"$T/in"
for i in 1 2 3 4 5; do
	and event ADDED "$(thing "a-$i" 1 "" "\"spec\":{\"at\":$(due $i)e-3}")"
done
and event ADDED "$(shown 1)"
and end_all
start bash -c "exec ireconcile -f '$T/watches.yaml' <'$T/pipe' >'$T/out'"
exec 9>"$T/pipe"
cat "$T/in" >&9
fired() {
	mapfile -t lines <"$T/out"
	[ ${#lines[@]} -ge "$1" ]
}
ok "one whose time has come" wait_for 20 fired 1
# When this primary has had its turn, all that waited before it have had theirs.
event ADDED "$(thing last 1 "" '"spec":{"at":1}')" >&9
ok "... and another one, behind all" wait_for 20 fired 2
for i in 1 2 3 4 5; do
	ok "the time of no. $i" wait_for 20 fired $((i + 2))
done
is "$(jq -r '.reconcile | "\(.primary.name) \(.status.at * 1000 | round)"' \
	"$T/out")" "shown 1800000000000
last 1800000000000
$(for i in 1 2 3 4 5; do echo "a-$i $(due $i)"; done)" \
	"... each at its own"
close_pipe

# The clock is set: a primary that waits for a time of day notices.
now=$(date -d "$(clock now)" +%s)
given begin_all
and event ADDED "$(thing a 1 "" "\"spec\":{\"at\":$((now + 3600))}")"
and event ADDED "$(thing b 1 "" "\"spec\":{\"at\":$((now + 9000))}")"
and event ADDED "$(thing c 1 "" "\"spec\":{\"at\":$((now + 1))}")"
and end_all
start bash -c "exec ireconcile -f '$T/watches.yaml' <'$T/pipe' >'$T/out'"
exec 9>"$T/pipe"
cat "$T/in" >&9
ok "one whose time has come" wait_for 10 test -s "$T/out"
clock jump 3700s
of_a() { grep -q '"name":"a"' "$T/out"; }
ok "the clock is set: what its time has come for by that" wait_for 15 of_a
is "$(jq -r .reconcile.primary.name "$T/out" | sort -u | xargs)" "a c" \
	"... and nothing else"
close_pipe

done_testing
