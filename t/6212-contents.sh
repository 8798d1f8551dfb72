#!/bin/bash
# A Namespace and a CustomResourceDefinition that an operator drops stay while
# members of another instance, or retained ones, would be deleted with them; also
# when the primary is deleted.
# servers: kapi real
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=cluster/lib.sh
. "${0%/*}/cluster/lib.sh"
# shellcheck source=sets.sh
. "${0%/*}/sets.sh"
cluster_start

things_watches 'finalizer: example.com/f' 'dependents:' \
	'- {apiVersion: v1, kind: Namespace, manage: true}' \
	'- {apiVersion: v1, kind: ConfigMap, manage: true, namespaces: []}' \
	'- {apiVersion: v1, kind: Secret, manage: true, namespaces: [], retain: true}' \
	'- {apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, manage: true}' \
	'- {apiVersion: example.com/v1, kind: Bar, scope: Namespaced, optional: true, manage: true, namespaces: []}'
cat >"$T/reconcile.jq" <<'END'
include "operator";
def bars: {apiVersion: "apiextensions.k8s.io/v1",
	kind: "CustomResourceDefinition", metadata: {name: "bars.example.com"},
	spec: {group: "example.com", scope: "Namespaced",
		names: {kind: "Bar", plural: "bars", singular: "bar", listKind: "BarList"},
		versions: [{name: "v1", served: true, storage: true,
		schema: {openAPIV3Schema: {type: "object",
			"x-kubernetes-preserve-unknown-fields": true}}}]}};
def desired: [
	(select(.primary.spec.room)
		| {apiVersion: "v1", kind: "Namespace", metadata: {name: "room"}}),
	(select(.primary.spec.bars) | bars),
	(.primary.spec.bar // empty
		| {apiVersion: "example.com/v1", kind: "Bar", metadata: {name: .}, spec: {}}),
	(.primary.spec.cm // empty
		| {apiVersion: "v1", kind: "ConfigMap", metadata: {name: ., namespace: "room"}}),
	(.primary.spec.kept // empty
		| {apiVersion: "v1", kind: "Secret", metadata: {name: ., namespace: "room"}}
		| retain(.))];
def status: {error: .error};
END
things_start
for x in x y; do
	kubectl create namespace "n$x" >/dev/null
	OPERATOR_NAME=$x start kpipe -f "$T/watches.yaml" -n "n$x" 2>"$T/log.$x"
done
thing() { # NAME SPEC
	printf '{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"%s","namespace":"n%s"},"spec":%s}' \
		"$1" "$1" "$2" | kubectl apply -f - >/dev/null
}
# says WHAT: the status and an Event of Thing x, once it is in the log
says() {
	[[ $(<"$T/log.x") == *"$1"* ]] &&
		[[ "$(kubectl get thing x -n nx -o json | jq -r .status.error)" == *"$1"* ]] &&
		[[ "$(kubectl get events -n nx -o json |
			jq -r '.items[] | select(.reason == "Kept") | .message')" == *"$1"* ]]
}
uid() { kubectl get "$@" -o json 2>/dev/null | jq -r '.metadata | select(.deletionTimestamp == null) | .uid'; }
gone() { kubectl wait --for=delete --timeout=60s "$@"; }

thing x '{"room":true,"bars":true,"cm":"of-x"}'
wait_for 40 kubectl get configmap of-x -n room
wait_for 40 kubectl get bars -A
thing y '{"cm":"of-y","bar":"of-y"}'
wait_for 40 kubectl get configmap of-y -n room
wait_for 40 kubectl get bar of-y -n ny
room=$(uid namespace room)
bars=$(uid crd bars.example.com)
of_its_kind="CustomResourceDefinition.apiextensions.k8s.io//bars.example.com is not desired any more, but Bar.example.com/ny/of-y of another instance of the operator is of its kind"

# Mostly before kwatch has found the kind, for which it looks every 5 s.
thing x '{"room":true,"cm":"of-x"}'
ok "a CustomResourceDefinition that is dropped at once, with an object of another instance: the status and an Event say why it stays" \
	wait_for 40 says "$of_its_kind"
is "$(uid crd bars.example.com)" "$bars" "... it does"

thing x '{"bars":true}'
wait_for 40 gone configmap/of-x -n room
ok "a Namespace with a member of another instance: the status and an Event say why it stays" \
	wait_for 40 says "Namespace//room is not desired any more, but ConfigMap/room/of-y of another instance of the operator is in it"
thing x '{"room":true}'
ok "... and a CustomResourceDefinition" wait_for 40 says "$of_its_kind"
kubectl delete thing x -n nx --wait=false >/dev/null
ok "the primary is deleted: the same" \
	wait_for 40 says "Namespace//room is to be deleted, but ConfigMap/room/of-y"
is "$(uid namespace room) $(uid crd bars.example.com)" "$room $bars" "both stay"
is "$(uid thing y -n ny | wc -l) $(kubectl get configmap of-y -n room -o name)" \
	"1 configmap/of-y" "... with what is in them"
thing y '{}'
wait_for 60 gone thing/x -n nx
wait_for 40 gone namespace/room
ok "they go when the other has dropped its own" \
	wait_for 40 gone crd/bars.example.com

# ---- what a Namespace waits for ----

thing x '{"room":true}'
wait_for 60 kubectl get namespace room
printf '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"held","namespace":"room","finalizers":["example.com/hold"]}}' |
	kubectl apply -f - >/dev/null
thing x '{}'
waits() {
	[[ $(<"$T/log.x") == *"Namespace//room is being deleted, and waits: "* ]] &&
		kubectl get events -n nx -o json | jq -r '.items[] |
		select(.reason == "WaitsForFinalizer") | .message' |
		grep -q '^Namespace//room is being deleted, and waits: .*example.com/hold in 1'
}
ok "a Namespace that is terminating: an Event names the finalizer of what is in it" \
	wait_for 60 waits
kubectl patch configmap held -n room --type=merge \
	-p '{"metadata":{"finalizers":null}}' >/dev/null
wait_for 60 gone namespace/room

# ---- retained ----

thing x '{"room":true,"kept":"volume"}'
wait_for 60 kubectl get secret volume -n room
thing x '{"room":true}'
room=$(uid namespace room)
thing x '{}'
ok "a Namespace with a retained member" \
	wait_for 40 says "Secret/room/volume, which is retained, is in it, and would be deleted with it: retain both, or delete that"
kubectl delete thing x -n nx --wait=false >/dev/null
wait_for 40 says "Namespace//room is to be deleted, but Secret/room/volume, which is retained"
is "$(uid namespace room) $(kubectl get secret volume -n room -o name)" \
	"$room secret/volume" "... stays when its primary is deleted"
kubectl delete secret volume -n room >/dev/null
ok "... until that is deleted" wait_for 60 gone thing/x -n nx
done_testing
