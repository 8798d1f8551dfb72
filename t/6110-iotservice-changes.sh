#!/bin/bash
# IoTService on an API server: changes and deletions by other clients are
# repaired; a changed spec is rolled out, switches create and prune, a pull secret
# is followed.
# servers: kapi real
# check-all: more of the pipelines
. "${0%/*}/lib.sh"
. "${0%/*}/iot.sh"

iot_cluster
iot_namespace dev
iot_operator dev

# change MERGE-PATCH: of the example
change() {
	kc patch iot -n dev example --type=merge -p "$1" >/dev/null
}
available() {
	wait_for 60 iot_is dev example Available
}
# has|lacks OBJECT: in the instance's namespace
has() {
	[ -n "$(kc get -n dev-example "$1" -o name --ignore-not-found)" ]
}
lacks() {
	! has "$@"
}
# field KIND NAME JSONPATH
field() {
	kc get "$1" -n dev-example "$2" -o "jsonpath={$3}"
}

iot_create dev example
ok "the example is Available" available

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
ok "... Available again" available
kc delete namespace dev-example >/dev/null
ok "the whole namespace, deleted, is made again" wait_for 60 repaired
ok "... Available again" available

# ---- while nothing ran ----

ok "the operator stops" iot_stop "$operator"
change '{"spec": {"cockpit": {"resources": null}, "imagePullPolicy": null}}'
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
ok "... Available" available
is "$(grep -c error "$T/operator.log")" 0 "no errors"

# ---- size, image, resources, configuration ----

change '{"spec": {"cockpit": {"size": 3, "image": "registry.example.com/iot/cockpit:5",
	"resources": {"requests": {"cpu": "70m"}}},
	"mms": {"size": 1, "image": "registry.example.com/iot/messaging:5"}}}'
ok "changed: Available again" available
is "$(field deployment cockpit-example '.spec.replicas} {.spec.template.spec.containers[0].image} {.spec.template.spec.containers[0].resources.requests.cpu} {.status.updatedReplicas} {.status.availableReplicas')" \
	"3 registry.example.com/iot/cockpit:5 70m 3 3" \
	"size, image and resources of a Deployment are rolled out"
is "$(field statefulset messaging-example '.spec.replicas} {.spec.template.spec.containers[0].image} {.status.readyReplicas')" \
	"1 registry.example.com/iot/messaging:5 1" "... and of a StatefulSet"
is "$(kc get pods -n dev-example -l component=cockpit -o json |
	jq -c '[.items[].spec.containers[0].image] | unique')" \
	'["registry.example.com/iot/cockpit:5"]' "no old pod when Available"

before=$(field deployment core-example '.spec.template.metadata.annotations.checksum/config')
postgresql=$(field deployment postgresql-example .metadata.generation)
change '{"spec": {"domain_name": "changed.example.com"}}'
ok "configuration changed: Available again" available
after=$(field deployment core-example '.spec.template.metadata.annotations.checksum/config')
ok "... the pods were rolled" test "$before" != "$after"
is "$(field configmap iotservice-example '.data.config\.yml' |
	grep domain_name)" '  domain_name: "changed.example.com"' \
	"... config.yml has it"
is "$(field deployment postgresql-example .metadata.generation)" "$postgresql" \
	"... postgresql was left alone"

change '{"spec": {"cockpit": {"container_port": "9090", "resources": null}}}'
ok "port changed, resources dropped: Available again" available
is "$(field service cockpit-example '.spec.ports[*].port') $(field deployment cockpit-example '.spec.template.spec.containers[0].ports[*].containerPort} {.spec.template.spec.containers[0].env[*].value} {.spec.template.spec.containers[0].resources')" \
	"9090 9090 9090 {}" "... in Service, container and environment"

# ---- switches, both ways ----

spring="deployment/core-spring-example service/core-spring-example
	deployment/processing-example service/processing-example"
