#!/bin/bash
# kapply adopts objects of another operator, where a set allows it. They are
# like those of the first IoTService operator: a label and no marks, a
# controller reference to a primary in another namespace.
# servers: kapi real
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=cluster/lib.sh
. "${0%/*}/cluster/lib.sh"
# shellcheck source=sets.sh
. "${0%/*}/sets.sh"
# A garbage collector deletes objects with such a reference. That of kapi cannot
# be left out, but does not touch objects without a namespace.
export CLUSTER_CONTROLLERS='*,-garbage-collector-controller'
cluster_start
things_start
uid=$(thing t | jq -r .metadata.uid)
key=Thing.example.com/default/t
part=$(printf %s "$key" | sha256sum | cut -c1-32)

# theirs: creates objects as the former operator did, with a status.
theirs() {
	kubectl create --field-manager=iotservice-operator -f - >/dev/null
}

# marked KEY: adds the marks with that key to the item on stdin
marked() {
	jq -c --arg part "$part" --arg member "$key $1" '.metadata += {
		labels: (.metadata.labels + {"kpipe.dev/part-of": $part}),
		annotations: {"kpipe.dev/member": $member}}'
}

deployment() { # ENV-NAME
	jq -cn --arg env "$1" '{apiVersion: "apps/v1", kind: "Deployment",
	metadata: {name: "core", namespace: "op-t", labels: {instance: "t"}},
	spec: {replicas: 1, selector: {matchLabels: {instance: "t"}},
	template: {metadata: {labels: {instance: "t"}}, spec: {containers: [
		{name: "core", image: "core:1", env: [{name: $env, value: "1"}]}]}}}}'
}

# reference UID: the owner reference of all their objects
reference() {
	jq -cn --arg uid "$1" '[{apiVersion: "example.com/v1alpha1", kind: "Thing",
		name: "t", uid: $uid, controller: true, blockOwnerDeletion: true}]'
}
other=$(kubectl get ns default -o json | jq -c '.metadata
	| {apiVersion: "v1", kind: "Namespace", name, uid}')

no_namespace() {
	! kubectl get ns "$1"
}

theirs <<X
{apiVersion: v1, kind: Namespace, metadata: {name: op-t,
labels: {instance: t, old: "yes"}, ownerReferences: $(reference "$uid")}}
X
kubectl apply --server-side --field-manager=somebody -f - >/dev/null <<X
{apiVersion: v1, kind: Namespace,
metadata: {name: op-t, ownerReferences:
	[$(reference "$uid" | tr -d '[]'), $other]}}
X
deployment OLD | jq --argjson owner "$(reference "$uid")" \
	--arg server "$SERVER" '.metadata.annotations = {left: "over"}
	| if $server == "real" then .metadata.ownerReferences = $owner
	else . end' | theirs
kubectl patch -n op-t deployment core --subresource=status --type=merge \
	--field-manager=kube-controller-manager \
	-p '{"status":{"observedGeneration":1}}' >/dev/null
kubectl label -n op-t deployment core --field-manager=iotservice-operator-2 \
	second=write >/dev/null
kubectl annotate -n op-t deployment core --field-manager=kube-controller-manager \
	kept=yes >/dev/null

ns=$(echo '{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"op-t","labels":{"instance":"t"}}}' |
	marked Namespace//op-t)
core=$(deployment NEW | marked Deployment.apps/op-t/core)
both=$(jq -cn --argjson a "$ns" --argjson b "$core" '[$a, $b]')

# --- not unless the set asks for it
set_line "$both" '{"onError":{"reason":"${error}"}}' >"$T/in"
runs 1 "nothing is adopted unasked" kapply_line
is "$(<"$T/err")" 'kapply: error: thing.example.com default/t: cannot apply Namespace op-t: it exists and is not part of Thing.example.com default/t; it is not taken over, since watches.yaml has no "adopt"' \
	"... nor is the line offered for a Namespace"

# --- a label of another instance, another key
set_line "$both" '{"adopt":"component"}' >"$T/in"
runs 1 "nor by a label that it has not" kapply_line
is "$(<"$T/err")" 'kapply: error: thing.example.com default/t: cannot apply Namespace op-t: it exists and is not part of Thing.example.com default/t; to be adopted it needs the label component=t' \
	"... the message names the label"
kubectl label ns op-t instance=u --overwrite >/dev/null
set_line "$both" '{"adopt":"instance"}' >"$T/in"
runs 1 "nor what is another instance's" kapply_line
kubectl label ns op-t instance=t --overwrite >/dev/null

# --- a dry run
runs 0 "a dry run says what would be" kapply_line --dry-run=server
is "$(kubectl get ns op-t -o json | jq -c '.metadata | [.labels.old, .annotations]')" \
	'["yes",null]' "... and changes nothing"
is "$(kubectl get events -o json | grep -c '"reason": "Adopted"')" 0 "... nor says it in an Event"
is "$(kubectl get ns op-t -o json | jq -c '[.metadata.ownerReferences[].name]')" \
	'["t","default"]' "... the references are there"

# --- adopted
set_line "$both" '{"adopt":"instance","because":{"events":[{"type":"ADDED",
	"apiVersion":"v1","kind":"Node","name":"n"}]}}' >"$T/in"
