#!/bin/bash
# kstatus says what became of each line.
# servers: kapi real
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=cluster/lib.sh
. "${0%/*}/cluster/lib.sh"
# shellcheck disable=SC2119
cluster_start

kubectl create namespace x >/dev/null
kubectl create -f - >/dev/null <<'EOF'
{"apiVersion":"policy/v1","kind":"PodDisruptionBudget","metadata":{"name":"a","namespace":"x"},"spec":{"minAvailable":1,"selector":{"matchLabels":{"a":"b"}}}}
EOF
uid=$(kubectl get pdb a -n x -o jsonpath='{.metadata.uid}')

# line NAME UID STATUS
line() {
	printf '{"apiVersion":"policy/v1","kind":"PodDisruptionBudget","metadata":{"namespace":"x","name":"%s"%s},"status":%s}\n' \
		"$1" "${2:+,\"uid\":\"$2\"}" "$3"
}
status='{"currentHealthy":1,"desiredHealthy":1,"disruptionsAllowed":0,"expectedPods":1}'
results() {
	jq -c '[.kind, .metadata.namespace, .metadata.name, .result, .message]' "$T/out"
}

{ line a "$uid" "$status"; line gone 0123 "$status"; } >"$T/in"
runs 0 "an object that is there, and one of a uid that is not" \
	kstatus -o result <"$T/in"
is "$(results | sort)" '["PodDisruptionBudget","x","a","written",null]
["PodDisruptionBudget","x","gone","dropped",null]' "... a line about each"
is "$(<"$T/err")" "" "... no error"
# The real server's controller may have written another value by now.
is "$(kubectl get pdb a -n x --show-managed-fields -o json | jq -c '
	[.metadata.managedFields[] | select(.manager == "kpipe-poddisruptionbudget.policy").subresource]')" \
	'["status"]' "... and the status is written"

line absent "" "$status" >"$T/in"
runs 1 "a line without uid that names nothing" kstatus -o result <"$T/in"
is "$(results)" '["PodDisruptionBudget","x","absent","failed","there is no such object"]' \
	"... has failed"
is "$(<"$T/err")" 'kstatus: error: cannot write the status of PodDisruptionBudget.policy x/absent: there is no such object' \
	"... and an error says so"

line a "$uid" '{"no":1}' >"$T/in"
runs 1 "a status that is refused" kstatus -o result <"$T/in"
is "$(jq -c '[.result, (.message | test("status.no"))]' "$T/out")" \
	'["failed",true]' "... comes with the reason, once"

line a "$uid" "$status" >"$T/in"
runs 0 "without the option" kstatus <"$T/in"
is "$(cat "$T/out" "$T/err")" "" "... nothing is printed in a pipe"
results_unread() {
	kstatus -o result <"$T/in"
}
unread 111 "a reader that is gone" results_unread
done_testing
