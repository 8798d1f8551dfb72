#!/bin/bash
# The IoTService program on recorded files: instances.jsonl was recorded by
# kwatch on a real API server. `full` sets every field of v1, `old` (v1alpha1)
# has nulls and zero values, `bare` has no optional field, `example` is
# example.yaml and was applied already, and one name is too long.
. "${0%/*}/lib.sh"

folder=pipeline/iotservice
export OPERATOR_NAME=dev

# reconcile [OPTION]...: the sets for the events on stdin, sorted by name
reconcile() {
	ireconcile -f "$folder/watches.yaml" --clock=input "$@" 2>"$T/err" |
		jq -Sc . | sort
}

# accept GOT FILE WHAT: compares them; with ACCEPT=1 makes them the same.
accept() {
	[ -z "${ACCEPT:-}" ] || cp "$1" "$2"
	same "$1" "$2" "$3"
}

# of NAME FILTER: of the set of that instance
of() {
	jq -Sr --arg name "$1" \
		"select(.reconcile.primary.name == \$name) | $2" "$T/got"
}

reconcile --must-answer --all <"$folder/t/instances.jsonl" >"$T/got"
accept "$T/got" "$folder/t/instances.out" "all sets, whole"
reconcile --all <"$folder/t/instances.jsonl" >"$T/again"
same "$T/again" "$T/got" "the same again"

config='.items[] | select(.kind == "ConfigMap").data["config.yml"]'
for name in full old bare; do
	of "$name" "$config" >"$T/config"
	same "$T/config" "$folder/t/$name.config.yml" "config.yml of $name"
done

