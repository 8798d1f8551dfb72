#!/bin/bash
# kapi: --load reads lines of kwatch, objects and Lists; --save writes lines
# that load to the same state; errors in a file are named.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"

# Starts kapi with these arguments; its URL is in $url.
kapi_up() {
	rm -f "$T/kubeconfig"
	start kapi --log-level error --kubeconfig-out "$T/kubeconfig" "$@"
	wait_for 10 test -s "$T/kubeconfig"
	url=$(sed -n 's/.*server: *//p' "$T/kubeconfig" | tr -d '"')
}

# SIGTERM: it saves and ends.
kapi_down() {
	kill "$!"
	wait "$!"
	is "$?" 0 "$1"
}

request() # METHOD PATH [BODY [TYPE]]
{
	curl -s -A test -X "$1" -H "Content-Type: ${4:-application/json}" \
		${3:+--data-binary "$3"} "$url$2"
}

maps=/api/v1/namespaces/default/configmaps

kapi_up --save "$T/empty"
kapi_down "it ends"
is "$(jq -r '.type + " " + .object.kind + " " + (.object.metadata |
	(.namespace // "-") + " " + (.name // "-"))' "$T/empty")" \
	"ADDED ConfigMap default kube-root-ca.crt
ADDED ConfigMap kube-node-lease kube-root-ca.crt
ADDED ConfigMap kube-public kube-root-ca.crt
ADDED ConfigMap kube-system kube-root-ca.crt
ADDED Namespace - default
ADDED Namespace - kube-node-lease
ADDED Namespace - kube-public
ADDED Namespace - kube-system
ADDED ServiceAccount default default
ADDED ServiceAccount kube-node-lease default
ADDED ServiceAccount kube-public default
ADDED ServiceAccount kube-system default
ADDED Service default kubernetes
ADDED ServiceCIDR - kubernetes
ADDED PriorityClass - system-cluster-critical
ADDED PriorityClass - system-node-critical
BOOKMARK Namespace - -" "what a new cluster has"

# Out of order: objects come before their definition.
cat >"$T/cluster" <<'LINES'
{"type":"BOOKMARK","object":{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"annotations":{"kpipe.dev/initial-events-begin":"true"}}}}
{"type":"ADDED","object":{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"t","namespace":"team","uid":"11111111-1111-4111-8111-111111111111","resourceVersion":"9000","generation":7,"creationTimestamp":"2026-01-02T03:04:05Z","finalizers":["example.com/f"],"managedFields":[{"manager":"m","operation":"Update","apiVersion":"example.com/v1","time":"2026-01-02T03:04:05Z","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{"f:size":{}}}}]},"spec":{"size":3},"status":{"phase":"Ready"}}}
{"type":"BOOKMARK","object":{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"annotations":{"k8s.io/initial-events-end":"true"}}}}
{"type":"ADDED","object":{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"gone","namespace":"team","uid":"g","resourceVersion":"40"}}}
{"type":"ADDED","object":{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"owned","namespace":"team","uid":"22222222-2222-4222-8222-222222222222","resourceVersion":"41","ownerReferences":[{"apiVersion":"example.com/v1","kind":"Thing","name":"t","uid":"11111111-1111-4111-8111-111111111111"}]},"data":{"k":"old"}}}
{"type":"MODIFIED","object":{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"owned","namespace":"team","uid":"22222222-2222-4222-8222-222222222222","creationTimestamp":"2026-01-02T03:04:06Z","resourceVersion":"44","ownerReferences":[{"apiVersion":"example.com/v1","kind":"Thing","name":"t","uid":"11111111-1111-4111-8111-111111111111"}]},"data":{"k":"new"}}}
{"type":"DELETED","object":{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"gone","namespace":"team","uid":"g","resourceVersion":"45"}}}
{"kind":"ConfigMapList","apiVersion":"v1","items":[{"metadata":{"name":"lone","namespace":"team","uid":"33333333-3333-4333-8333-333333333333","creationTimestamp":"2026-01-02T03:04:07Z","resourceVersion":"50","ownerReferences":[{"apiVersion":"apps/v1","kind":"Deployment","name":"elsewhere","uid":"99999999-9999-4999-8999-999999999999"}]}}]}
{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"ending","uid":"44444444-4444-4444-8444-444444444444","creationTimestamp":"2026-01-02T03:04:07Z","deletionTimestamp":"2026-01-02T03:05:07Z","labels":{"kubernetes.io/metadata.name":"ending"},"resourceVersion":"60"},"spec":{"finalizers":["kubernetes"]},"status":{"phase":"Terminating"}}
{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"inside","namespace":"ending","uid":"55555555-5555-4555-8555-555555555555","creationTimestamp":"2026-01-02T03:04:07Z","resourceVersion":"61"}}
{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"things.example.com","resourceVersion":"70"},"spec":{"group":"example.com","scope":"Namespaced","names":{"plural":"things","singular":"thing","kind":"Thing","listKind":"ThingList"},"versions":[{"name":"v1","served":true,"storage":true,"subresources":{"status":{}},"schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":{"type":"object","properties":{"size":{"type":"integer"}}},"status":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}}}}]}}
LINES

kapi_up --load "$T/cluster" --save "$T/saved"
things=/apis/example.com/v1/namespaces/team/things
is "$(request GET "$things/t" | jq -cS .)" \
	"$(sed -n 2p "$T/cluster" | jq -cS .object)" "an object is as it was"
is "$(request GET /api/v1/namespaces/team/configmaps/owned |
	jq -r .data.k)" new "the newest state counts"
is "$(request GET /api/v1/namespaces/team/configmaps |
	jq -r '.items[].metadata | .name + " " + .resourceVersion' |
	grep -v '^kube-root')" "lone 50
