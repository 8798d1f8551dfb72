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
	kapply -o result --timeout=20s "$@"
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
runs 0 "a set" apply --applyset=shop < <(cm a; cm b)
message="kapply: error: apply set shop: the input has no plain object; --allow-empty deletes all objects of the set"
bookmark='{"type":"BOOKMARK","object":{"apiVersion":"v1","kind":"ConfigMap","metadata":{}}}'
line='{"apiVersion":"v1","kind":"List","items":[],"reconcile":{"primary":{"apiVersion":"v1","kind":"ConfigMap","namespace":"default","name":"p","uid":"u"},"manager":"m"}}'
for input in '' '{"apiVersion":"v1","kind":"List","items":[]}' "$bookmark" "$line"; do
	printf '%s' "$input" >"$T/in"
	runs 1 "the input '${input:0:30}'" apply --applyset=shop <"$T/in"
	is "$(cat "$T/out" "$T/err")" "$message" "... is refused"
done
echo '# nothing' >"$T/comment.yaml"
runs 1 "a file of comments" apply --applyset=shop -f "$T/comment.yaml" <"$T/in"
is "$(tail -n 1 "$T/err")" "$message" "... is refused"
runs 0 "... all is there" kubectl get configmap/a configmap/b
runs 0 "--allow-empty" apply --applyset=shop --allow-empty </dev/null
is "$(results)" "ConfigMap default a deleted
ConfigMap default b deleted" "... deletes all of it"
runs 100 "--allow-empty alone" kapply --allow-empty
is "$(head -n 1 "$T/err")" "kapply: fatal: option --allow-empty needs --applyset" \
	"... is refused"

# A Namespace or a definition goes only with what is in it.
{ crd true; ns n2; cm d n2; urn n2; } >"$T/in"
runs 0 "a set with a Namespace and a definition" apply --applyset=deep <"$T/in"
runs 1 "the same without these" apply --applyset=deep < <(cm d n2; urn n2)
is "$(jq -r 'select(.result == "failed") | .message' "$T/out" | sort)" \
	"not deleted: objects of the input are in it
not deleted: objects of the input are of its kind" "... fails for each"
is "$(sort "$T/err")" "kapply: error: apply set deep: CustomResourceDefinition.apiextensions.k8s.io//urns.p.example.com: not deleted: objects of the input are of its kind
kapply: error: apply set deep: Namespace//n2: not deleted: objects of the input are in it" \
	"... by name"
runs 0 "... and both are there" kubectl get namespace/n2 crd/urns.p.example.com
runs 0 "the next run, without any of it" apply --applyset=deep < <(cm e)
is "$(results)" "ConfigMap default e created
ConfigMap n2 d deleted
CustomResourceDefinition  urns.p.example.com deleted
Namespace  n2 deleted
Urn n2 u deleted" "... has not forgotten them"
runs 0 "a Namespace" apply < <(ns n3)
{ ns n3; cm f n3; } >"$T/in"
runs 0 "a set whose parent is in a Namespace of its own" apply --applyset=inner -n n3 <"$T/in"
runs 1 "... which is left out" apply --applyset=inner -n n3 < <(cm f n3)
is "$(<"$T/err")" "kapply: error: apply set inner: Namespace//n3: not deleted: objects of the input are in it" \
	"... keeps it"
runs 1 "nothing is left" apply --applyset=inner -n n3 --allow-empty </dev/null
is "$(<"$T/err")" "kapply: error: apply set inner: Namespace//n3: not deleted: the parent of the set is in it" \
	"... but the Namespace of the parent"

# What an operator made is its own, though the operator has copied the label of
# its primary.
cm made | jq -c '.metadata.annotations["kpipe.dev/paths"] = "p"' >"$T/in"
runs 0 "a member of an operator" apply --field-manager=kpipe-thing.example.com <"$T/in"
uid=$(kubectl get configmap made -o jsonpath='{.metadata.uid}')
runs 1 "a set with its name" apply --applyset=mixed < <(cm made; cm own)
is "$(head -n 1 "$T/err")" "kapply: error: cannot apply ConfigMap default/made: an operator made it: leave it out of the apply set" \
	"... is refused"
kubectl label configmap made applyset.kubernetes.io/part-of="$(kubectl get secret mixed -o json |
	jq -r '.metadata.labels["applyset.kubernetes.io/id"]')" >/dev/null
runs 0 "the set without it" apply --applyset=mixed < <(cm e2)
is "$(results)" "ConfigMap default e2 created
ConfigMap default own deleted" "... prunes what is its own"
is "$(<"$T/err")" "kapply: warning: apply set mixed: ConfigMap/default/made stays, for an operator made it: remove its label applyset.kubernetes.io/part-of" \
	"... and names the operator's"