usual="deployment/core-example service/core-example
	deployment/postgresql-example service/postgresql-example
	networkpolicy/deny-not-instance-example"
# switched WHAT THERE GONE: objects of the instance
switched() {
	local object

	ok "$1: Available" available
	for object in $2; do
		ok "... $object is there" has "$object"
	done
	for object in $3; do
		ok "... $object is gone" wait_for 10 lacks "$object"
	done
}
change '{"spec": {"core_spring": {"enabled": true}, "postgresql": {"size": 0},
	"enableNetworkPolicies": false}}'
switched "switched" "$spring" "$usual"
change '{"spec": {"core_spring": {"enabled": false}, "postgresql": {"size": 1},
	"enableNetworkPolicies": true}}'
switched "switched back" "$usual" "$spring"

# ---- what the API server refuses ----

# try VERSION FILTER: sends the example, changed by FILTER, as a dry run; under
# another name, so that no other write conflicts.
try() {
	kc get "iotservices.$1.cp.iot.sap" -n dev example -o json |
		jq "del(.status) | .metadata |= {name: \"again\", namespace} | $2" |
		kc create --dry-run=server --validate=strict -f - -o name
}
most=9007199254740991
for version in v1 v1alpha1; do
	runs 0 "$version: what the first operator wrote, exported, is valid" \
		try "$version" '.spec.instance_namespace = "dev-example"'
	runs 0 "$version: integers up to $most" try "$version" \
		".spec.gateway.rest.commands_ttl = $most
		| .spec.mms.resources.limits.memory = $most"
	runs 1 "$version: ... and no further" try "$version" \
		".spec.gateway.rest.commands_ttl = $most + 1"
	ok "... says the server" grep -q "less than or equal to $most" "$T/err"
	runs 1 "$version: ... nor a quantity that is a number" try "$version" \
		".spec.mms.resources.limits.memory = $most + 1"
done
change '{"spec": {"cockpit": {"image": ""}}}'
ok "an instance that cannot be applied is Failed" \
	wait_for 30 iot_is dev example Failed
is "$(kc get iot -n dev example -o 'jsonpath={.status.reason}')" \
	'cannot apply Deployment.apps dev-example/cockpit-example: Deployment.apps "cockpit-example" is invalid: spec.template.spec.containers[0].image: Required value' \
	"... with the API server's message"
change '{"spec": {"cockpit": {"image": "registry.example.com/iot/cockpit:6"}}}'
ok "corrected: Available" available
is "$(kc get iot -n dev example -o 'jsonpath={.status.reason}')" "" \
	"... without a reason"

# ---- the pull secret ----

secret_is() {
	[ "$(field secret image-pull-secret '.data.\.dockerconfigjson' |
		base64 -d)" = "$1" ]
}
kc create secret generic image-pull-secret -n dev --dry-run=client -o json \
	--type=kubernetes.io/dockerconfigjson \
	--from-literal='.dockerconfigjson={"auths":{}}' |
	kc replace -f - >/dev/null
ok "the pull secret changed: followed" wait_for 20 secret_is '{"auths":{}}'
kc get secret -n dev image-pull-secret -o json |
	jq 'del(.metadata.uid, .metadata.resourceVersion)' >"$T/secret.json"
kc delete secret -n dev image-pull-secret >/dev/null
ok "the pull secret is missing: Failed" wait_for 30 iot_is dev example Failed
is "$(kc get iot -n dev example -o 'jsonpath={.status.reason}')" \
	"the secret image-pull-secret is missing in the operator's namespace" \
	"... with the reason"
ok "... what is there stays" has deployment/cockpit-example
ok "... the copy, too" secret_is '{"auths":{}}'
kc create -f "$T/secret.json" >/dev/null
ok "the pull secret is back: Available" available

ok "the operator ends with 0" iot_stop "$operator"
ok "no password in the logs" sh -c '! grep -q not-a-secret "$1"' - \
	"$T/operator.log"
done_testing
