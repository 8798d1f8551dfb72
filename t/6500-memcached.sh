#!/bin/bash
# The memcached operator on an API server, with the rights of its rbac.yaml
# and no others: in all namespaces, then in one.
# servers: kapi real
. "${0%/*}/lib.sh"
. "${0%/*}/operator.sh"

memcacheds=/apis/cache.example.com/v1alpha1/namespaces
operator_cluster memcached
ok "the rights for all namespaces" operator_rights cluster
export WATCH_NAMESPACE=
operator

# ready NAME [NAMESPACE]
ready() {
	is_ready "$memcacheds/${2:-default}/memcacheds/$1"
}
# deployment NAME JQ: of its Deployment
deployment() {
	api "/apis/apps/v1/namespaces/default/deployments/$1" | jq -c "$2"
}
deployment_is() {
	[ "$(deployment "$1" "$2")" = "$3" ]
}
pods() {
	kubectl get pods -l "memcached_cr=$1" -o name | sed 's,^pod/,,' |
		LC_ALL=C sort
}
nodes() {
	api "$memcacheds/default/memcacheds/$1" | jq -r '.status.nodes[]'
}
nodes_are_pods() {
	local nodes

	mapfile -t nodes < <(nodes "$1")
	[ "${#nodes[@]}" -eq "$2" ] && [ "${nodes[*]}" = "$(pods "$1" | xargs)" ]
}
memcached() {
	jq -cn --arg name "$1" --argjson size "$2" '{
		apiVersion: "cache.example.com/v1alpha1", kind: "Memcached",
		metadata: {name: $name, namespace: "default"},
		spec: {size: $size}}'
}

# ---- from nothing to Ready ----

kubectl apply -f "$folder/example.yaml" >/dev/null
ok "the example is there for kubectl wait" kubectl wait --timeout=240s \
	--for=condition=Ready memcached/example
uid=$(kubectl get memcached example -o jsonpath='{.metadata.uid}')
is "$(deployment example '[.metadata.ownerReferences, .spec.replicas,
	.spec.selector.matchLabels, .spec.template.metadata.labels]')" \
	"$(jq -cn --arg uid "$uid" '{app: "memcached", memcached_cr: "example"}
	as $labels | [[{apiVersion: "cache.example.com/v1alpha1",
	kind: "Memcached", name: "example", uid: $uid, controller: true}],
	3, $labels, $labels]')" "its Deployment: owner, size, labels"
is "$(deployment example '.spec.template.spec.containers
	| map({name, image, command, ports: (.ports
	| map({name, containerPort}))})')" \
	'[{"name":"memcached","image":"memcached:1.4.36-alpine","command":["memcached","-m=64","-o","modern","-v"],"ports":[{"name":"memcached","containerPort":11211}]}]' \
	"... and its container"
# Ready is seen of the Deployment, which may come before the last of its pods.
ok "status.nodes: the pods, sorted" wait_for 30 nodes_are_pods example 3
is "$(kubectl get memcached example --no-headers | awk '{print $1, $2, $3, $4}')" \
	"example 3 3 True" "what kubectl get shows"
is "$(kubectl get memcached example -o json | jq -c '.status
	| [(keys), .observedGeneration, .replicas, .selector,
	(.conditions | map([.type, .status, .reason, .message]))]')" \
	'[["conditions","nodes","observedGeneration","replicas","selector"],1,3,"app=memcached,memcached_cr=example",[["Ready","True","Available",""]]]' \
	"the status"

# ---- its size ----

# The condition falls and rises again with the Deployment.
kubectl patch memcached example --type=merge -p '{"spec":{"size":5}}' >/dev/null
ok "a larger size: converged" wait_for 30 nodes_are_pods example 5
ok "... Ready again" wait_for 30 ready example
kubectl scale memcached example --replicas=2 >/dev/null
ok "kubectl scale: converged" wait_for 30 nodes_are_pods example 2
ok "... Ready again" wait_for 30 ready example
is "$(kubectl get --raw "$memcacheds/default/memcacheds/example/scale" |
	jq -c '[.spec, .status]')" \
	'[{"replicas":2},{"replicas":2,"selector":"app=memcached,memcached_cr=example"}]' \
	"... and what an autoscaler reads"
kubectl scale memcached example --replicas=0 >/dev/null
ok "size 0: no pods" wait_for 30 nodes_are_pods example 0
ok "... is Ready" wait_for 30 ready example
kubectl scale memcached example --replicas=3 >/dev/null
ok "... and back" wait_for 30 nodes_are_pods example 3
ok "... Ready again" wait_for 30 ready example

# ---- behind the operator's back ----

deployment example .spec >"$T/spec"
repaired() {
	deployment example .spec >"$T/now"
	cmp -s "$T/now" "$T/spec"
}
kubectl scale deployment example --replicas=7 >/dev/null
ok "the Deployment scaled by hand: repaired" wait_for 30 repaired
kubectl set image deployment/example memcached=other:1 >/dev/null
ok "... another image: repaired" wait_for 30 repaired
kubectl patch deployment example --type=json -p '[
	{"op": "remove", "path": "/spec/template/spec/containers/0/ports"},
	{"op": "remove", "path": "/metadata/ownerReferences"},
	{"op": "replace", "path": "/spec/template/spec/containers/0/command", "value": ["sh"]}]' \
	>/dev/null
