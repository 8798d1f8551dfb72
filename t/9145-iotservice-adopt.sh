#!/bin/bash
# IoTService: an instance that the first operator made is taken over, running,
# as it is; and in the end deleted with all that it has.
. "${0%/*}/lib.sh"
. "${0%/*}/iot.sh"

iot_cluster
iot_namespace dev
iot_operator dev
iot_create dev example '.spec.enableNetworkPolicies = true'
ok "an instance of ours" wait_for 60 iot_is dev example Available
iot_objects dev-example >"$T/want"
iot_stop "$operator"

# The same, laid out as theirs: no marks, their annotation, their environment,
# made by another field manager; written twice.
kc get -n dev-example -o json \
	deployments,statefulsets,services,configmaps,secrets,networkpolicies |
	jq '{apiVersion: "v1", kind: "List", items: [.items[]
	| select(.metadata.name != "kube-root-ca.crt")
	| del(.status, .spec.clusterIP, .spec.clusterIPs, .spec.healthCheckNodePort,
		.spec.ports[]?.nodePort, .metadata.managedFields)
	| .metadata |= ({name, namespace, labels} | del(.labels["kpipe.dev/part-of"]))
	| .metadata.annotations = {"theirs": "left over"}
	| if .kind == "Deployment" then
		.spec.template.spec.containers[0].env += [{name: "OLD", value: "1"}]
	else . end]}' >"$T/theirs.json"
kc delete namespace dev-example --wait=false >/dev/null
gone() {
	! kc get namespace dev-example
}
wait_for 60 gone
kc create --field-manager=iotservice-operator -f - >/dev/null <<'END'
apiVersion: v1
kind: Namespace
metadata: {name: dev-example, labels: {instance: example}}
END
kc create --field-manager=iotservice-operator -f "$T/theirs.json" >/dev/null
# second: they wrote it twice, under the name of another release
kc label -n dev-example --field-manager=iotservice-operator-2 \
	deployments,services --all second=write >/dev/null
ports() {
	kc get -n dev-example services -o json | jq -c '[.items[] | [.metadata.name,
		.spec.clusterIP, .spec.healthCheckNodePort, .spec.ports[].nodePort]]'
}
uids() {
	kc get -n dev-example -o json \
		deployments,statefulsets,services,configmaps,secrets,networkpolicies |
		jq -c '[.items[].metadata | [.name, .uid]] | sort'
}
ports >"$T/ports"
uids >"$T/uids"

# ---- unasked: Failed, with the option ----

iot_operator dev
ok "unasked it is Failed" wait_for 60 iot_is dev example Failed
is "$(kc get iotservice -n dev example -o json | jq -r '.status.reason' |
	grep -o 'adopt: {label: instance}')" "adopt: {label: instance}" \
	"... the reason names the option"
iot_stop "$operator"
: >"$T/operator.log"

# ---- taken over ----

export IOTSERVICE_ADOPT_LABEL=instance
iot_operator dev
ok "with the option it is Available" wait_for 60 iot_is dev example Available
adopted() {
	iot_objects dev-example >"$T/got"
	cmp -s "$T/got" "$T/want"
}
wait_for 20 adopted
same "$T/got" "$T/want" "all is as if we had made it"
is "$(ports)" "$(cat "$T/ports")" "... with the addresses and ports it had"
is "$(uids)" "$(cat "$T/uids")" "... nothing was made anew"
is "$(kc get -n dev-example -o json --show-managed-fields \
	deployments,statefulsets,services,configmaps,secrets,networkpolicies |
	jq -r '.items[].metadata.managedFields[].manager' |
	grep -c iotservice-operator)" 0 "... no field is theirs"
is "$(grep -c adopted "$T/operator.log")" \
	"$(($(jq '.items | length' "$T/theirs.json") + 1))" \
	"... logged once for each object"
told() {
	[ "$(kc get events -n dev -o json | jq '[.items[] | select(
		.reason == "Adopted" and .involvedObject.name == "example")
		| .count] | add')" -ge 10 ]
}
ok "... told by Events" wait_for 20 told

# ---- a namespace of that label's value, but of another name's instance ----

kc create namespace dev-other >/dev/null
kc label namespace dev-other instance=somebody >/dev/null
iot_create dev other
ok "another instance's namespace is not" wait_for 60 iot_is dev other Failed
is "$(kc get namespace dev-other -o json | jq -c .metadata.labels.instance)" \
	'"somebody"' "... it stays as it was"

# ---- deleted as any other ----

kc delete iotservice -n dev example --wait=false >/dev/null
deleted() {
	! kc get iotservice -n dev example && gone
}
ok "deleted, it is gone with its namespace" wait_for 60 deleted
iot_stop "$operator"
is "$?" 0 "the operator ends well"
done_testing
