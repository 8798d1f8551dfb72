#!/bin/bash
# The example of `as_seen` in doc/program.md: a seat is closed only in the version
# that the program saw.
# servers: kapi real
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=cluster/lib.sh
. "${0%/*}/cluster/lib.sh"
# shellcheck source=sets.sh
. "${0%/*}/sets.sh"
cluster_start
things_start
things_watches
echo "  desiredReads: [owned]" >>"$T/watches.yaml"
things_example as_seen

# decide: the line for what there is now
decide() {
	kwatch --once -f "$T/watches.yaml" | ireconcile -f "$T/watches.yaml"
}
seat() { # NAME: its data
	kubectl get configmap "$1-seat" -o json | jq -c '.data // {}'
}
close() { # NAME
	kubectl patch thing "$1" --type merge -p '{"spec":{"close":true}}' \
		>/dev/null
}

thing t >/dev/null
decide | kapply >/dev/null 2>"$T/err"
is "$(seat t)" '{}' "a seat"
close t
decide >"$T/line"
is "$(jq -c .reconcile.asSeen "$T/line")" '["ConfigMap/default/t-seat"]' \
	"it is to be closed as it was seen"
kubectl patch configmap t-seat --type merge -p '{"data":{"taken":"ann"}}' \
	>/dev/null
runs 0 "somebody takes it before that is done" kapply <"$T/line"
is "$(seat t)" '{"taken":"ann"}' "... and has it"
is "$(cat "$T/out" "$T/err")" "" "... without a status or a complaint"
is "$(decide | jq -c '[.items, .reconcile.status]')" '[[],{"taken":true}]' \
	"the next decision is another one"

thing u >/dev/null
decide | kapply >/dev/null 2>"$T/err"
close u
decide >"$T/line"
runs 0 "nobody takes the other one" kapply <"$T/line"
is "$(seat u)" '{"closed":"true"}' "... and it is closed"

# The same by an operator that runs.
start kpipe -f "$T/watches.yaml" --health-probe-bind-address 127.0.0.1:0 \
	2>"$T/err"
thing v '{"close":true}' >/dev/null
closed() {
	[ "$(seat "$1" 2>/dev/null)" = '{"closed":"true"}' ]
}
ok "an operator closes a third" wait_for 60 closed v
is "$(seat t)" '{"taken":"ann"}' "... and the first is left alone"
is "$(grep -c error "$T/err")" 0 "nothing failed"
done_testing
