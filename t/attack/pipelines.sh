# shellcheck shell=bash disable=SC2154
# The operators of pipeline/, each under its own user and rights.

section "the five operators"

# run NAME USER SCOPE [KPIPE-ARGUMENT]...: runs it with the roles of its
# rbac.yaml
run() {
	local name=$1 user=$2 role

	kubectl apply -f "pipeline/$name/crd.yaml" >/dev/null
	kubectl apply -f "pipeline/$name/rbac.yaml" ${3:+-l "$3"} -n sys >/dev/null
	for role in $(kubectl get clusterroles -o name | sed -n "s,^clusterrole[^/]*/\\($name.*\\),\\1,p"); do
		kubectl create clusterrolebinding "$role" --user="$user" \
			"--clusterrole=$role" >/dev/null
	done
	wait_for 20 kubectl wait --for=condition=Established -f "pipeline/$name/crd.yaml"
	start env -u KUBECONFIG OPERATOR_NAME=ops POD_NAMESPACE="${RUN_IN:-sys}" kpipe \
		-f "pipeline/$name/watches.yaml" \
		--kubeconfig "$(config "$user")" "${@:4}" 2>>"$T/operator-$name.log"
}
kubectl create secret docker-registry image-pull-secret -n ops \
	--docker-server=registry.example.com --docker-username=u \
	--docker-password=pullsecretpassword >/dev/null
kubectl create role secrets -n ops --verb=get,create --resource=secrets >/dev/null
kubectl create rolebinding secrets -n ops --role=secrets --user=kapply >/dev/null
run memcached user2 kpipe.dev/scope=cluster -A
run at user3 "" -A
run experimental user4 kpipe.dev/scope=cluster -A
run cronjob kstatus kpipe.dev/scope=cluster -A
RUN_IN=ops run iotservice kapply ""
may mallory '*' iotservices.cp.iot.sap ops

memcacheds=/apis/cache.example.com/v1alpha1/namespaces
ats=/apis/at.example.com/v1alpha1/namespaces
experimentals=/apis/experiments.vapourware.com/v1alpha1/namespaces
cronjobs=/apis/batch.tutorial.kubebuilder.io/v1/namespaces
services=/apis/cp.iot.sap/v1/namespaces/ops/iotservices
wait_for 20 kubectl get -A \
	memcacheds,ats,experimentals,iotservices,cronjobs.batch.tutorial.kubebuilder.io

# made USER PATH KIND NAME SPEC
made() {
	local group=${2#/apis/}

	as "$1" POST "$2" "{\"apiVersion\":\"${group%/namespaces/*}\",\"kind\":\"$3\",
		\"metadata\":{\"name\":\"$4\"},\"spec\":$5}" >"$T/answer"
}
# cron_spec SCHEDULE [JQ-FILTER]
cron_spec() {
	jq -cn --arg schedule "$1" '{$schedule, jobTemplate: {spec: {template:
		{spec: {restartPolicy: "Never",
		containers: [{name: "c", image: "i"}]}}}}} | '"${2:-.}"
}
iot_spec=$(kubectl create --dry-run=client -o json -f pipeline/iotservice/example.yaml |
	jq -cs 'map(select(.kind == "IoTService"))[0].spec')
made admin "$memcacheds/victim/memcacheds" Memcached mc '{"size":1}'
made admin "$experimentals/victim/experimentals" Experimental ex '{"numberOfReplicas":1}'
made admin "$cronjobs/victim/cronjobs" CronJob cj "$(cron_spec '@yearly')"
made admin "$services" IoTService good "$iot_spec"

replicas_of() {
	api "/apis/apps/v1/namespaces/$1/deployments/$2" | jq -r .spec.replicas
}
size=1
memcached_follows() {
	[ "$(replicas_of victim mc)" = "$size" ]
}
iot_follows() {
	[ "$(replicas_of ops-good cockpit-good)" = "$size" ]
}
experimental_follows() {
	[ "$(api /api/v1/namespaces/victim/pods | jq '[.items[] | select(
		.metadata.labels.app == "ex" and .metadata.deletionTimestamp == null)]
		| length')" = "$size" ]
}
cronjob_follows() {
	api "$cronjobs/victim/cronjobs/cj" | jq -e --argjson size "$size" '
		.spec.successfulJobsHistoryLimit == $size
		and .status.observedGeneration == .metadata.generation'
}
at_follows() {
	there "/api/v1/namespaces/victim/pods/at$size"
}
# From here the five also check that their victims are reconciled.
followed() {
	beat=$((beat + 1))
	size=$((size % 5 + 1))
	as victim PATCH "$targets/victim/targets/v" "{\"spec\":{\"beat\":$beat}}" >/dev/null
	as admin PATCH "$memcacheds/victim/memcacheds/mc" "{\"spec\":{\"size\":$size}}" >/dev/null
	as admin PATCH "$experimentals/victim/experimentals/ex" "{\"spec\":{\"numberOfReplicas\":$size}}" >/dev/null
	as admin PATCH "$services/good" "{\"spec\":{\"cockpit\":{\"size\":$size}}}" >/dev/null
	as admin PATCH "$cronjobs/victim/cronjobs/cj" "{\"spec\":{\"successfulJobsHistoryLimit\":$size}}" >/dev/null
	wait_for 20 beats && wait_for 20 memcached_follows &&
		wait_for 20 experimental_follows && wait_for 20 iot_follows &&
		wait_for 20 cronjob_follows
}
wait_for 60 iot_follows
ready_is() {
	api "$1" | jq -e --arg s "$2" '.status.conditions[]?
		| select(.type == "Ready" and .status == $s)'
}
refused_or() {
	refused || "$@"
}

