#!/bin/bash
# IoTService on an API server: deletion, and namespaces that are not ours.
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

ok "the operator ends with 0" iot_stop "$operator"
done_testing
