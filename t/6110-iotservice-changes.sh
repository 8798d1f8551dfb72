#!/bin/bash
# IoTService on an API server: a changed spec is rolled out, switches
# create and prune, a pull secret is followed.
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
# has|lacks KIND NAME: in the instance's namespace
has() {
	[ -n "$(kc get "$1" -n dev-example "$2" -o name --ignore-not-found)" ]
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

change '{"spec": {"core_spring": {"enabled": true}, "postgresql": {"size": 0},
	"enableNetworkPolicies": false}}'
ok "switched: Available" available
for object in "deployment core-spring-example" "service core-spring-example" \
	"deployment processing-example" "service processing-example"; do
	# shellcheck disable=SC2086 # two words
	ok "... $object is there" has $object
done
for object in "deployment core-example" "service core-example" \
	"deployment postgresql-example" "service postgresql-example" \
	"networkpolicy deny-not-instance-example"; do
	# shellcheck disable=SC2086
	ok "... $object is gone" wait_for 10 lacks $object
done
change '{"spec": {"core_spring": {"enabled": false}, "postgresql": {"size": 1},
	"enableNetworkPolicies": true}}'
ok "switched back: Available" available
for object in "deployment core-spring-example" "service core-spring-example" \
	"deployment processing-example" "service processing-example"; do
	# shellcheck disable=SC2086
	ok "... $object is gone" wait_for 10 lacks $object
done
for object in "deployment core-example" "service core-example" \
	"deployment postgresql-example" "service postgresql-example" \
	"networkpolicy deny-not-instance-example"; do
	# shellcheck disable=SC2086
	ok "... $object is there" has $object
done

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
ok "... what is there stays" has deployment cockpit-example
ok "... the copy, too" secret_is '{"auths":{}}'
kc create -f "$T/secret.json" >/dev/null
ok "the pull secret is back: Available" available

ok "the operator ends with 0" iot_stop "$operator"
ok "no password in the logs" sh -c '! grep -q not-a-secret "$1"' - \
	"$T/operator.log"
done_testing
