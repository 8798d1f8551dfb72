#!/bin/bash
# kapply --applyset on an API server: what is pruned, what is not, and that
# kubectl can continue with the same set.
# servers: kapi real: kubectl goes on with the set
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
apply() {
	kapply -o result --timeout=10s --applyset=shop "$@" <"$T/in"
}
results() {
	jq -r '[.kind, .metadata.namespace // "", .metadata.name, .result]
		| join(" ")' "$T/out" | sort
}
parent() {
	kubectl get secret shop -o json | jq -c '.metadata |
		[.labels, .annotations][] | with_entries(.key |= ltrimstr("applyset.kubernetes.io/"))'
}
# From kubectl's own test: sha256("shop.default.Secret.")
id=applyset-$(printf 'shop.default.Secret.' | openssl dgst -sha256 -binary |
	base64 | tr '+/' '-_' | tr -d '=')-v1

{ cm a; cm b; ns n1; cm c n1; } >"$T/in"
runs 0 "a new set" apply
is "$(results)" "ConfigMap default a created
ConfigMap default b created
ConfigMap n1 c created
Namespace  n1 created" "... is created"
is "$(parent)" '{"id":"'"$id"'"}
{"additional-namespaces":"n1","contains-group-kinds":"ConfigMap,Namespace","tooling":"kpipe/v0.1.0"}' \
	"... the parent knows kinds and namespaces"
is "$(kubectl get cm a -o json | jq -c .metadata.labels)" \
	'{"applyset.kubernetes.io/part-of":"'"$id"'"}' "... members have its label"
kubectl create configmap stranger >/dev/null

{ cm a; ns n1; echo '{"apiVersion":"v1","kind":"Service","metadata":{"name":"s"},"spec":{"ports":[{"port":1}]}}'; } >"$T/in"
runs 0 "fewer objects, and another kind" apply
is "$(results)" "ConfigMap default a unchanged
ConfigMap default b deleted
ConfigMap n1 c deleted
Namespace  n1 unchanged
Service default s created" "... what is not there any more is deleted"
runs 0 "... an object of another tool stays" kubectl get cm stranger
is "$(parent | tail -n 1)" '{"additional-namespaces":"","contains-group-kinds":"ConfigMap,Namespace,Service","tooling":"kpipe/v0.1.0"}' \
	"... the parent forgets"

cm a >"$T/in"
runs 0 "a dry run" apply --dry-run=server
is "$(results)" "ConfigMap default a unchanged
Namespace  n1 deleted
Service default s deleted" "... says what would go"
runs 0 "... and deletes nothing" kubectl get service/s namespace/n1

{ cm a; echo '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"b"},"dta":1}'; } >"$T/in"
runs 1 "an object that fails" apply
is "$(tail -n 1 "$T/err")" "kapply: error: apply set shop: nothing is pruned, for not all was applied" "... stops the pruning"
runs 0 "... nothing is deleted" kubectl get service/s namespace/n1
{ cm a; echo '{"bad'; } >"$T/in"
runs 1 "a bad line" apply
is "$(tail -n 1 "$T/err")$(<"$T/out")" "kapply: error: apply set shop: nothing is applied, for the input has bad lines" "... stops all"
cm a | jq -c '.metadata.labels = {"applyset.kubernetes.io/part-of": "x"}' >"$T/in"
runs 1 "a member of another set" apply
is "$(<"$T/err")" "kapply: error: apply set shop: ConfigMap/default/a has the label applyset.kubernetes.io/part-of already" "... is refused"

# A set of another tool is left alone; a ConfigMap as parent.
kubectl create configmap theirs >/dev/null
cm a >"$T/in"
runs 1 "a parent of another set" kapply --applyset=configmaps/theirs <"$T/in"
is "$(<"$T/err")" "kapply: error: apply set configmaps/theirs: the parent exists, and its label applyset.kubernetes.io/id is not that of this set" "... is refused"
runs 1 "a parent of no known kind" kapply --applyset=nothings/x <"$T/in"
runs 0 "a ConfigMap as parent" kapply --applyset=cm/mine -n n1 <<<'{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"of-mine"}}'
is "$(kubectl get cm mine -n n1 -o json | jq -r '.metadata.labels[]')" \
	"applyset-$(printf 'mine.n1.ConfigMap.' | openssl dgst -sha256 -binary | base64 | tr '+/' '-_' | tr -d '=')-v1" "... is one"

# kubectl takes the set over, when the parent says that it is kubectl's.
kubectl annotate secret shop --overwrite applyset.kubernetes.io/tooling=kubectl/v1.36 >/dev/null
runs 1 "the set of kubectl" apply
is "$(<"$T/err")" "kapply: error: apply set shop belongs to other tooling (annotation applyset.kubernetes.io/tooling)" "... is left alone"
with_kubectl || done_testing
runs 0 "kubectl goes on with the set" env KUBECTL_APPLYSET=true kubectl apply \
	--server-side --force-conflicts --prune --applyset=shop -n default -f "$T/in"
is "$(grep -c pruned "$T/out")" 2 "... and prunes what kapply applied"
runs 1 "... the Service is gone" kubectl get service s
done_testing