runs 0 "adopted by the label" kapply_line -o result
is "$(jq -r '.kind + " " + .result' "$T/out")" "Namespace configured
Deployment configured" "... both"
is "$(<"$T/err")" "kapply: thing.example.com default/t: Namespace op-t: adopted, by its label instance=t
kapply: thing.example.com default/t: Deployment.apps op-t/core: adopted, by its label instance=t" \
	"... said once for each"
is "$(kubectl get ns op-t -o json | jq -c '.metadata | [.labels.old,
	.labels["kpipe.dev/part-of"], .annotations["kpipe.dev/member"]]')" \
	"[null,\"$part\",\"$key Namespace//op-t\"]" \
	"the namespace has our marks, and a label that is not desired is gone"
is "$(kubectl get -n op-t deployment core -o json | jq -c '[
	.metadata.annotations.left, .metadata.labels.second,
	.metadata.annotations.kept,
	[.spec.template.spec.containers[0].env[].name],
	.spec.strategy.type, .spec.progressDeadlineSeconds]')" \
	'[null,null,"yes",["NEW"],"RollingUpdate",600]' \
	"what its operator and its successor wrote is gone, Kubernetes' own is not"
is "$(kubectl get ns op-t -o json | jq -c .metadata.ownerReferences)" "[$other]" \
	"the reference to the primary is gone, another one is not"
is "$(kubectl get -n op-t deployment core -o json |
	jq -c .metadata.ownerReferences)" null "... nor is it in a namespace"
is "$(kubectl get -n op-t deployment core --show-managed-fields -o json |
	jq -c '[.metadata.managedFields[]
	| select(.manager != "kube-controller-manager")
	| [.manager, .operation, .subresource]]')" \
	'[["kpipe-thing.example.com","Apply",null]]' \
	"no field is a former manager's"
is "$(kubectl get -n op-t deployment core -o json --show-managed-fields |
	jq '[.metadata.managedFields[] | select(.subresource == "status")] | length > 0')" \
	true "... the status is still its controller's"
is "$(kubectl get events -o json | jq -c '[.items[]
	| select(.reason == "Adopted") | [.type, .message, .count]] | sort')" \
	'[["Normal","Deployment.apps op-t/core: adopted, by its label instance=t (after ADDED Node n)",1],["Normal","Namespace op-t: adopted, by its label instance=t (after ADDED Node n)",1]]' \
	"Events say so"

# --- from before the API server kept managedFields
kubectl create -f - >/dev/null <<X
{apiVersion: v1, kind: ConfigMap, metadata: {name: ancient, namespace: op-t,
labels: {instance: t, old: "yes"}}, data: {k: "0", old: "1"}}
X
kubectl patch -n op-t cm ancient --type=json -p '[{"op": "replace",
	"path": "/metadata/managedFields", "value": [{}]}]' >/dev/null
set_line "$(cm ancient 1 | jq -c '[.[0] | .metadata.namespace = "op-t"]' |
	jq -c '.[0]' | marked ConfigMap/op-t/ancient | jq -c '[.]')" \
	'{"adopt":"instance"}' >"$T/in"
