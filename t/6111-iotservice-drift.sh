#!/bin/bash
# IoTService on an API server: changes and deletions by other clients are
# repaired.
# servers: kapi real
# check-all: more of the pipelines
. "${0%/*}/lib.sh"
. "${0%/*}/iot.sh"

iot_cluster
iot_namespace dev
iot_operator dev
iot_create dev example
ok "the example is Available" wait_for 60 iot_is dev example Available
iot_objects dev-example >"$T/want"

repaired() {
	iot_objects dev-example >"$T/got"
	cmp -s "$T/got" "$T/want"
}
is_repaired() {
	wait_for 30 repaired
	same "$T/got" "$T/want" "$1"
}
# drift KIND NAME JSON-PATCH: by hand
drift() {
	kc patch "$1" -n dev-example "$2" --type=json -p "$3" >/dev/null
}

# ---- changed by hand ----

drift deployment cockpit-example '[
	{"op": "replace", "path": "/spec/replicas", "value": 4},
	{"op": "replace", "path": "/spec/template/spec/containers/0/image", "value": "other:1"},
	{"op": "remove", "path": "/spec/template/metadata/annotations"}]'
is_repaired "a Deployment: replicas, image, annotations of its pods"
drift statefulset messaging-example '[
	{"op": "remove", "path": "/spec/template/spec/containers/0/env"},
	{"op": "replace", "path": "/metadata/labels/component", "value": "x"}]'
is_repaired "a StatefulSet: environment, a label"
drift service iot-example '[
	{"op": "replace", "path": "/spec/externalTrafficPolicy", "value": "Cluster"},
	{"op": "replace", "path": "/spec/ports/0/port", "value": 81},
	{"op": "remove", "path": "/spec/selector/component"}]'
is_repaired "a Service: policy, port, selector"
drift configmap iotservice-example '[
	{"op": "replace", "path": "/data/config.yml", "value": "name: x"}]'
is_repaired "a ConfigMap"
drift secret image-pull-secret '[
	{"op": "replace", "path": "/data/.dockerconfigjson", "value": "e30="}]'
is_repaired "a Secret"
drift networkpolicy deny-not-instance-example '[
	{"op": "remove", "path": "/spec/podSelector/matchExpressions"}]'
is_repaired "a NetworkPolicy"
labelled() {
	[ "$(kc get namespace dev-example -o jsonpath='{.metadata.labels.instance}')" = example ]
}
kc label namespace dev-example instance- >/dev/null
ok "a Namespace: its label" wait_for 20 labelled

# ---- by another field manager ----

kc apply --server-side --force-conflicts --field-manager=other -f - <<'END' >/dev/null
apiVersion: apps/v1
kind: Deployment
metadata: {name: core-example, namespace: dev-example, labels: {component: other}}
spec:
  replicas: 3
  selector: {matchLabels: {component: core, instance: example}}
  template:
    metadata: {labels: {component: core, instance: example}}
    spec:
      containers: [{name: core, image: "other:2"}]
END
is_repaired "taken over by another field manager"
is "$(kc get deployment -n dev-example core-example -o json --show-managed-fields |
	jq -c '[.metadata.managedFields[] | select(.manager == "kpipe-iotservice.cp.iot.sap")
	| .fieldsV1["f:spec"] | has("f:replicas")]')" "[true]" \
	"... the fields are ours again"
kc annotate deployment -n dev-example core-example other=1 >/dev/null

# ---- deleted by hand ----

for object in deployment/haproxy-example statefulset/gateway-mqtt-example \
	service/cockpit-example configmap/iotservice-example \
	secret/image-pull-secret networkpolicy/deny-not-instance-example; do
	kc delete -n dev-example "$object" >/dev/null
done
annotated() {
	iot_objects dev-example | jq -S 'map(del(.metadata.annotations.other))' \
		>"$T/got"
	cmp -s "$T/got" "$T/want"
}
ok "one of each kind, deleted, is made again" wait_for 30 annotated
is "$(kc get deployment -n dev-example core-example -o 'jsonpath={.metadata.annotations.other}')" \
	1 "... and what others add and we do not want is left alone"
ok "... Available again" wait_for 60 iot_is dev example Available
kc delete namespace dev-example >/dev/null
ok "the whole namespace, deleted, is made again" wait_for 60 repaired
ok "... Available again" wait_for 60 iot_is dev example Available

# ---- while nothing ran ----

ok "the operator stops" iot_stop "$operator"
kc patch iot -n dev example --type=merge -p \
	'{"spec": {"cockpit": {"resources": null}, "imagePullPolicy": null}}' >/dev/null
drift deployment core-example \
	'[{"op": "replace", "path": "/spec/replicas", "value": 0}]'
kc delete service -n dev-example core-example >/dev/null
jq -S 'map((.spec.template.spec.containers[]?) |= (.imagePullPolicy = "IfNotPresent"))
	| map(if .metadata.name == "cockpit-example" and .kind == "Deployment"
	then .spec.template.spec.containers[0].resources = {} else . end)' \
	"$T/want" >"$T/want2"
iot_operator dev
without_paths() {
	# The desired paths differ: there are fewer.
	jq -S 'map(del(.metadata.annotations["kpipe.dev/paths"]))' "$1"
}
dropped() {
	iot_objects dev-example >"$T/now"
	cmp -s <(without_paths "$T/now") <(without_paths "$T/want2")
}
wait_for 30 dropped
same <(without_paths "$T/now") <(without_paths "$T/want2") \
	"a field that we dropped while nothing ran is gone, drift is repaired"
ok "... Available" wait_for 60 iot_is dev example Available
ok "the operator ends with 0" iot_stop "$operator"
is "$(grep -v 'not-a-secret' "$T/operator.log" | grep -c error)" 0 "no errors"
done_testing