try_memcached() {
	tries "Memcached: $1" made mallory "$memcacheds/tenant/memcacheds" Memcached "$2" "$3"
	gets "refused, or not Ready" refused_or ready_is "$memcacheds/tenant/memcacheds/$2" False
}
try_memcached "a size of 2^31" m1 '{"size":2147483648}'
try_memcached "a size of -1" m2 '{"size":-1}'
try_memcached "a size that is a text" m3 '{"size":"1e17"}'
try_memcached "a name of 100 characters" "$(printf 'a%.0s' {1..100})" '{"size":1}'
try_memcached "no spec" m4 null
tries "Memcached: a Deployment of that name that is hers" as mallory POST \
	/apis/apps/v1/namespaces/tenant/deployments '{"metadata":{"name":"taken"},"spec":{"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}}}}' >"$T/answer"
made mallory "$memcacheds/tenant/memcacheds" Memcached taken '{"size":3}'
gets "not Ready: it is not part of it" ready_is "$memcacheds/tenant/memcacheds/taken" False

try_at() {
	tries "At: $1" made mallory "$ats/tenant/ats" At "$2" "$3"
	gets "refused, or not Ready, or hers alone" refused_or there "$ats/tenant/ats/$2"
}
try_at "the year 292277026596" a1 '{"schedule":"292277026596-01-01T00:00:00Z","command":"x"}'
try_at "the year 9999" a2 '{"schedule":"9999-12-31T23:59:59Z","command":"x"}'
try_at "a leap second" a3 '{"schedule":"2016-12-31T23:59:60Z","command":"x"}'
try_at "a number as time" a4 '{"schedule":1e17,"command":"x"}'
try_at "a command of 100,000 quotes" a5 "{\"schedule\":\"2001-01-01T00:00:00Z\",\"command\":\"$(
	printf "'%.0s" {1..100000})\"}"
try_at "a command with new lines and ESC" a6 '{"schedule":"2001-01-01T00:00:00Z","command":"sh -c \"echo \u001b[31m\n\""}'
try_at "a command that is empty" a7 '{"schedule":"2001-01-01T00:00:00Z","command":""}'

try_experimental() {
	tries "Experimental: $1" made mallory "$experimentals/tenant/experimentals" Experimental "$2" "$3"
	gets "refused, or not Ready" refused_or ready_is "$experimentals/tenant/experimentals/$2" False
}
try_experimental "2^31 - 1 pods" e1 '{"numberOfReplicas":2147483647}'
try_experimental "-1 pods" e2 '{"numberOfReplicas":-1}'
try_experimental "both spellings, different" e3 '{"numberOfReplicas":1,"number_of_replicas":2}'
as mallory DELETE "$experimentals/tenant/experimentals" >/dev/null
tries "Experimental: a pod named e9-99999999999999999999" as mallory POST \
	/api/v1/namespaces/tenant/pods '{"metadata":{"name":"e9-99999999999999999999"},"spec":{"containers":[{"name":"c","image":"i"}]}}' >"$T/answer"
made mallory "$experimentals/tenant/experimentals" Experimental e9 '{"numberOfReplicas":1}'
gets "a pod beside it" there /api/v1/namespaces/tenant/pods/e9-0

# ---- CronJob ----

# try_cronjob WHAT NAME SCHEDULE [JQ-FILTER]
try_cronjob() {
	tries "CronJob: $1" made mallory "$cronjobs/tenant/cronjobs" CronJob "$2" \
		"$(cron_spec "$3" "${4-}")"
	gets "refused, or not Ready, or hers alone" refused_or \
		there "$cronjobs/tenant/cronjobs/$2"
}
try_cronjob "a schedule of 500 kB" c1 "$(printf '*,%.0s' {1..50000})" \
	'.schedule *= 5'
