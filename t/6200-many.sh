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

# The phases as the API server reported them, one after another. A server that
# has too little of the processor for a hundred Services with node ports answers
# Timeout (504) to some of them; told as a failure, and mended, they count as
# work.
timeout="Timeout: request did not complete within requested timeout"
is "$(jq -n --argjson limit "$limit" --arg timeout "$timeout" '
	def count(f): [.state[] | select(f)] | length;
	reduce inputs as $e ({};
		if $e.type == "BOOKMARK" then . else
		$e.object.metadata.name as $name | $e.object.status as $s
		| .state[$name] = (if $s.phase == "Failed" and ($s.reason | contains($timeout))
			then "late" else $s.phase end)
		| .max = ([.max // 0, count(. == "Processing")] | max)
		| .most = ([.most // 0, count(. == "Processing" or . == "late")] | max)
		| .failed += [select(.state[$name] == "Failed") | $s.reason] end)
	| {over: (.max > $limit), busy: (.most > $limit / 3), failed}' -c "$T/seen.jsonl")" \
	'{"over":false,"busy":true,"failed":[]}' \
	"at most $limit were in work at any time, none failed"
is "$(created_twice user1)" "" "nothing was created twice"
ok "the operator ends with 0" iot_stop "$operator"
done_testing