# A line for each object, as in the table of an instance.
table='.items[] | [.kind, .metadata.name,
	(.metadata.labels | del(.["kpipe.dev/part-of"]) | tojson),
	(.spec.template.spec.containers[0] // {}
		| (.ports // [] | map("\(.name)=\(.containerPort)")),
		  (.env // [] | map("\(.name)=\(.value)")),
		  (.volumeMounts // [] | map(.mountPath))
		| join(",")),
	(.spec.ports // [] | map("\(.name)=\(.port)") | join(",")),
	(.spec.volumeClaimTemplates // []
		| map("\(.metadata.name)=\(.spec.resources.requests.storage)")
		| join(",")),
	(.spec.template.metadata.annotations // {} | keys | join(","))]
	| join(" ")'
of bare "$table" >"$T/table"
c='checksum/config,co.elastic.logs/module'
label() {
	printf '{"component":"%s","instance":"bare"}' "$1"
}
sed 's/  *$//' "$T/table" | sort >"$T/table.got"
sort >"$T/table.want" <<END
Namespace dev-bare {"instance":"bare"}
Secret image-pull-secret {"instance":"bare"}
ConfigMap iotservice-bare $(label iotservice)
Deployment cockpit-bare $(label cockpit) http=8080 CONTAINER_PORT=8080 /etc/sap   $c
Service cockpit-bare $(label cockpit)    http=8080
Deployment core-bare $(label core) http=8161,hazelcast=5801 CONTAINER_PORT_HTTP=8161,CONTAINER_PORT_HAZELCAST=5801 /etc/sap   $c
Service core-bare $(label core)    http=8161,hazelcast=5801
Deployment gateway-rest-bare $(label gateway-rest) http=8699 CONTAINER_PORT=8699 /etc/sap   $c
Service gateway-rest-bare $(label gateway-rest)    http=8699
Deployment haproxy-bare $(label haproxy) http=80,https=443,mqtt-tls=8883,jms-tls=61616 CONTAINER_PORT_HTTP=80,CONTAINER_PORT_HTTPS=443,CONTAINER_PORT_MQTT=8883,CONTAINER_PORT_JMS=61616 /etc/sap   $c
Service iot-bare $(label haproxy)    http=80,https=443,mqtt-tls=8883,jms-tls=61616
StatefulSet gateway-mqtt-bare $(label gateway-mqtt) mqtt-tls=61628 CONTAINER_PORT=61628 /etc/sap,/gateway/store  gateway-volume=20Gi $c
Service gateway-mqtt-bare $(label gateway-mqtt)    mqtt-tls=61628
StatefulSet messaging-bare $(label messaging) jms-no-tls=61619,jms-tls=61620,hazelcast=5701 CONTAINER_PORT_JMS=61619,CONTAINER_PORT_JMS_TLS=61620,CONTAINER_PORT_HAZELCAST=5701 /etc/sap,/messaging/store  messaging-volume=10Gi $c
Service messaging-bare $(label messaging)    jms-no-tls=61619,jms-tls=61620,hazelcast=5701
END
same "$T/table.got" "$T/table.want" "the objects of bare, with defaults"

is "$(of full '[.items[] | select(.kind != "Namespace")
	| "\(.kind) \(.metadata.name)"] | sort | .[]')" \
	"ConfigMap iotservice-full
Deployment cockpit-full
Deployment core-spring-full
Deployment gateway-rest-full
Deployment haproxy-full
Deployment postgresql-full
Deployment processing-full
NetworkPolicy deny-not-instance-full
Secret image-pull-secret
Service cockpit-full
Service core-spring-full
Service gateway-mqtt-full
Service gateway-rest-full
Service iot-full
Service messaging-full
Service postgresql-full
Service processing-full
StatefulSet gateway-mqtt-full
StatefulSet messaging-full" "the objects of full, with core_spring enabled"
is "$(of full '.items[] | select(.metadata.name == "postgresql-full"
	and .kind == "Deployment").spec.template
	| [.metadata.annotations, .spec.volumes, .spec.containers[0].volumeMounts,
	   .spec.containers[0].env] | tojson')" \
	"$(of full '[null, null, null, [{name: "CONTAINER_PORT",
	value: (.items[] | select(.metadata.name == "postgresql-full"
	and .kind == "Service").spec.ports[0].port | tostring)}]] | tojson')" \
	"postgresql has its port, no configuration, no annotations"
is "$(of full '.items[] | select(.metadata.name == "iot-full").spec
	| "\(.type) \(.externalTrafficPolicy)"')" "LoadBalancer Local" \
	"haproxy's Service"
is "$(of full '.items[] | select(.kind == "StatefulSet").spec.template.spec
	| .securityContext.fsGroup')" "999
999" "fsGroup of the StatefulSets"
is "$(of full '[.items[] | select(.spec.template).spec.template
	.metadata.annotations["checksum/config"] | values] | unique | .[]')" \
	"$(of full "$config" | head -c -1 | sha256sum | cut -d' ' -f1)" \
	"checksum/config is the digest of config.yml"

# Values that config.yml leaves out: 0, which clients write for a field that is
# not set, and empty properties.
grep '"name":"bare"' "$folder/t/instances.jsonl" >"$T/bare"
grep -v '"name":"bare"' "$folder/t/instances.jsonl" |
	grep '"BOOKMARK"\|"image-pull-secret","namespace":"dev"\|"namespace":"dev".*"image-pull-secret"' >"$T/rest"
bare() { # FILTER OF THE SPEC: its config.yml
	{
		head -n 9 "$T/rest"
		jq -c ".object.spec |= ($1)" "$T/bare"
		tail -n +10 "$T/rest"
	} | reconcile --all >"$T/got"
	of bare "$config"
}
is "$(bare '.gateway = {mqtt: {amq_temp_size_mb: 0}, rest: {commands_ttl: 0}}
	| .auditlog = {auditLogLastEventCache: {expireAfterWriteSec: 0}}')" \
	"$(bare .)" "0 in a field that is not set counts as not set"
is "$(bare '.gateway = {mqtt: {amq_temp_size_mb: 1}, rest: {commands_ttl: 2}}
	| .auditlog = {auditLogLastEventCache: {expireAfterWriteSec: 3}}' |
	grep 'amq_temp\|commands_ttl\|expireAfter' | tr -d ' \n')" \
	"expireAfterWriteSec:3amq_temp_size_mb:1commands_ttl:2" \
	"... and any other number counts"
is "$(bare '.last_alive.period_seconds = 0 | .mms.amq_store_size_mb = 0')" \
	"$(bare .)" "0 is their value anyway"
is "$(bare '.processing_services = [{name: "a"}, {name: "b", properties: null},
	{name: "c", properties: {}}, {name: "d", properties: {
		"processing.kafka.user": "", "processing.http.headers": [],
		"processing.kafka.brokers": null}},
	{name: "e", properties: {"processing.kafka.user": "u"}}]' |
	sed -n '/^  processing_services/,/^  [^ ]*:/p' | tail -n +2)" \
	'    - name: "a"
    - name: "b"
    - name: "c"
    - name: "d"
    - name: "e"
      properties:
        processing.kafka.user: "u"
  server_cert: ""' "properties that are empty are left out"

