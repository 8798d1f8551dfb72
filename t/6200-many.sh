#!/bin/bash
# A hundred instances at once: all become Available, and never are more than 30
# in work.
# servers: kapi real
# check-all: more of the pipelines
. "${0%/*}/lib.sh"
. "${0%/*}/iot.sh"

many=${MANY:-100}
limit=30

iot_cluster
iot_namespace dev
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

all_available() {
	[ "$(iot_count dev i Available)" = "$many" ]
}
ok "all of them become Available" wait_for 300 all_available ||
	note "$(phases; tail -n 20 "$T/operator.log")"

# The phases as the API server reported them, one after another.
is "$(jq -n --argjson limit "$limit" 'reduce inputs as $e ({};
		if $e.type == "BOOKMARK" then . else
		.phase[$e.object.metadata.name] = $e.object.status.phase
		| .max = ([.max // 0, ([.phase[] | select(. == "Processing")] | length)] | max)
		| .failed += [$e | select(.object.status.phase == "Failed")
			| .object.status.reason] end)
	| {over: (.max > $limit), busy: (.max > $limit / 3), failed}' -c "$T/seen.jsonl")" \
	'{"over":false,"busy":true,"failed":[]}' \
	"at most $limit were in work at any time, none failed"
is "$(created_twice user1)" "" "nothing was created twice"
ok "the operator ends with 0" iot_stop "$operator"
done_testing
