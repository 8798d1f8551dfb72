#!/bin/bash
# IoTService on an API server: deletion, and namespaces that are not ours; two
# landscapes side by side; an instance that the first operator keeps in the
# IoTService's own namespace, which is not started a second time; refusals.
# servers: kapi real
# check-all: more of the pipelines
. "${0%/*}/lib.sh"
. "${0%/*}/iot.sh"

iot_cluster
iot_namespace dev
iot_operator dev

gone() {
	[ -z "$(kc get "$@" -o name --ignore-not-found)" ]
}

# ---- the namespace first, then the finalizer ----

iot_create dev example
ok "the example is Available" wait_for 60 iot_is dev example Available
kc create configmap -n dev-example guard --from-literal=a=b >/dev/null
kc patch configmap -n dev-example guard --type=json -p \
	'[{"op": "add", "path": "/metadata/finalizers", "value": ["example.com/guard"]}]' \
	>/dev/null
kc delete iot -n dev example --wait=false >/dev/null
terminating() {
	[ "$(kc get namespace dev-example -o jsonpath='{.status.phase}')" = Terminating ] &&
		gone -n dev-example deployments,statefulsets,pods
}
ok "deleted: the namespace is emptied" wait_for 60 terminating
is "$(kc get iot -n dev example -o 'jsonpath={.metadata.finalizers}')" \
	'["com.sap.iotservices/namespace-dropper"]' \
	"... the finalizer waits for the last object"
processing() {
	[ "$(iot_phase dev example)" = Processing ]
}
ok "... and the phase is Processing" wait_for 20 processing
kc patch configmap -n dev-example guard --type=json -p \
	'[{"op": "remove", "path": "/metadata/finalizers"}]' >/dev/null
ok "then the instance goes" wait_for 30 gone -n dev iot example
ok "... and its namespace is gone" gone namespace dev-example
is "$(audit_writes user1 | awk '$3 == "namespaces" && $2 == "delete" ||
	$3 == "iotservices" && $4 == "dev/example" {print $2, $3, $4, $5}' | uniq)" \
	"patch iotservices dev/example 200
delete namespaces dev-example/dev-example 200
patch iotservices dev/example 200" \
	"finalizer set, namespace deleted once, finalizer dropped"

# ---- deleted while it is being created ----

for i in 1 2 3 4 5 6 7 8; do
	iot_create dev "quick$i"
	sleep "0.0$((i * 11))"
	kc delete iot -n dev "quick$i" --wait=false >/dev/null
done
ok "deleted at once: they go" wait_for 90 gone -n dev iot
no_namespace() {
	! kc get namespaces -o name | grep dev-
}
ok "... nothing is under way" rests 2 audit_writes user1
ok "... and leave no namespace" wait_for 60 no_namespace

# ---- namespaces that are not ours ----

kc create namespace dev-foreign >/dev/null
kc label namespace dev-foreign instance=foreign >/dev/null
kc create configmap -n dev-foreign theirs --from-literal=a=b >/dev/null
kc get namespace dev-foreign -o json >"$T/foreign"
iot_create dev foreign
ok "a foreign namespace has the name: Failed" \
	wait_for 30 iot_is dev foreign Failed
is "$(kc get iot -n dev foreign -o 'jsonpath={.status.reason}')" \
	"cannot apply Namespace dev-foreign: it exists and is not part of IoTService.cp.iot.sap dev/foreign; it is not taken over, since watches.yaml has no \"adopt\"" \
	"... with the reason"
kc get namespace dev-foreign -o json >"$T/foreign.now"
same "$T/foreign.now" "$T/foreign" "... the namespace is as it was"
is "$(kc get -n dev-foreign -o name \
	deployments,statefulsets,services,secrets,networkpolicies)" "" \
	"... nothing was made in it"
kc delete iot -n dev foreign --wait=false >/dev/null
ok "the instance can be deleted" wait_for 30 gone -n dev iot foreign
kc get namespace dev-foreign -o json >"$T/foreign.now"
same "$T/foreign.now" "$T/foreign" "... and the namespace is not"

# With marks copied from another instance it belongs to none.
iot_create dev one
ok "another instance" wait_for 60 iot_is dev one Available
kc get namespace dev-one -o json |
	jq '.metadata = {name: "dev-two", labels: (.metadata.labels
		| del(.["kubernetes.io/metadata.name"])),
		annotations: .metadata.annotations}
		| {apiVersion, kind, metadata}' | kc create -f - >/dev/null
iot_create dev two
ok "copied marks: Failed" wait_for 30 iot_is dev two Failed
kc delete iot -n dev one --wait=false >/dev/null
ok "the instance goes" wait_for 60 gone -n dev iot one
ok "... but not the namespace with its marks" test -n \
	"$(kc get namespace dev-two -o name)"
kc delete namespace dev-two >/dev/null
ok "the name is free: Available" wait_for 60 iot_is dev two Available

# ---- one operator: the instances of the other are not touched ----

iot_namespace prod
kc create secret generic image-pull-secret -n prod --dry-run=client -o json \
	--type=kubernetes.io/dockerconfigjson \
	--from-literal='.dockerconfigjson={"auths":{"prod":{}}}' |
	kc replace -f - >/dev/null

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
	gone namespace prod-example && gone -n prod iot
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
ok "it can be deleted" wait_for 30 gone -n dev iot x-y
ok "... dev-x's y stays Available" iot_is dev-x y Available
is "$(kc get namespace dev-x-y -o 'jsonpath={.status.phase}')" Active \
	"... with its namespace"
for pid in "$dev" "$prod" "$operator"; do
	ok "an operator ends with 0" iot_stop "$pid"
done

# ---- what the first operator left of the instance "old" ----

# Here the volume of its broker
kc apply -f - >/dev/null <<'END'
apiVersion: v1
kind: PersistentVolumeClaim
metadata:
  name: messaging-volume-messaging-old-0
  namespace: dev
  labels: {instance: old, component: messaging}
spec:
  accessModes: [ReadWriteOnce]
  resources: {requests: {storage: 1Gi}}
END
claim=(pvc -n dev messaging-volume-messaging-old-0)
uid=$(kc get "${claim[@]}" -o 'jsonpath={.metadata.uid}')
iot_create dev old
iot_create dev new
for label in '' instance; do
	export IOTSERVICE_ADOPT_LABEL=$label
	iot_operator dev
	ok "adopt \"$label\": another instance is Available" \
		wait_for 60 iot_is dev new Available
	ok "... the one that is there is Failed" wait_for 30 iot_is dev old Failed
	is "$(kc get iotservice -n dev old -o 'jsonpath={.status.reason}')" \
		"objects with instance=old exist in dev, the claim messaging-volume-messaging-old-0 for one: the instance is there already, and is not started a second time with empty volumes. Move its data, then delete them there" \
		"... and says what is there, and what to do"
	is "$(kc get namespace dev-old --ignore-not-found -o name)" "" \
		"... nothing is created"
	iot_stop "$operator"
done
is "$(kc get "${claim[@]}" -o 'jsonpath={.metadata.uid}')" "$uid" \
	"its volume is left alone"

iot_operator dev
kc patch "${claim[@]}" --type=merge \
	-p '{"metadata":{"finalizers":null}}' >/dev/null
kc delete "${claim[@]}" --wait=false >/dev/null
ok "when it is moved away the instance starts" \
	wait_for 60 iot_is dev old Available
iot_stop "$operator"

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