# StatefulSets of an older version, which set no labels in their claim
# templates. These cannot be changed, so they stay, and all else is as desired.
old='if .object.kind == "StatefulSet" and .object.spec then .object
	|= (.spec.volumeClaimTemplates[].metadata |= {name, creationTimestamp: null}
	| .metadata.annotations["kpipe.dev/paths"] = "old") else . end'
jq -c "$old" "$folder/t/instances.jsonl" | reconcile >"$T/got"
is "$(of example '.items[] | [.kind, .metadata.name,
	.spec.volumeClaimTemplates[0].metadata.labels] | tojson')" \
	'["StatefulSet","gateway-mqtt-example",null]
["StatefulSet","messaging-example",null]' "claims of an older version stay"

# The life of an instance, as kwatch --timestamps recorded it: created, switched
# to core_spring with fewer policies, a Deployment deleted by hand, the pull
# secret missing for a while, deleted.
life() {
	ireconcile -f "$folder/watches.yaml" --clock=input --must-answer \
		<"$folder/t/life.jsonl" 2>"$T/err"
}
runs 1 "a life: exit 1, as one evaluation failed" life
cp "$T/out" "$T/first"
is "$(sed 's/: Some resources.*//' "$T/err")" \
	"ireconcile: error: iotservice.cp.iot.sap dev/life: the secret image-pull-secret is missing in the operator's namespace
ireconcile: warning: iotservice.cp.iot.sap dev/life: Namespace//dev-life is being deleted, and waits" \
	"... and says which, and what it waits for"
jq -r '[(.reconcile.status | "\(.phase) \(.reason // "") pods=\(.pods | length)"),
	([.items[] | "\(.kind)/\(.metadata.name)"] | join(" ")),
	([.reconcile.delete[]? | "-\(.kind)/\(.name)"] | join(" ")),
	(.reconcile.finalizers // {} | tojson)] | join("; ")' "$T/first" >"$T/short"
accept "$T/short" "$folder/t/life.out" "... its lines, in short"
life >"$T/again"
same "$T/again" "$T/first" "... the same again, to the byte"

# Reasons for Failed
long='very-long-name-that-no-stateful-set-can-bear'
is "$(of $long '.reconcile.status | "\(.phase) \(.reason)"'; of $long '.items | length')" \
	"Failed the name gateway-mqtt-$long of a StatefulSet is not a DNS label of at most 52 characters
0" "a name too long: Failed, nothing created"
grep -v '"kind":"Secret".*"image-pull-secret"' "$folder/t/instances.jsonl" |
	reconcile >"$T/got"
is "$(of bare '.reconcile.status | [.phase, .reason, .observedGeneration,
	.conditions[0].status, .conditions[0].message] | join("; ")'; of bare '.items | length')" \
	"Failed; the secret image-pull-secret is missing in the operator's namespace; 1; False; the secret image-pull-secret is missing in the operator's namespace
0" "no pull secret: Failed"
is "$(of example '.reconcile | has("delete")'; of example '.items | length')" \
	"false
0" "... and what is there stays"

# Which instances belong to this operator
sed 's/"namespace":"dev"/"namespace":"devel"/' "$folder/t/instances.jsonl" |
	reconcile >"$T/got"
is "$(<"$T/got")" "" "instances in other namespaces are not ours"

# Refusals
unset OPERATOR_NAME
runs 100 "no OPERATOR_NAME: exit 100" \
	ireconcile -f "$folder/watches.yaml" </dev/null
is "$(<"$T/err")" "ireconcile: fatal: $folder/watches.yaml:7: OPERATOR_NAME: set OPERATOR_NAME to the operator's namespace" \
	"... and says so"
runs 100 "a scope that is too small: exit 100" env OPERATOR_NAME=dev \
	WATCH_NAMESPACE=dev ireconcile -f "$folder/watches.yaml" </dev/null
is "$(<"$T/err")" "ireconcile: fatal: $folder/watches.yaml:3: iotservice.cp.iot.sap requires cluster scope, but WATCH_NAMESPACE is \"dev\": leave it out" \
	"... and says so"
done_testing