owned 44" "what was deleted is not there, versions are kept"
is "$(request GET /api/v1/namespaces/team | jq -r .status.phase)" Active \
	"a namespace that is not in the file is made"
is "$(request GET /api/v1/namespaces/ending | jq -r .reason)" NotFound \
	"a namespace in the middle of its deletion goes on with it"
is "$(request GET /api/v1/configmaps |
	jq -r '.items[].metadata | select(.namespace == "ending").name')" "" \
	"with what was in it"
is "$(request POST "$maps" \
	'{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"new"}}' |
	jq '.metadata.resourceVersion | tonumber > 9000')" true \
	"new versions are above the highest"
kapi_down "it saves and ends"
ok "the file is for its owner only" \
	test "$(stat -c %a "$T/saved")" = 600
is "$(head -1 "$T/saved" | jq -r .object.kind)" CustomResourceDefinition \
	"definitions come first"

kapi_up --load "$T/saved" --save "$T/again"
kapi_down "it starts from what it saved"
same "$T/again" "$T/saved" "a saved state loads to the same text"
from_pipe() {
	exec 0< <(cat "$T/saved")
	exec kapi "$@"
}
rm "$T/kubeconfig" "$T/again"
start from_pipe --log-level error --load - --kubeconfig-out "$T/kubeconfig" \
	--save "$T/again"
wait_for 10 test -s "$T/kubeconfig"
kapi_down "... also from a pipe"
same "$T/again" "$T/saved" "... to the same text"

kapi_up --load "$T/saved" --save "$T/collected"
request DELETE "$things/t" >"$T/out"
request PATCH "$things/t" '{"metadata":{"finalizers":null}}' \
	application/merge-patch+json >"$T/out"
kapi_down "it ends once more"
is "$(jq -r 'select(.object.metadata.namespace == "team").object |
	select(.kind == "ConfigMap").metadata.name' "$T/collected")" \
	"kube-root-ca.crt
lone" "a loaded owner takes its dependents with it, an absent one does not"

# Two recordings, one after the other: the second repeats everything.
bookmark() {
	jq -cn --arg a "$1" '{type: "BOOKMARK", object: {apiVersion: "v1",
		kind: "ConfigMap", metadata: {annotations: {($a): "true"}}}}'
}
map() {
	jq -cn --arg n "$1" '{type: "ADDED", object: {apiVersion: "v1",
		kind: "ConfigMap", metadata: {name: $n, namespace: "default"}}}'
}
{
	bookmark kpipe.dev/initial-events-begin
	map a
	map b
	bookmark k8s.io/initial-events-end
	bookmark kpipe.dev/initial-events-begin
	map b
	map c
	bookmark k8s.io/initial-events-end
} >"$T/two"
kapi_up --load "$T/two"
is "$(request GET "$maps" | jq -r '.items[].metadata.name')" "b
c
kube-root-ca.crt" "of two recordings the second counts"
kapi_down "and it ends"

# An error in a file is reported with its place.
bad() # WHAT MESSAGE <LINES
{
	cat >"$T/bad"
	printf 'as it was' >"$T/kept"
	runs 100 "$1" timeout 300 kapi --load "$T/bad" --save "$T/kept"
	is "$(<"$T/err")" "kapi: fatal: $2" "... and says so"
	is "$(<"$T/kept")" "as it was" "... and saves nothing"
}

bad "a bad line" "$T/bad:2: text behind the value at byte 4" <<LINES
$(map a)
{ }}
LINES
bad "a kind without a definition" "$T/bad:2: Widget default/w: \
example.com/v1 is not served: no CustomResourceDefinition in the file \
defines it" <<LINES
$(map a)
{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w","namespace":"default"}}
LINES
bad "an object without a name" \
	"$T/bad:1: ConfigMap: metadata.name is missing" <<'LINES'
{"apiVersion":"v1","kind":"ConfigMap","metadata":{"namespace":"default"}}
LINES
bad "an object without a namespace" \
	"$T/bad:1: ConfigMap a: metadata.namespace is missing" <<'LINES'
{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}}
LINES
bad "a namespace too many" \
	"$T/bad:1: Namespace x/a: the kind has no namespaces" <<'LINES'
{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"a","namespace":"x"}}
LINES
bad "something else" "$T/bad:1: not an object of Kubernetes: apiVersion or \
kind is missing" <<'LINES'
{"hello":"world"}
LINES
bad "an unknown event" "$T/bad:1: unknown type of event \"CHANGED\"" <<'LINES'
{"type":"CHANGED","object":{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","namespace":"default"}}}
LINES
bad "an object that was too large" "$T/bad:1: it has only the identity of an \
object that was too large: leave the line out" <<'LINES'
{"type":"ADDED","tooLarge":17000000,"object":{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","namespace":"default"}}}
LINES
bad "a field of a wrong type" "$T/bad:1: ConfigMap default/a: json: \
cannot unmarshal number into Go struct field ConfigMap.data of type string" <<'LINES'
{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","namespace":"default"},"data":{"k":5}}
LINES
runs 100 "a file that is not there" timeout 300 kapi --load "$T/none"
is "$(<"$T/err")" \
	"kapi: fatal: cannot open $T/none: No such file or directory" \
	"... is named"

ln -s "$T/linked" "$T/link"
: >"$T/linked"
kapi_up --save "$T/link"
kapi_down "it saves through a link"
is "$(readlink "$T/link") $(grep -c ADDED "$T/linked")" "$T/linked 16" \
	"... which stays one"

kapi_up --save "$T/none/state" 2>"$T/kapi.err"
kill "$!"
wait "$!"
is "$?" 111 "a place that cannot be written to"
is "$(tail -n 1 "$T/kapi.err")" "kapi: fatal: cannot write $T/none/state: \
No such file or directory" "... is named"
done_testing