is "$(kubectl get configmap made -o jsonpath='{.metadata.uid}')" "$uid" \
	"... which is the same"

# The parent may be in its own set, and its definition; what another set
# remembers stays, too.
{ ns own; cm g1; } >"$T/in"
runs 0 "a set with its parent in it" apply --applyset=namespaces/own --force-conflicts <"$T/in"
runs 1 "... which is left out" apply --applyset=namespaces/own < <(cm g1)
is "$(<"$T/err")" "kapply: error: apply set namespaces/own: Namespace//own: not deleted: it is the parent of the set" \
	"... stays"
crd true | jq -c '.metadata.name = "pots.q.example.com" | .spec.group = "q.example.com" | .spec.names = {kind: "Pot", plural: "pots"}
	| .metadata.labels = {"applyset.kubernetes.io/is-parent-type": "true"}' >"$T/in"
cm g2 >>"$T/in"
runs 0 "a definition" apply <"$T/in"
runs 0 "... of the parent, in its set" apply --applyset=pots.q.example.com/p <"$T/in"
runs 1 "... which is left out" apply --applyset=pots.q.example.com/p < <(cm g2)
is "$(<"$T/err")" "kapply: error: apply set pots.q.example.com/p: CustomResourceDefinition.apiextensions.k8s.io//pots.q.example.com: not deleted: the parent of the set is of its kind" \
	"... stays"
kubectl get secret shop -o json | jq -c '{apiVersion, kind,
	metadata: {name: "shop", namespace: "default"}}' >"$T/in"
cm g3 >>"$T/in"
runs 0 "the parent of another set" apply --applyset=outer <"$T/in"
runs 1 "... which is left out" apply --applyset=outer < <(cm g3)
is "$(<"$T/err")" "kapply: error: apply set outer: Secret/default/shop: not deleted: it is the parent of another apply set, which would forget its objects" \
	"... stays"

# One object is in one set.
runs 0 "a set" apply --applyset=one < <(cm shared; cm one)
{ cm shared; cm two; } >"$T/in"
for more in -onone --force-conflicts; do
	runs 1 "another with an object of it, $more" apply --applyset=two $more <"$T/in"
	is "$(head -n 1 "$T/err" | sed 's/=applyset-.* first/=ID first/')" "kapply: error: cannot apply ConfigMap default/shared: it is in another apply set: leave it out of this one, or remove its label applyset.kubernetes.io/part-of=ID first" \
		"... is refused"
done
runs 0 "the first without it" apply --applyset=one < <(cm one)
is "$(results)" "ConfigMap default one unchanged
ConfigMap default shared deleted" "... has it still"

# A kind that is not served for a while is not forgotten.
no_urns() {
	! kubectl get crd/urns.p.example.com >/dev/null 2>&1
}
wait_for 20 no_urns
runs 0 "the definition again" apply < <(crd true)
runs 0 "a set with a custom resource" apply --applyset=pause < <(cm g; urn default)
# Its kind is, or is not, in what the server says of the group.
is_served() {
	kubectl get --raw /apis/p.example.com/v1 >/dev/null 2>&1
}
is_not_served() {
	! is_served
}
runs 0 "the kind is not served" apply < <(crd false)
wait_for 20 is_not_served
runs 1 "a run without the custom resource" apply --applyset=pause < <(cm g)
is "$(<"$T/err")" "kapply: error: apply set pause: Urn.p.example.com is not served: nothing of it is pruned before a run that finds it; if its definition is gone for good, and all its objects with it, remove it from the annotation applyset.kubernetes.io/contains-group-kinds of the parent" \
	"... says that it could not look"
is "$(kinds pause)" ConfigMap,Urn.p.example.com "... and remembers the kind"
runs 0 "the kind is served again" apply < <(crd true)
wait_for 20 is_served
runs 0 "the same run" apply --applyset=pause < <(cm g)
is "$(results)" "ConfigMap default g unchanged
Urn default u deleted" "... prunes it"
is "$(kinds pause)" ConfigMap "... and forgets the kind"

# What another finalizer holds is neither applied nor gone.
runs 0 "a set" apply --applyset=hold < <(cm held; cm free)
runs 0 "... one object gets a finalizer" kubectl patch configmap held --type=merge \
	-p '{"metadata":{"finalizers":["x.example.com/hold"]}}'
runs 0 "... which is left out" apply --applyset=hold < <(cm free)
is "$(jq -r 'select(.result == "deleted") | .message' "$T/out")" \
	"it waits for its finalizers x.example.com/hold" "... is deleted"
