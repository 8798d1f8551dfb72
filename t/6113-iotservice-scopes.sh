#!/bin/bash
# IoTService on an API server: two landscapes side by side; refusals.
# servers: kapi real
# check-all: more of the pipelines
. "${0%/*}/lib.sh"
. "${0%/*}/iot.sh"

iot_cluster
iot_namespace dev
iot_namespace prod
kc create secret generic image-pull-secret -n prod --dry-run=client -o json \
	--type=kubernetes.io/dockerconfigjson \
	--from-literal='.dockerconfigjson={"auths":{"prod":{}}}' |
	kc replace -f - >/dev/null

# ---- one operator: the instances of the other are not touched ----

iot_operator dev
dev=$operator
iot_create dev example
iot_create prod example '.spec.cockpit.size = 2'
ok "dev's instance is Available" wait_for 60 iot_is dev example Available
is "$(kc get iot -n prod example -o json | jq -c \
	'[.status, .metadata.finalizers]')" "[null,null]" \
	"prod's instance was not touched"
is "$(kc get namespaces -o name | grep -- -example)" namespace/dev-example \
	"... and has no namespace"

# ---- two operators, the same instance id ----

iot_operator prod
prod=$operator
ok "prod's instance is Available" wait_for 60 iot_is prod example Available
is "$(kc get deployments -A -o json | jq -r '.items[]
	| select(.metadata.name == "cockpit-example")
	| "\(.metadata.namespace) \(.spec.replicas)"')" \
	"dev-example 1
prod-example 2" "each has its own objects"
is "$(kc get secret -n prod-example image-pull-secret \
	-o 'jsonpath={.data.\.dockerconfigjson}' | base64 -d)" \
	'{"auths":{"prod":{}}}' "each has the pull secret of its operator"
# Available is seen of the Deployments, which may come before the last pod.
ok "each names its own pods only" wait_for 20 iot_names_pods dev example
ok "... of its namespace" wait_for 20 iot_names_pods prod example
kc get iot -n dev example -o jsonpath='{.status}' >"$T/before"
kc delete iot -n prod example --wait=false >/dev/null
prod_gone() {
	[ -z "$(kc get namespace prod-example -o name --ignore-not-found)" ] &&
		[ -z "$(kc get iot -n prod -o name)" ]
}
ok "prod's instance is deleted" wait_for 60 prod_gone
kc get iot -n dev example -o jsonpath='{.status}' >"$T/after"
same "$T/after" "$T/before" "... dev's is as it was"

# a + b-c and a-b + c: both would be a-b-c
iot_namespace dev-x
iot_operator dev-x
iot_create dev-x y
ok "dev-x's y is Available in dev-x-y" wait_for 60 iot_is dev-x y Available
iot_create dev x-y
ok "dev's x-y wants the same namespace: Failed" \
	wait_for 30 iot_is dev x-y Failed
is "$(kc get iot -n dev x-y -o 'jsonpath={.status.reason}')" \
	"cannot apply Namespace dev-x-y: it exists and is not part of IoTService.cp.iot.sap dev/x-y; instance \"dev-x\" of this operator made it: if that is gone for good, or has another name now, start with --take-over-instance=dev-x" \
	"... with the instance that made it"
kc delete iot -n dev x-y --wait=false >/dev/null
xy_gone() {
	[ -z "$(kc get iot -n dev x-y -o name --ignore-not-found)" ]
}
ok "it can be deleted" wait_for 30 xy_gone
ok "... dev-x's y stays Available" iot_is dev-x y Available
is "$(kc get namespace dev-x-y -o 'jsonpath={.status.phase}')" Active \
	"... with its namespace"
for pid in "$dev" "$prod" "$operator"; do
	ok "an operator ends with 0" iot_stop "$pid"
done

# ---- refusals ----

refused() {
	runs 100 "$1: exit 100" "${@:3}"
	ok "... and says why" grep -qF "$2" "$T/err"
}
kubeconfig=--kubeconfig=$CLUSTER/user1.kubeconfig
unset OPERATOR_NAME
refused "no OPERATOR_NAME" \
	"OPERATOR_NAME: set OPERATOR_NAME to the operator's namespace" \
	kpipe -f "$iot/watches.yaml" "$kubeconfig"
refused "an empty OPERATOR_NAME" \
	"OPERATOR_NAME: set OPERATOR_NAME to the operator's namespace" \
	env OPERATOR_NAME= kpipe -f "$iot/watches.yaml" "$kubeconfig"
refused "a namespaced WATCH_NAMESPACE" \
	'iotservice.cp.iot.sap requires cluster scope, but WATCH_NAMESPACE is "dev"' \
	env OPERATOR_NAME=dev WATCH_NAMESPACE=dev \
	kpipe -f "$iot/watches.yaml" "$kubeconfig"
refused "kwatch -n dev" 'iotservice.cp.iot.sap requires cluster scope, but' \
	env OPERATOR_NAME=dev kwatch -f "$iot/watches.yaml" -n dev "$kubeconfig"
done_testing