try_cronjob "every 1 ns" c2 '@every 1ns'
try_cronjob "every 2^63 hours" c3 '@every 9223372036854775808h'
try_cronjob "a day that never comes" c4 '0 0 30 2 *'
try_cronjob "a zone that is another file" c5 '@hourly' \
	'.timeZone = "../../../../etc/passwd"'
try_cronjob "a schedule with new lines and ESC" c6 $'* * * * *\n\e[31m'
try_cronjob "a deadline of 2^63 - 1 s" c7 '@every 1s' \
	'.startingDeadlineSeconds = 9223372036854775807 | .suspend = true'
try_cronjob "a Job that is not one" c8 '@every 1s' '.jobTemplate.spec = {"a": [[1]]}'
try_cronjob "a Job of a name and owner of her choice" c9 '@every 1s' \
	'.jobTemplate.metadata = {name: "cj", namespace: "victim",
		ownerReferences: [], labels: {a: "b"}}'
# A last run that is far away.
tries "CronJob: a last run in the year 9999" as mallory PATCH \
	"$cronjobs/tenant/cronjobs/c2/status" \
	'{"status":{"lastScheduleTime":"9999-12-31T23:59:59Z"}}' >"$T/answer"
gets "hers alone" there "$cronjobs/tenant/cronjobs/c2"
as mallory DELETE "$cronjobs/tenant/cronjobs" >/dev/null

# ---- IoTService ----

iot_failed() {
	api "$services/$1" | jq -e '.status.phase == "Failed"'
}
try_iot() {
	local name=s$attacks

	tries "IoTService: $1" made mallory "$services" IoTService "$name" \
		"$(jq -c "$2" <<<"$iot_spec")"
	gets "refused, or Failed, or an instance of hers" refused_or there "$services/$name"
}
try_iot "a port of 70000" '.cockpit.container_port = "70000"'
try_iot "a port that is ESC" '.cockpit.container_port = "\u001b[31m"'
try_iot "2^53 commands" '.gateway.rest.commands_ttl = 9007199254740993'
try_iot "U+FFFF in a certificate" '.client_auth_cert = ["￿"]'
try_iot "YAML in a text" '.domain_name = "x\n  evil: true\n"'
try_iot "a certificate of 500 kB" '.server_cert = ([range(50000) | "0123456789"] | join(""))'
try_iot "60,000 certificates" '.client_auth_cert = [range(60000) | "x"]'
try_iot "invalid resources" '.cockpit.resources = {"limits": {"cpu": "lots"}}'
try_iot "an image with new lines" '.cockpit.image = "a\nb"'
named_too_long=$(printf 'a%.0s' {1..64})
tries "IoTService: a name of 64 characters" made mallory "$services" IoTService \
	"$named_too_long" "$iot_spec"
gets "Failed" iot_failed "$named_too_long"
iot_primary="IoTService.cp.iot.sap/ops/acme"
may squatter create,get,list namespaces
squat() {
	as squatter POST /api/v1/namespaces "{\"metadata\":{\"name\":\"ops-$1\",${2}}}" >"$T/answer"
	made admin "$services" IoTService "$1" "$iot_spec"
}
nothing_stolen() {
	iot_failed "$1" && api_gone "/api/v1/namespaces/ops-$1/secrets/image-pull-secret"
}
tries "IoTService: an instance's namespace before it, with marks" squat acme \
	"$(marks "$iot_primary" Namespace//ops-acme)"
gets "Failed; the pull secret is not there" nothing_stolen acme
tries "... with marks and the proof of another namespace" squat acme2 \
	"$(marks IoTService.cp.iot.sap/ops/acme2 Namespace//ops-acme2 /api/v1/namespaces/ops-good)"
gets "Failed; the pull secret is not there" nothing_stolen acme2
tries "... with the original operator's label" squat acme3 '"labels":{"instance":"acme3"}'
gets "Failed; the pull secret is not there" nothing_stolen acme3
# The marks of an earlier instance, for a new one of the same name.
made admin "$services" IoTService again "$iot_spec"
wait_for 60 there /api/v1/namespaces/ops-again/secrets/image-pull-secret
old_marks=$(api /api/v1/namespaces/ops-again | jq -c '.metadata
	| {labels, annotations}' | sed 's/^{//;s/}$//')
as admin DELETE "$services/again" >/dev/null
wait_for 60 api_gone "$services/again"
tries "... with the marks of an instance of that name that was" squat again "$old_marks"
gets "Failed; the pull secret is not there" nothing_stolen again
pull_secret_safe() {
	! kubectl get secrets,configmaps -n tenant -o json | grep -q "$(printf pullsecretpassword | base64 | head -c 20)" &&
		! kubectl get events,iotservices -A -o json | grep -q pullsecretpassword
}
tries "the pull secret by Events, statuses or objects of hers" true
gets "nowhere" pull_secret_safe