runs 0 "adopted without managedFields" kapply_line
is "$(kubectl get -n op-t cm ancient -o json --show-managed-fields | jq -c '[.data,
	.metadata.labels.old, [.metadata.managedFields[].manager]]')" \
	'[{"k":"1"},null,["kpipe-thing.example.com"]]' "... wholly"

# --- then it is a member like any other
set_line "$both" '{"adopt":"instance"}' >"$T/in"
runs 0 "once more" kapply_line
is "$(<"$T/err")" "" \
	"... it is a member now"

# --- never: an object with another controller, or of another primary
u=$(thing u | jq -r .metadata.uid)
theirs <<X
{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"rs","namespace":"default","labels":{"instance":"t"},
"ownerReferences":[{"apiVersion":"example.com/v1","kind":"Thing","name":"u","uid":"$u","controller":true}]}}
X
theirs <<'X'
{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"op-x","labels":{"instance":"t"},
"annotations":{"kpipe.dev/member":"Thing.example.com/default/x Namespace//op-x"}}}
X
set_line "$(cm rs 1)" '{"adopt":"instance"}' >"$T/in"
runs 1 "what another controller owns is not adopted" kapply_line
is "$(<"$T/err")" "kapply: error: thing.example.com default/t: cannot apply ConfigMap default/rs: it exists and is not part of Thing.example.com default/t but of Thing u" \
	"... and it is named"
set_line "$(echo '{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"op-x"}}' |
	marked Namespace//op-x | jq -c '[.]')" '{"adopt":"instance"}' >"$T/in"
runs 1 "nor a member of another primary" kapply_line

# --- nor an object with a reference to the primary that is not allowed
for ref in "$(reference other)" \
	"$(reference "$uid" | jq -c '.[0].apiVersion = "example.org/v1"')" \
	"$(reference "$uid" | jq -c '.[0].name = "u"')" \
	"$(reference "$uid" | jq -c '.[0].kind = "Gadget"')"; do
	theirs <<X
{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"op-y",
"labels":{"instance":"t"},"ownerReferences":$ref}}
X
	set_line "$(echo '{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"op-y"}}' |
		marked Namespace//op-y | jq -c '[.]')" '{"adopt":"instance"}' >"$T/in"
	runs 1 "nor what refers to another: $(echo "$ref" | cut -c3-64)" kapply_line
	ok "... it is named" grep -q "but of $(echo "$ref" |
		jq -r '.[0] | .kind + " " + .name')\$" "$T/err"
	kubectl delete ns op-y --wait=false >/dev/null
	wait_for 20 no_namespace op-y
done

# --- in the namespace of the primary, made by client-side apply
kubectl apply -f - >/dev/null <<'X'
{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"csa","namespace":"default","labels":{"instance":"t"}},"data":{"k":"1","gone":"2"}}
X
set_line "$(cm csa 1)" '{"adopt":"instance"}' >"$T/in"
runs 0 "what client-side apply made is adopted" kapply_line
is "$(kubectl get cm csa -o json | jq -c '[.data, .metadata.labels,
	.metadata.annotations, .metadata.ownerReferences[0].name]')" \
	'[{"k":"1"},null,null,"t"]' "... wholly"

# --- a member whose owner reference was removed does not say whose it was
lost() { # VALUE
	cm lost "$1" | jq -c '.[0].metadata.annotations["kpipe.dev/paths"] = "x"'
}
set_line "$(lost 1)" >"$T/in"
runs 0 "a member" kapply_line
kubectl patch cm lost --type=json \
	-p '[{"op":"remove","path":"/metadata/ownerReferences"}]' >/dev/null
before=$(kubectl get cm lost -o json | jq -r .metadata.resourceVersion)
set_line "$(lost 2)" >"$T/in"
runs 1 "... without its owner reference is foreign" kapply_line
is "$(<"$T/err")" 'kapply: error: thing.example.com default/t: cannot apply ConfigMap default/lost: it exists and is not part of Thing.example.com default/t; an operator made it, and its owner reference was removed: put that back, or delete the object' \
	"... and the message says what to do"
is "$(kubectl get cm lost -o json | jq -r .metadata.resourceVersion)" \
	"$before" "... it stays as it is"
done_testing