is "$(<"$T/err")" "kapply: apply set hold: ConfigMap/default/held: it waits for its finalizers x.example.com/hold" \
	"... as far as it can be, the log says"
{ cm held; cm free; } >"$T/in"
runs 1 "with it again" apply --timeout=1s --applyset=hold <"$T/in"
grep -o "cannot apply ConfigMap default/held: it is being deleted: it waits.*" "$T/err" |
	head -n 1 >"$T/why"
is "$(<"$T/why")" "cannot apply ConfigMap default/held: it is being deleted: it waits for its finalizers x.example.com/hold" \
	"... it is not applied"
runs 1 "... nor without a set, in a dry run" apply --dry-run=server <"$T/in"
start bash -c "exec kapply -o result --log-level=debug --timeout=600s \
	--applyset=hold <'$T/in' >'$T/out' 2>'$T/waits.err'"
waiter=$!
wait_for 30 grep -q "it is being deleted" "$T/waits.err"
runs 0 "the finalizer is removed" bash -c 'exec kubectl patch configmap held \
	--type=merge -p "{\"metadata\":{\"finalizers\":null}}" >/dev/null'
wait "$waiter"
is $? 0 "... a run that has waited for that ends well"
is "$(kubectl get configmap held -o json | jq -c .metadata.deletionTimestamp)" \
	null "... and has applied it"

# A parent that was robbed of what it remembers.
runs 0 "a set" apply --applyset=robbed < <(cm kept; cm lost n3)
id=$(kubectl get secret robbed -o json |
	jq -r '.metadata.labels["applyset.kubernetes.io/id"]')
cm kept >"$T/in"
for note in contains-group-kinds additional-namespaces; do
	kubectl annotate secret robbed "applyset.kubernetes.io/$note-" >/dev/null
	runs 1 "its parent has no $note" apply --applyset=robbed <"$T/in"
	is "$(sed 's/, as in .*//' "$T/err")" "kapply: error: apply set robbed: the parent lacks its annotation applyset.kubernetes.io/$note: write it again, with the $(
		[ "$note" = contains-group-kinds ] && echo kinds || echo namespaces
	) of all objects that have the label applyset.kubernetes.io/part-of=$id" "... says what to do"
	kubectl annotate secret robbed "applyset.kubernetes.io/$note=$(
		[ "$note" = contains-group-kinds ] && echo ConfigMap || echo n3
	)" >/dev/null
done
runs 0 "with both again" apply --applyset=robbed <"$T/in"
is "$(results)" "ConfigMap default kept unchanged
ConfigMap n3 lost deleted" "... nothing is left behind"

# kubectl apply, and then kapply: what the file dropped goes.
cm old | jq -c '.data.legacy = "unused"' >"$T/old.json"
runs 0 "kubectl apply" kubectl apply -f "$T/old.json"
runs 0 "... and a field of another client" kubectl patch configmap old \
	-p '{"data":{"theirs":"1"}}' --field-manager=other
cm old >"$T/in"
runs 0 "kapply with less" apply <"$T/in"
is "$(kubectl get configmap old -o json | jq -Sc .data)" '{"k":"v","theirs":"1"}' \
	"... removes what kubectl's file had, and nothing else"
is "$(kubectl get configmap old -o json --show-managed-fields |
	jq -c '[.metadata.managedFields[].manager] | sort')" '["kpipe","other"]' \
	"... and owns it"
is "$(kubectl get configmap old -o json | jq -c '.metadata.annotations')" null \
	"... without the copy of kubectl's file"
runs 0 "again" apply <"$T/in"
is "$(results)" "ConfigMap default old unchanged" "... changes nothing"

# Two runs at once: neither makes the parent forget what the other has applied.
# The first one waits for a Namespace.
{ cm first; cm waits later; } >"$T/first"
start bash -c "exec kapply --timeout=600s --applyset=shared <'$T/first' \
	>'$T/first.out' 2>'$T/first.err'"
first=$!
begun() {
	kinds shared 2>/dev/null | grep -q ConfigMap
}
ok "a run that waits" wait_for 30 begun
echo '{"apiVersion":"v1","kind":"Service","metadata":{"name":"second","namespace":"default"},"spec":{"ports":[{"port":1}]}}' \
	>"$T/in"
runs 0 "... another one at the same time" apply --applyset=shared <"$T/in"
kubectl create namespace later >/dev/null
wait "$first"
is "$? $(tail -n 1 "$T/first.err")" \
	"1 kapply: error: apply set shared: another run has changed it meanwhile: run again, one at a time" \
	"... the first one says so"
is "$(kinds shared)" "ConfigMap,Service" "... the parent knows both kinds"
runs 0 "alone" apply --applyset=shared < <(cm first)
is "$(results)" "ConfigMap default first created
ConfigMap later waits deleted
Service default second deleted" "... it prunes what both have left"
is "$(kinds shared)" "ConfigMap" "... and forgets it"
done_testing
