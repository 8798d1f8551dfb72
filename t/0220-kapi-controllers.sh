#!/bin/bash
# kapi: what the controllers of a cluster do to namespaces and to owned objects.
# The texts of the conditions were recorded from a real cluster.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"

start kapi --log-level error --kubeconfig-out "$T/kubeconfig"
wait_for 10 test -s "$T/kubeconfig"
url=$(sed -n 's/.*server: *//p' "$T/kubeconfig" | tr -d '"')

request() # METHOD PATH [BODY [TYPE]]
{
	curl -s -A test -X "$1" -H "Content-Type: ${4:-application/json}" \
		${3:+--data-binary "$3"} "$url$2"
}

names() # PATH
{
	request GET "$1" | jq -r '.items[].metadata.name'
}

gone() # PATH
{
	[ "$(request GET "$1" | jq -r .code)" = 404 ]
}

there() # PATH
{
	[ "$(request GET "$1" | jq -r .code)" = null ]
}

map() # NAMESPACE NAME [OTHER METADATA]: makes it, prints its uid
{
	request POST "/api/v1/namespaces/$1/configmaps" \
		"$(jq -cn --arg n "$2" --argjson m "${3:-{\}}" \
			'{metadata: ({name: $n} + $m)}')" |
		jq -r .metadata.uid
}

owned() # BLOCKS UID...: ConfigMaps o-UID as owners; map's third argument
{
	local blocks=$1

	shift
	jq -cn --argjson b "$blocks" '{ownerReferences: [$ARGS.positional[] |
		split("=") | {apiVersion: "v1", kind: "ConfigMap", name: .[0],
		uid: .[1], blockOwnerDeletion: $b}]}' --args "$@"
}

# Namespaces.
request POST /api/v1/namespaces '{"metadata":{"name":"x"}}' >"$T/out"
ns=/api/v1/namespaces/x
ok "a new namespace gets its ConfigMap" \
	wait_for 5 there $ns/configmaps/kube-root-ca.crt
ok "... and its ServiceAccount" \
	wait_for 5 there $ns/serviceaccounts/default
uid=$(request GET "$ns/serviceaccounts/default" | jq -r .metadata.uid)
request DELETE $ns/serviceaccounts/default >"$T/out"
another() {
	uid2=$(request GET "$ns/serviceaccounts/default" | jq -r .metadata.uid)
	[ "$uid2" != null ] && [ "$uid2" != "$uid" ]
}
ok "... which comes back" wait_for 5 another

request DELETE /api/v1/namespaces/default/services/kubernetes >"$T/out"
service() {
	[ "$(request GET /api/v1/namespaces/default/services/kubernetes |
		jq -r .spec.clusterIP)" = 10.0.0.1 ]
}
ok "the API's own Service comes back, too" wait_for 5 service

map x c '{"finalizers": ["example.com/f", "example.com/g"]}' >"$T/out"
map x d >"$T/out"
request POST $ns/serviceaccounts \
	'{"metadata":{"name":"s","finalizers":["example.com/f"]}}' >"$T/out"
curl -sN -A test "$url/api/v1/namespaces?watch=1&fieldSelector=metadata.name%3Dx&timeoutSeconds=3000" \
	>"$T/watch" &
watch=$!
started+=("$watch")
wait_for 5 grep -q ADDED "$T/watch"
request DELETE $ns >"$T/out"
is "$(jq -r .status.phase "$T/out")" Terminating "a deleted one terminates"
remains() {
	request GET "$ns" | grep -q SomeResourcesRemain
}
wait_for 5 remains
is "$(request GET "$ns" | jq -r '.status.conditions[] |
	[.type, .status, .reason, .message] | join(" ")')" \
	"NamespaceDeletionDiscoveryFailure False ResourcesDiscovered \
All resources successfully discovered
NamespaceDeletionGroupVersionParsingFailure False ParsedGroupVersions \
All legacy kube types successfully parsed
NamespaceDeletionContentFailure False ContentDeleted \
All content successfully deleted, may be waiting on finalization
NamespaceContentRemaining True SomeResourcesRemain \
Some resources are remaining: configmaps. has 1 resource instances, \
serviceaccounts. has 1 resource instances
NamespaceFinalizersRemaining True SomeFinalizersRemain \
Some content in the namespace has finalizers remaining: \
example.com/f in 2 resource instances, \
example.com/g in 1 resource instances" "its conditions say what remains"
is "$(names $ns/configmaps) $(names $ns/serviceaccounts)" "c s" \
	"... and nothing else does"
none='{"metadata":{"finalizers":null}}'
request PATCH $ns/serviceaccounts/s "$none" application/merge-patch+json \
	>"$T/out"
request PATCH $ns/configmaps/c "$none" application/merge-patch+json >"$T/out"
ok "with the last finalizer it goes" wait_for 5 gone $ns
wait_for 5 grep -q DELETED "$T/watch"
is "$(jq -r '.type + " " + .object.status.phase + " " +
	([.object.status.conditions[]? | select(.status == "True").type] |
	join(","))' "$T/watch" | uniq)" "ADDED Active 
MODIFIED Terminating 
MODIFIED Terminating NamespaceContentRemaining,NamespaceFinalizersRemaining
MODIFIED Terminating 
DELETED Terminating " "a watch sees each step"

# Ranges of addresses.
ranges=/apis/networking.k8s.io/v1/servicecidrs
range='{"metadata":{"name":"more","finalizers":["example.com/f"]},
	"spec":{"cidrs":["10.96.0.0/16"]}}'
