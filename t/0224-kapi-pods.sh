#!/bin/bash
# kapi: Pods that are deleted with a period of grace end, as if there were a
# kubelet: control/podend.h.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"

kapi_up() { # ARGUMENT...
	rm -f "$T/kubeconfig"
	start kapi --log-level error --kubeconfig-out "$T/kubeconfig" "$@"
	kapi=$!
	wait_for 10 test -s "$T/kubeconfig"
	url=$(sed -n 's/.*server: *//p' "$T/kubeconfig" | tr -d '"')
}

request() # METHOD PATH [BODY [TYPE]]
{
	curl -s -A test -X "$1" -H "Content-Type: ${4:-application/json}" \
		${3:+--data-binary "$3"} "$url$2"
}

gone() # PATH
{
	[ "$(request GET "$1" | jq -r .code)" = 404 ]
}

pods=/api/v1/namespaces/default/pods
pod() # NAME NODE [OTHER METADATA [NAMESPACE]]
{
	local other=${3:-null}

	request POST "/api/v1/namespaces/${4:-default}/pods" \
		"$(jq -cn --arg n "$1" --arg node "$2" --argjson m "$other" \
			'{metadata: ({name: $n} + $m), spec: {nodeName: $node,
			containers: [{name: "c", image: "i"}]}}')"
}

delete() # NAME SECONDS
{
	request DELETE "$pods/$1?gracePeriodSeconds=$2"
}

state() # NAME: whether it is being deleted, and its grace
{
	request GET "$pods/$1" | jq -r '"\(.metadata.deletionTimestamp != null) \(.metadata.deletionGracePeriodSeconds)"'
}

status() # PATH STATUS
{
	request PATCH "$1/status" "{\"status\":$2}" \
		application/merge-patch+json >"$T/out"
}

ready() # NAME STATUS
{
	status "/api/v1/nodes/$1" \
		"{\"conditions\":[{\"type\":\"Ready\",\"status\":\"$2\"}]}"
}

kapi_up --save "$T/state"
for node in up down lost; do
	request POST /api/v1/nodes "{\"metadata\":{\"name\":\"$node\"}}" \
		>"$T/out"
done
ready up True
ready down False
ready lost Unknown

pod absent-node none >"$T/out"
is "$(delete absent-node 1 | jq -r .metadata.deletionGracePeriodSeconds)" 1 \
	"a Pod with a node is deleted with grace"
ok "... and ends when that is over" wait_for 5 gone $pods/absent-node
pod runs up >"$T/out"
delete runs 1 >"$T/out"
ok "so does one on a Node that is ready" wait_for 5 gone $pods/runs

pod succeeds up >"$T/out"
delete succeeds 3600 >"$T/out"
is "$(state succeeds)" "true 3600" "one with much grace has not ended"
status $pods/succeeds '{"phase":"Succeeded"}'
ok "... but ends when its containers have" wait_for 5 gone $pods/succeeds
pod sooner none >"$T/out"
delete sooner 3600 >"$T/out"
delete sooner 1 >"$T/out"
ok "the period can be shortened" wait_for 5 gone $pods/sooner

# The last one ends after the grace of the others.
for name in cut-off stranded; do
	pod $name down >"$T/out"
done
pod unknown lost >"$T/out"
pod last none >"$T/out"
for name in cut-off stranded unknown; do
	delete $name 1 >"$T/out"
done
delete last 2 >"$T/out"
ok "later" wait_for 10 gone $pods/last
is "$(state cut-off), $(state unknown)" "true 1, true 1" \
	"what is on Nodes that are not ready waits"
status $pods/stranded '{"phase":"Failed"}'
ok "... unless it has ended" wait_for 5 gone $pods/stranded
ready down True
ok "... until the Node is" wait_for 5 gone $pods/cut-off
request DELETE /api/v1/nodes/lost >"$T/out"
ok "... or is gone" wait_for 5 gone $pods/unknown

pod held none '{"finalizers":["example.com/f"]}' >"$T/out"
delete held 1 >"$T/out"
held() {
	[ "$(state held)" = "true 0" ]
}
ok "a finalizer outlives the grace" wait_for 5 held
request PATCH $pods/held '{"metadata":{"finalizers":null}}' \
	application/merge-patch+json >"$T/out"
ok "... and when it goes, so does the Pod" wait_for 5 gone $pods/held

request POST /api/v1/namespaces '{"metadata":{"name":"x"}}' >"$T/out"
pod p none null x >"$T/out"
request DELETE /api/v1/namespaces/x/pods/p?gracePeriodSeconds=1 >"$T/out"
request DELETE /api/v1/namespaces/x >"$T/out"
ok "a namespace with such a Pod ends" wait_for 20 gone /api/v1/namespaces/x

pod late none >"$T/out"
delete late 3600 >"$T/out"
kill -TERM "$kapi"
wait "$kapi"
is "$(jq -r 'select(.object.kind == "Pod").object.metadata.name' "$T/state")" \
	late "a Pod is saved while it ends"
jq -c 'if .object.kind == "Pod" then
	.object.metadata.deletionTimestamp = "2026-01-01T00:00:00Z" else . end' \
	"$T/state" >"$T/later"
kapi_up --load "$T/later"
ok "... and ends when it is loaded after its time" wait_for 5 gone $pods/late
done_testing
