#!/bin/bash
# Experimentals whose pods are deleted, end, and hang at random for CHURN
# seconds (8), by SEED: there is never a pod more than desired, and at the end
# exactly that many.
# servers: kapi
# check-all: long faults
. "${0%/*}/lib.sh"
. "${0%/*}/operator.sh"

RANDOM=${SEED:-20261121}
pods=/api/v1/namespaces/default/pods
experimentals=/apis/experiments.vapourware.com/v1alpha1/namespaces/default/experimentals
operator_cluster experimental
operator_rights cluster
operator

# request METHOD PATH [PATCH]
request() {
	curl -s -m 10 -o /dev/null --cacert "$CLUSTER/certificates/apiserver.crt" \
		-H "@$CLUSTER/admin.header" -X "$1" ${3:+--data "$3"} \
		-H "Content-Type: application/merge-patch+json" \
		"$CLUSTER_SERVER$2"
}

for name in a b c; do
	jq -cn --arg name $name '{
		apiVersion: "experiments.vapourware.com/v1alpha1",
		kind: "Experimental", metadata: {name: $name},
		spec: {numberOfReplicas: 5}}'
done | kubectl apply -f - >/dev/null
all_ready() {
	is_ready $experimentals/a && is_ready $experimentals/b &&
		is_ready $experimentals/c
}
ok "three of five pods" wait_for 30 all_ready
start curl -sN --cacert "$CLUSTER/certificates/apiserver.crt" \
	-H "@$CLUSTER/admin.header" "$CLUSTER_SERVER$pods?watch=1" >"$T/watch"
wait_for 10 test -s "$T/watch"

hanging=()
end=$((SECONDS + ${CHURN:-8})) actions=0
while [ "$SECONDS" -lt "$end" ]; do
	mapfile -t names < <(api $pods | jq -r '.items[].metadata.name')
	for _ in 1 2 3 4 5; do
		actions=$((actions + 1))
		pod=$pods/${names[RANDOM % ${#names[@]}]}
		case $((RANDOM % 5)) in
		0) request DELETE "$pod" ;;
		1) request PATCH "$pod/status" '{"status":{"phase":"Failed"}}' ;;
		2) request PATCH "$pod/status" '{"status":{"phase":"Succeeded"}}' ;;
		3)
			request PATCH "$pod" \
				'{"metadata":{"finalizers":["example.com/hangs"]}}'
			request DELETE "$pod"
			hanging+=("$pod")
			;;
		4)
			[ ${#hanging[@]} -gt 0 ] || continue
			request PATCH "${hanging[0]}" \
				'{"metadata":{"finalizers":null}}'
			hanging=("${hanging[@]:1}")
			;;
		esac
	done
done
for pod in "${hanging[@]}"; do
	request PATCH "$pod" '{"metadata":{"finalizers":null}}'
done
note "$actions things happened"

left() {
	api $pods | jq -r '.items | group_by(.metadata.labels.app)[] | length'
}
fifteen() {
	[ "$(left)" = "5
5
5" ] && all_ready
}
ok "at the end there are five of each" wait_for 30 fifteen
is "$(jq -rn 'reduce inputs as {$type, $object} ({};
	$object.metadata as $m | ($m.name | .[:1]) as $of
	| .alive[$of][$m.name] = ($type != "DELETED"
		and $m.deletionTimestamp == null
		and ($object.status.phase | . != "Failed" and . != "Succeeded"))
	| if [.alive[$of][] | select(.)] | length > 5
	  then .over += ["\($m.name) at \($m.resourceVersion)"] else . end)
	| .over[]?' "$T/watch")" "" "... and never were more"
silent 2 "converged: no write in 2 s"
is "$(complaints)" "" "no complaints"
done_testing
