#!/bin/bash
# A hundred instances at once: all become Available, and never are more than 30
# in work.
# servers: kapi real
# check-all: more of the pipelines
. "${0%/*}/lib.sh"
. "${0%/*}/iot.sh"

many=${MANY:-100}
parallel=30

iot_cluster
iot_namespace dev
# Without its nodes no instance gets beyond Processing.
ok "no node" iot_stop "$playground"
start kwatch --kubeconfig="$CLUSTER/admin.kubeconfig" iotservices -n dev \
	>"$T/seen.jsonl" 2>"$T/kwatch.log"
for i in $(seq "$many"); do
	jq -c --arg name "i$i" '.metadata.namespace = "dev" | .metadata.name = $name' \
		"$T/example.json"
done | kc create -f - >/dev/null
is "$(kc get iotservices -n dev -o name | wc -l)" "$many" "$many instances"
iot_operator dev

phases() {
	kc get iotservices -n dev --no-headers | awk '{n[$2]++}
		END {for (p in n) print n[p], p}'
}

saturated() {
	[ "$(iot_count dev i Processing)" = "$parallel" ]
}
ok "$parallel of them are in work" wait_for 300 saturated ||
	note "$(phases; tail -n 20 "$T/operator.log")"
iot_playground

all_available() {
	[ "$(iot_count dev i Available)" = "$many" ]
}
ok "all of them become Available" wait_for 300 all_available ||
	note "$(phases; tail -n 20 "$T/operator.log")"

# The phases as the API server reported them, one after another. A server that
# has too little of the processor for a hundred Services with node ports answers
# Timeout (504) to some of them, which is told as a failure and mended.
timeout="Timeout: request did not complete within requested timeout"
is "$(jq -n --arg timeout "$timeout" 'reduce inputs as $e ({};
		if $e.type == "BOOKMARK" then . else $e.object.status as $s
		| .phase[$e.object.metadata.name] = $s.phase
		| .max = ([.max // 0, ([.phase[] | select(. == "Processing")] | length)] | max)
		| .failed += [$s | select(.phase == "Failed") | .reason
			| select(contains($timeout) | not)] end)
	| {max, failed}' -c "$T/seen.jsonl")" \
	"{\"max\":$parallel,\"failed\":[]}" \
	"at most $parallel were in work at any time, none failed"
is "$(created_twice user1)" "" "nothing was created twice"
ok "the operator ends with 0" iot_stop "$operator"
done_testing