# not_ours NAME: what the condition says then
not_ours() {
	echo "cannot apply Deployment.apps default/$1: it exists and is not" \
		"part of Memcached.cache.example.com default/$1"
}
# message_is NAME TEXT: the condition's message begins with that
message_is() {
	[[ $(kubectl get memcached "$1" -o \
		jsonpath='{.status.conditions[0].message}') == "$2"* ]]
}
ok "... its owner reference taken away: not ours any more, and says so" \
	wait_for 30 message_is example "$(not_ours example)"
kubectl delete deployment example >/dev/null
made_again() {
	repaired && ready example && nodes_are_pods example 3
}
ok "deleted: made again, the same" wait_for 60 made_again

# ---- refused by the API server, or by the program ----

refused() {
	kubectl apply -f - 2>"$T/refused" >/dev/null && return 1
	grep -qF "$1" "$T/refused" && return
	quote <"$T/refused"
	return 1
}
ok "a negative size" refused 'should be greater than or equal to 0' \
	< <(memcached bad -1)
ok "a size that is text" refused 'must be of type integer' \
	< <(memcached bad '"3"')
ok "no size" refused 'spec.size: Required value' \
	< <(memcached bad 1 | jq 'del(.spec.size)')
ok "a name that is too long for a label" refused 'may not be' \
	< <(memcached "$(printf 'a%.0s' {1..64})" 1)

# ---- a Deployment of that name that is not ours ----

kubectl create deployment foreign --image=x --replicas=0 >/dev/null
memcached foreign 1 | kubectl apply -f - >/dev/null
ok "a Deployment of that name that is not ours: not Ready, with both names" \
	wait_for 30 message_is foreign "$(not_ours foreign)"
is "$(deployment foreign '[.spec.replicas,
	.spec.template.spec.containers[0].image]')" '[0,"x"]' "... and it is untouched"
kubectl delete memcached foreign >/dev/null
is "$(kubectl get deployment foreign -o name)" deployment.apps/foreign \
	"... and outlives the Memcached"

# ---- many at once ----

audit_mark
for i in $(seq 20); do
	memcached "many-$i" 1
done | kubectl apply -f - >/dev/null
all_ready() {
	[ "$(api "$memcacheds/default/memcacheds" | jq '[.items[]
		| select(.metadata.name | startswith("many-"))
		| select(any(.status.conditions[]?; .status == "True"))
		| select(.status.nodes | length == 1)] | length')" = 20 ]
}
ok "20 at once: all Ready, a node each" wait_for 60 all_ready
is "$(audit_created user1 | awk '$1 > 1')" "" "... nothing created twice"
silent 3 "converged: no write in 3 s"

# ---- deletion ----

# The collector of the real control plane looks for new kinds every 30 s: the
# result is checked at the end.
audit_mark
kubectl delete memcached example >/dev/null
is "$(audit 'select(.user.username == "user1" and .responseStatus.code == 403)
	| tostring')" "" "the rights are enough"
ok "the operator ends with 0" operator_stop
kubectl delete memcacheds --all --wait=false >/dev/null

# ---- one namespace, with the Role there ----

no_rights cluster
kubectl create namespace ops >/dev/null
kubectl create namespace other >/dev/null
ok "the rights in one namespace" operator_rights namespace ops
for namespace in ops other; do
	memcached one 2 | jq --arg n $namespace '.metadata.namespace = $n' |
		kubectl apply -f - >/dev/null
done
export WATCH_NAMESPACE=ops MEMCACHED_IMAGE=cache:9
operator
ok "WATCH_NAMESPACE=ops: the one there is Ready" wait_for 30 ready one ops
is "$(kubectl get deployments -A -o json | jq -r '.items[]
	| select(.metadata.name == "one") | [.metadata.namespace,
	.spec.template.spec.containers[0].image] | join(" ")')" "ops cache:9" \
	"... with the image of MEMCACHED_IMAGE; and none in another namespace"
is "$(kubectl get memcached -n other one -o jsonpath='{.status}')" "" \
	"... nor a status"
ok "the operator ends with 0" operator_stop
memcached_is() {
	kubectl get memcached -n ops "$1" >/dev/null 2>&1 ||
		memcached "$1" 1 | jq '.metadata.namespace = "ops"' |
		kubectl apply -f - >/dev/null
	ready "$1" ops
}
operator_leads ops "a Memcached is Ready" memcached_is
is "$(audit 'select(.user.username == "user1" and .responseStatus.code == 403)
	| tostring')" "" "the rights are enough"
is "$(complaints | sed 's/; .*//')" "$(for name in example foreign; do
	echo "kapply: error: memcached.cache.example.com default/$name: $(not_ours "$name")"
done)" "no other complaints"

gone_with_it() {
	api_gone /apis/apps/v1/namespaces/default/deployments/example
}
ok "the one deleted before: its Deployment went with it" \
	wait_for 40 gone_with_it
is "$(audit_writes user1 | grep 'deployments default/example ')" "" \
	"... and the operator had nothing to do for that"
done_testing