request POST $ranges "$range" >"$T/out"
ready() {
	[ "$(request GET $ranges/more | jq -c '[.metadata.finalizers,
		(.status.conditions[0] | .type, .status, .reason, .message)]')" = \
		'[["example.com/f","networking.k8s.io/service-cidr-finalizer"],"Ready","True","","Kubernetes Service CIDR is ready"]' ]
}
ok "a ServiceCIDR gets its finalizer and is ready" wait_for 5 ready
request DELETE $ranges/more >"$T/out"
released() {
	[ "$(request GET $ranges/more | jq -c .metadata.finalizers)" = \
		'["example.com/f"]' ]
}
ok "... which goes when it is deleted" wait_for 5 released
request PATCH $ranges/more '{"metadata":{"finalizers":null}}' \
	application/merge-patch+json >"$T/out"
ok "... with its last finalizer" wait_for 5 gone $ranges/more

# Pods first.
request POST /api/v1/namespaces '{"metadata":{"name":"y"}}' >"$T/out"
ns=/api/v1/namespaces/y
request POST $ns/pods '{"metadata":{"name":"p","finalizers":
	["example.com/f"]},"spec":{"containers":[{"name":"c","image":"i"}]}}' \
	>"$T/out"
map y c >"$T/out"
wait_for 5 there $ns/configmaps/kube-root-ca.crt
request DELETE $ns >"$T/out"
looked() {
	request GET "$ns" | grep -q NamespaceDeletionContentFailure
}
wait_for 5 looked
is "$(names $ns/configmaps | tr '\n' ' ')" "c kube-root-ca.crt " \
	"while there are Pods the rest stays"
request PATCH $ns/pods/p "$none" application/merge-patch+json >"$T/out"
ok "... and goes with the last of them" wait_for 5 gone $ns

# At once a namespace of the same name is created.
for ((i = 0; i < 20; i++)); do
	request POST /api/v1/namespaces '{"metadata":{"name":"z"}}' >"$T/out"
	map z c >"$T/out"
	request DELETE /api/v1/namespaces/z >"$T/out"
done
again() {
	request POST /api/v1/namespaces '{"metadata":{"name":"z"}}' |
		grep -q Active
}
wait_for 5 again
map z mine >"$T/out"
wait_for 5 there /api/v1/namespaces/z/configmaps/kube-root-ca.crt
is "$(names /api/v1/namespaces/z/configmaps | tr '\n' ' ')" \
	"kube-root-ca.crt mine " "a new namespace is not the old one"

# Owners.
maps=/api/v1/namespaces/default/configmaps
uid=$(map default o)
other=$(map default p)
map default b1 "$(owned true "o=$uid")" >"$T/out"
map default b2 "$(owned true "o=$uid" "p=$other")" >"$T/out"
map default b3 "$(owned true "q=00000000-0000-4000-8000-000000000000")" \
	>"$T/out"
ok "an object whose owner is not there goes" wait_for 5 gone $maps/b3
request DELETE $maps/o '{"propagationPolicy":"Background"}' >"$T/out"
ok "background: a dependent goes after its owner" wait_for 5 gone $maps/b1
single() {
	[ "$(request GET "$maps/b2" | jq '.metadata.ownerReferences | length')" \
		= 1 ]
}
ok "... one with another owner stays" wait_for 5 single

uid=$(map default f)
map default f1 "$(jq -cn --argjson o "$(owned true "f=$uid")" \
	'$o + {finalizers: ["example.com/f"]}')" >"$T/out"
map default f2 "$(owned false "f=$uid")" >"$T/out"
request DELETE $maps/f '{"propagationPolicy":"Foreground"}' >"$T/out"
ok "foreground: dependents go first" wait_for 5 gone $maps/f2
is "$(request GET $maps/f | jq -c .metadata.finalizers)" \
	'["foregroundDeletion"]' "... their owner waits for those that block"
request PATCH $maps/f1 "$none" application/merge-patch+json >"$T/out"
ok "... and then it goes" wait_for 5 gone $maps/f
ok "... as do they" gone $maps/f1

uid=$(map default r)
map default r1 "$(owned true "r=$uid")" >"$T/out"
request DELETE $maps/r '{"propagationPolicy":"Orphan"}' >"$T/out"
ok "orphan: the owner goes" wait_for 5 gone $maps/r
is "$(request GET $maps/r1 | jq -c .metadata.ownerReferences)" null \
	"... its dependent stays, without it"

# A kind that is defined later, and removed.
request POST /apis/apiextensions.k8s.io/v1/customresourcedefinitions \
	'{"metadata":{"name":"things.example.com"},"spec":{"group":
	"example.com","scope":"Cluster","names":{"plural":"things","kind":
	"Thing"},"versions":[{"name":"v1","served":true,"storage":true,
	"schema":{"openAPIV3Schema":{"type":"object"}}}]}}' >"$T/out"
things=/apis/example.com/v1/things
ok "a new kind is served" wait_for 5 there $things
uid=$(request POST $things \
	'{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"t"}}' |
	jq -r .metadata.uid)
map default t1 "$(jq -cn --arg u "$uid" '{ownerReferences: [{apiVersion:
	"example.com/v1", kind: "Thing", name: "t", uid: $u}]}')" >"$T/out"
request DELETE \
	/apis/apiextensions.k8s.io/v1/customresourcedefinitions/things.example.com \
	>"$T/out"
ok "with its definition go its objects, and what they own" \
	wait_for 5 gone $maps/t1

# Without controllers.
start kapi --controllers=off --log-level error --kubeconfig-out "$T/off"
wait_for 10 test -s "$T/off"
url=$(sed -n 's/.*server: *//p' "$T/off" | tr -d '"')
request POST $ranges "$range" >"$T/out"
request DELETE $ranges/more >"$T/out"
is "$(request GET $ranges/more | jq -c '.metadata.finalizers, .status')" \
	'["example.com/f"]
{}' "without controllers a ServiceCIDR stays as it is"
done_testing
