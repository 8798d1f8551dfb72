#!/bin/bash
# kapply on plain objects: an apply set does not delete what it cannot know, and
# does not forget what it could not list. Fields of kubectl apply are taken over.
# servers: kapi real
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=cluster/lib.sh
. "${0%/*}/cluster/lib.sh"
# shellcheck disable=SC2119
cluster_start

cm() {
	printf '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"%s","namespace":"%s"},"data":{"k":"v"}}\n' "$1" "${2:-default}"
}
ns() {
	printf '{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"%s"}}\n' "$1"
}
urn() {
	printf '{"apiVersion":"p.example.com/v1","kind":"Urn","metadata":{"name":"u","namespace":"%s"}}\n' "$1"
}
# crd SERVED
crd() {
	jq -nc --argjson served "$1" '{apiVersion: "apiextensions.k8s.io/v1",
		kind: "CustomResourceDefinition",
		metadata: {name: "urns.p.example.com"},
		spec: {group: "p.example.com", scope: "Namespaced",
			names: {kind: "Urn", plural: "urns"},
			versions: [{name: "v1", served: $served, storage: true,
				schema: {openAPIV3Schema: {type: "object",
					"x-kubernetes-preserve-unknown-fields": true}}}]}}'
}
apply() {
	kapply -o result --timeout=20s "$@" <"$T/in"
}
results() {
	jq -r '[.kind, .metadata.namespace // "", .metadata.name, .result]
		| join(" ")' "$T/out" | sort
}
kinds() {
	kubectl get secret "$1" -o json |
		jq -r '.metadata.annotations["applyset.kubernetes.io/contains-group-kinds"]'
}

# An input without an object says nothing about what there should be.
{ cm a; cm b; } >"$T/in"
runs 0 "a set" apply --applyset=shop
message="kapply: error: apply set shop: the input has no plain object; --allow-empty deletes all objects of the set"
bookmark='{"type":"BOOKMARK","object":{"apiVersion":"v1","kind":"ConfigMap","metadata":{}}}'
line='{"apiVersion":"v1","kind":"List","items":[],"reconcile":{"primary":{"apiVersion":"v1","kind":"ConfigMap","namespace":"default","name":"p","uid":"u"},"manager":"m"}}'
for input in '' '{"apiVersion":"v1","kind":"List","items":[]}' "$bookmark" "$line"; do
	printf '%s' "$input" >"$T/in"
	runs 1 "the input '${input:0:30}'" apply --applyset=shop
	is "$(cat "$T/out" "$T/err")" "$message" "... is refused"
done
echo '# nothing' >"$T/comment.yaml"
runs 1 "a file of comments" apply --applyset=shop -f "$T/comment.yaml"
is "$(tail -n 1 "$T/err")" "$message" "... is refused"
runs 0 "... all is there" kubectl get configmap/a configmap/b
: >"$T/in"
runs 0 "--allow-empty" apply --applyset=shop --allow-empty
is "$(results)" "ConfigMap default a deleted
ConfigMap default b deleted" "... deletes all of it"
runs 100 "--allow-empty alone" kapply --allow-empty
is "$(head -n 1 "$T/err")" "kapply: fatal: option --allow-empty needs --applyset" \
	"... is refused"

# A Namespace or a definition goes only with what is in it.
{ crd true; ns n2; cm d n2; urn n2; } >"$T/in"
runs 0 "a set with a Namespace and a definition" apply --applyset=deep
{ cm d n2; urn n2; } >"$T/in"
runs 1 "the same without these" apply --applyset=deep
is "$(jq -r 'select(.result == "failed") | .message' "$T/out" | sort)" \
	"not deleted: objects of the input are in it
not deleted: objects of the input are of its kind" "... fails for each"
is "$(sort "$T/err")" "kapply: error: apply set deep: CustomResourceDefinition.apiextensions.k8s.io//urns.p.example.com: not deleted: objects of the input are of its kind
kapply: error: apply set deep: Namespace//n2: not deleted: objects of the input are in it" \
	"... by name"
runs 0 "... and both are there" kubectl get namespace/n2 crd/urns.p.example.com
cm e >"$T/in"
runs 0 "the next run, without any of it" apply --applyset=deep
is "$(results)" "ConfigMap default e created
ConfigMap n2 d deleted
CustomResourceDefinition  urns.p.example.com deleted
Namespace  n2 deleted
Urn n2 u deleted" "... has not forgotten them"
ns n3 >"$T/in"
runs 0 "a Namespace" apply
{ ns n3; cm f n3; } >"$T/in"
runs 0 "a set whose parent is in a Namespace of its own" apply --applyset=inner -n n3
cm f n3 >"$T/in"
runs 1 "... which is left out" apply --applyset=inner -n n3
is "$(cat "$T/err")" "kapply: error: apply set inner: Namespace//n3: not deleted: objects of the input are in it" \
	"... keeps it"
: >"$T/in"
runs 1 "nothing is left" apply --applyset=inner -n n3 --allow-empty
is "$(cat "$T/err")" "kapply: error: apply set inner: Namespace//n3: not deleted: the parent of the set is in it" \
	"... but the Namespace of the parent"

# A kind that is not served for a while is not forgotten.
no_urns() {
	! kubectl get crd/urns.p.example.com >/dev/null 2>&1
}
wait_for 20 no_urns
crd true >"$T/in"
runs 0 "the definition again" apply
{ cm g; urn default; } >"$T/in"
runs 0 "a set with a custom resource" apply --applyset=pause
# Its kind is, or is not, in what the server says of the group.
is_served() {
	kubectl get --raw /apis/p.example.com/v1 >/dev/null 2>&1
}
is_not_served() {
	! is_served
}
crd false >"$T/in"
runs 0 "the kind is not served" apply
wait_for 20 is_not_served
cm g >"$T/in"
runs 1 "a run without the custom resource" apply --applyset=pause
is "$(cat "$T/err")" "kapply: error: apply set pause: Urn.p.example.com is not served: nothing of it is pruned before a run that finds it" \
	"... says that it could not look"
is "$(kinds pause)" ConfigMap,Urn.p.example.com "... and remembers the kind"
crd true >"$T/in"
runs 0 "the kind is served again" apply
wait_for 20 is_served
cm g >"$T/in"
runs 0 "the same run" apply --applyset=pause
is "$(results)" "ConfigMap default g unchanged
Urn default u deleted" "... prunes it"
is "$(kinds pause)" ConfigMap "... and forgets the kind"

# kubectl apply, and then kapply: what the file dropped goes.
cm old | jq -c '.data.legacy = "unused"' >"$T/old.json"
runs 0 "kubectl apply" kubectl apply -f "$T/old.json"
runs 0 "... and a field of another client" kubectl patch configmap old \
	-p '{"data":{"theirs":"1"}}' --field-manager=other
cm old >"$T/in"
runs 0 "kapply with less" apply
is "$(kubectl get configmap old -o json | jq -Sc .data)" '{"k":"v","theirs":"1"}' \
	"... removes what kubectl's file had, and nothing else"
is "$(kubectl get configmap old -o json --show-managed-fields |
	jq -c '[.metadata.managedFields[].manager] | sort')" '["kpipe","other"]' \
	"... and owns it"
is "$(kubectl get configmap old -o json | jq -c '.metadata.annotations')" null \
	"... without the copy of kubectl's file"
runs 0 "again" apply
is "$(results)" "ConfigMap default old unchanged" "... changes nothing"
done_testing
