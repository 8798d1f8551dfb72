#!/bin/bash
# What controllers of workloads tell and count, and how Jobs begin and end: the
# playground on kapi and kube-controller-manager say the same.
# servers: kapi real
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=cluster/lib.sh
. "${0%/*}/cluster/lib.sh"
cluster_start
playground
POLL=.15 # a look takes two processes

# events KIND NAME: what is told about an object, in any order, with HASH and
# POD instead of what differs
events() {
	kubectl get events -o json | jq -r --arg kind "$1" --arg name "$2" '
		[.items[] | select(.involvedObject
			| .kind == $kind and (.name | test("^\($name)$")))
		| (.message | gsub("web-[0-9a-z]{8,10}"; "web-HASH")
			| gsub("-[0-9a-z]{5}$"; "-POD")) as $message
		| "\(.type) \(.reason) \($message) (\(.source.component))"]
		| sort[]'
}
told() {
	events "$1" "$2" >"$T/told"
	[ "$(<"$T/told")" = "$3" ]
}
# tells KIND NAME EVENTS WHAT
tells() {
	wait_for 60 told "$1" "$2" "$3"
	is "$(<"$T/told")" "$3" "$4"
}

# becomes RESOURCE NAME FILTER WANT
becomes() {
	last_is() {
		[ "$(kubectl get "$1" "$2" -o json | jq -cS "$3")" = "$4" ]
	}
	wait_for 60 last_is "$@" && return
	kubectl get "$1" "$2" -o json | jq -cS "$3" | quote
	return 1
}
conditions='[.status.conditions[]? | "\(.type) \(.status) \(.reason) \(.message)"]'
progress='.status.conditions[] | select(.type == "Progressing")
	| "\(.status) \(.reason) \(.message)"'

template() { # NAME [OUTCOME [RESTART-POLICY]]: a template of pods as JSON
	printf '{"metadata":{"labels":{"app":"%s"},"annotations":{%s}},"spec":{"restartPolicy":"%s","containers":[{"name":"a","image":"one"}]}}' \
		"$1" "${2:+\"playground.kpipe.dev/outcome\":\"$2\"}" "${3:-Always}"
}
object() { # APIVERSION KIND NAME SPEC
	printf '{"apiVersion":"%s","kind":"%s","metadata":{"name":"%s"},"spec":%s}' \
		"$@" | kubectl create -f - >/dev/null
}
change() { # RESOURCE NAME SPEC
	kubectl patch "$1" "$2" --type=merge -p "{\"spec\":$3}" >/dev/null
}

# ---- a Deployment

object apps/v1 Deployment web "{\"replicas\": 2,
	\"selector\": {\"matchLabels\": {\"app\": \"web\"}},
	\"template\": $(template web)}"
ok "a Deployment is available" becomes deployment web \
	'.status.availableReplicas' 2
change deployment web \
	'{"template":{"spec":{"containers":[{"name":"a","image":"two"}]}}}'
ok "... takes another image" becomes deployment web \
	'[.status.updatedReplicas, .status.replicas, .status.observedGeneration]' \
	'[2,2,2]'
tells Deployment web \
	"Normal ScalingReplicaSet Scaled down replica set web-HASH from 1 to 0 (deployment-controller)
Normal ScalingReplicaSet Scaled down replica set web-HASH from 2 to 1 (deployment-controller)
Normal ScalingReplicaSet Scaled up replica set web-HASH from 0 to 1 (deployment-controller)
Normal ScalingReplicaSet Scaled up replica set web-HASH from 0 to 2 (deployment-controller)
Normal ScalingReplicaSet Scaled up replica set web-HASH from 1 to 2 (deployment-controller)" \
	"... and tells each step"
tells ReplicaSet 'web-[^.]*' \
	"Normal SuccessfulCreate Created pod: web-HASH-POD (replicaset-controller)
Normal SuccessfulCreate Created pod: web-HASH-POD (replicaset-controller)
Normal SuccessfulCreate Created pod: web-HASH-POD (replicaset-controller)
Normal SuccessfulCreate Created pod: web-HASH-POD (replicaset-controller)
Normal SuccessfulDelete Deleted pod: web-HASH-POD (replicaset-controller)
Normal SuccessfulDelete Deleted pod: web-HASH-POD (replicaset-controller)" \
	"... as its ReplicaSets do"

change deployment web '{"paused":true}'
ok "a paused one says so" becomes deployment web "$progress" \
	'"Unknown DeploymentPaused Deployment is paused"'
change deployment web '{"replicas":3}'
ok "... and can be scaled" becomes deployment web .status.availableReplicas 3
change deployment web '{"paused":false}'
ok "one that goes on" becomes deployment web \
	"$progress | sub(\"web-[0-9a-f]*\"; \"web-x\")" \
	'"True NewReplicaSetAvailable ReplicaSet \"web-x\" has successfully progressed."'

# ---- a ReplicationController

object v1 ReplicationController old "{\"replicas\": 2,
	\"selector\": {\"app\": \"old\"}, \"template\": $(template old)}"
ok "a ReplicationController" becomes rc old '.status | del(.conditions)' \
	'{"availableReplicas":2,"fullyLabeledReplicas":2,"observedGeneration":1,"readyReplicas":2,"replicas":2}'
change rc old '{"replicas":1}'
ok "... shrinks" becomes rc old \
	'[.status.replicas, .status.observedGeneration]' '[1,2]'
tells ReplicationController old \
	"Normal SuccessfulCreate Created pod: old-POD (replication-controller)
Normal SuccessfulCreate Created pod: old-POD (replication-controller)
Normal SuccessfulDelete Deleted pod: old-POD (replication-controller)" \
	"... and tells it"

# ---- a StatefulSet

object apps/v1 StatefulSet db "{\"replicas\": 1, \"serviceName\": \"db\",
	\"selector\": {\"matchLabels\": {\"app\": \"db\"}},
	\"template\": $(template db),
	\"volumeClaimTemplates\": [{\"metadata\": {\"name\": \"disk\"},
		\"spec\": {\"accessModes\": [\"ReadWriteOnce\"],
		\"resources\": {\"requests\": {\"storage\": \"1Gi\"}}}}]}"
ok "a StatefulSet" becomes statefulset db .status.readyReplicas 1
change statefulset db '{"replicas":0}'
ok "... goes to nothing" becomes statefulset db \
	'[.status.replicas, .status.observedGeneration]' '[0,2]'
tells StatefulSet db \
	"Normal SuccessfulCreate Create Claim disk-db-0 Pod db-0 in StatefulSet db success (statefulset-controller)
Normal SuccessfulCreate Create Pod db-0 in StatefulSet db successful (statefulset-controller)
Normal SuccessfulDelete Delete Pod db-0 in StatefulSet db successful (statefulset-controller)" \
	"... and tells it"

# A claim that is there already is used.
object v1 PersistentVolumeClaim disk-old-0 '{"accessModes": ["ReadWriteOnce"],
	"resources": {"requests": {"storage": "1Gi"}}}'
uid=$(kubectl get pvc disk-old-0 -o jsonpath='{.metadata.uid}')
object apps/v1 StatefulSet old "{\"replicas\": 1, \"serviceName\": \"old\",
	\"selector\": {\"matchLabels\": {\"app\": \"old\"}},
	\"template\": $(template old),
	\"volumeClaimTemplates\": [{\"metadata\": {\"name\": \"disk\"},
		\"spec\": {\"accessModes\": [\"ReadWriteOnce\"],
		\"resources\": {\"requests\": {\"storage\": \"1Gi\"}}}}]}"
ok "a StatefulSet whose claim is there" becomes statefulset old \
	.status.readyReplicas 1
tells StatefulSet old \
	"Normal SuccessfulCreate Create Pod old-0 in StatefulSet old successful (statefulset-controller)" \
	"... tells of its pod alone"
is "$(kubectl get pvc disk-old-0 -o json |
	jq -r '.metadata | "\(.uid) \(.ownerReferences)"')" "$uid null" \
	"... and leaves the claim as it is"

# ---- Jobs

job() { # NAME OUTCOME SPEC [RESTART-POLICY]
	object batch/v1 Job "$1" \
		"{\"template\":$(template "$1" "$2" "${4:-Never}"),${3#\{}"
}
job good Succeeded '{"completions":2,"parallelism":1}'
job bad Failed '{"backoffLimit":0}'
job again Failed '{"backoffLimit":1}' OnFailure
job later "" '{"suspend":true,"parallelism":2,"completions":2}'
job each Succeeded '{"completionMode":"Indexed","completions":3,
	"parallelism":3}'
ok "a Job that succeeds" becomes job good "$conditions" \
	'["SuccessCriteriaMet True CompletionsReached Reached expected number of succeeded pods","Complete True CompletionsReached Reached expected number of succeeded pods"]'
ok "... counts" becomes job good \
	'.status | [.succeeded, .active, .failed, .ready, .terminating,
		(.completionTime | length)]' '[2,null,null,0,0,20]'
tells Job good "Normal Completed Job completed (job-controller)
Normal SuccessfulCreate Created pod: good-POD (job-controller)
Normal SuccessfulCreate Created pod: good-POD (job-controller)" \
	"... and tells it"
ok "one that fails" becomes job bad "$conditions" \
	'["FailureTarget True BackoffLimitExceeded Job has reached the specified backoff limit","Failed True BackoffLimitExceeded Job has reached the specified backoff limit"]'
tells Job bad \
	"Normal SuccessfulCreate Created pod: bad-POD (job-controller)
Warning BackoffLimitExceeded Job has reached the specified backoff limit (job-controller)" \
	"... tells why"
ok "... and one whose container fails again" becomes job again "$conditions" \
	'["FailureTarget True BackoffLimitExceeded Job has reached the specified backoff limit","Failed True BackoffLimitExceeded Job has reached the specified backoff limit"]'
ok "an indexed one" becomes job each \
	'[.status.completedIndexes, .status.succeeded]' '["0-2",3]'
is "$(kubectl get pods -l job-name=each -o json | jq -r '.items[]
	| [.metadata.labels["batch.kubernetes.io/job-completion-index"],
	.metadata.annotations["batch.kubernetes.io/job-completion-index"],
	.spec.hostname, .spec.containers[0].env[0].valueFrom.fieldRef.fieldPath]
	| join(" ")' | sort)" \
	"0 0 each-0 metadata.labels['batch.kubernetes.io/job-completion-index']
1 1 each-1 metadata.labels['batch.kubernetes.io/job-completion-index']
2 2 each-2 metadata.labels['batch.kubernetes.io/job-completion-index']" \
	"... has a pod for each index"
ok "a suspended one" becomes job later \
	"[$conditions, .status.startTime, .status.active]" \
	'[["Suspended True JobSuspended Job suspended"],null,null]'
change job later '{"suspend":false}'
ok "... is resumed" becomes job later \
	"[$conditions, .status.active, .status.ready]" \
	'[["Suspended False JobResumed Job resumed"],2,2]'
change job later '{"suspend":true}'
ok "... and suspended again" becomes job later \
	"[$conditions, .status.startTime, .status.active]" \
	'[["Suspended True JobSuspended Job suspended"],null,null]'
tells Job later \
	"Normal Resumed Job resumed (job-controller)
Normal SuccessfulCreate Created pod: later-POD (job-controller)
Normal SuccessfulCreate Created pod: later-POD (job-controller)
Normal SuccessfulDelete Deleted pod: later-POD (job-controller)
Normal SuccessfulDelete Deleted pod: later-POD (job-controller)
Normal Suspended Job suspended (job-controller)" "... and tells it"

# ---- CronJobs: those of the past are due at once

cron() { # NAME OUTCOME SPEC: a CronJob that was last due years ago
	object batch/v1 CronJob "$1" '{"suspend":true,"schedule":"0 0 1 1 *",
		"jobTemplate":{"metadata":{"labels":{"of":"cron"},
			"annotations":{"note":"n"}},
			"spec":{"template":'"$(template "$1" "$2" Never)}},${3#\{}"
	last "$1" 2020-06-01T00:00:00Z
	change cronjob "$1" '{"suspend":false}'
}
last() { # NAME TIME
	kubectl patch cronjob "$1" --subresource=status --type=merge \
		-p "{\"status\":{\"lastScheduleTime\":\"$2\"}}" >/dev/null
}
year=$(date -u +%Y)
cron a Succeeded '{"timeZone":"Asia/Kathmandu"}'
# The Job of c is not deleted at the first try.
with_rights ||
	kapi_fault '{verb: "delete", resource: "jobs", name: "c-*", code: 409}'
cron b "" '{"concurrencyPolicy":"Forbid"}'
cron c "" '{"concurrencyPolicy":"Replace"}'
due="$year-01-01T00:00:00Z"
mine="$(date -u -d "$year-01-01T00:00:00+05:45" +%FT%TZ)"
name() { # CRONJOB TIME: of its Job
	echo "$1-$(($(date -u -d "$2" +%s) / 60))"
}
ok "a CronJob" becomes cronjob a \
	'[.status.active, .status.lastScheduleTime,
		(.status.lastSuccessfulTime | length)]' "[null,\"$mine\",20]"
is "$(kubectl get job "$(name a "$mine")" -o json | jq -c '.metadata
	| [.labels.of, .annotations.note,
	.annotations["batch.kubernetes.io/cronjob-scheduled-timestamp"],
	.ownerReferences[0].kind]')" \
	"[\"cron\",\"n\",\"$year-01-01T00:00:00+05:45\",\"CronJob\"]" \
	"... makes a Job that knows its time"
job=$(name a "$mine")
tells CronJob a \
	"Normal SawCompletedJob Saw completed job: $job, condition: Complete (cronjob-controller)
Normal SuccessfulCreate Created job $job (cronjob-controller)" "... and tells it"
for n in b c; do
	job=$(name "$n" "$due")
	ok "one whose Job runs" becomes cronjob "$n" \
		'[.status.active[].name, .status.lastScheduleTime]' \
		"[\"$job\",\"$due\"]"
	change cronjob "$n" '{"schedule":"0 0 2 1 *","suspend":true}'
	last "$n" 2020-06-01T00:00:00Z
	change cronjob "$n" '{"suspend":false}'
done
next="$year-01-02T00:00:00Z"
ok "... is replaced, if it says so" becomes cronjob c \
	'[.status.active[].name]' "[\"$(name c "$next")\"]"
tells CronJob c \
	"Normal SuccessfulCreate Created job $(name c "$due") (cronjob-controller)
Normal SuccessfulCreate Created job $(name c "$next") (cronjob-controller)
Normal SuccessfulDelete Deleted job $(name c "$due") (cronjob-controller)" \
	"... and tells it"
tells CronJob b \
	"Normal JobAlreadyActive Not starting job because prior execution is running and concurrency policy is Forbid (cronjob-controller)
Normal SuccessfulCreate Created job $(name b "$due") (cronjob-controller)" \
	"... or goes on, if another one is forbidden"

# ---- pods that are refused: nothing is told that was not done

class() { # NAME: it is there
	jq -nc --arg name "$1" '{apiVersion: "scheduling.k8s.io/v1",
		kind: "PriorityClass", metadata: {name: $name}, value: 7}' |
		kubectl create -f - >/dev/null
}
refused=$(template late | jq -c '.spec.priorityClassName = "urgent"')
# each KIND NAME: each different Event, without names of pods
each() {
	events "$1" "$2" | sed -E 's/"late-[0-9a-z]*"/"late-POD"/' |
		sort -u
}
all_are() {
	each "$1" "$2" >"$T/told"
	[ "$(<"$T/told")" = "$3" ]
}
tells_each() { # KIND NAME EVENTS WHAT
	wait_for 60 all_are "$1" "$2" "$3"
	is "$(<"$T/told")" "$3" "$4"
}
object apps/v1 ReplicaSet late "{\"replicas\": 1,
	\"selector\": {\"matchLabels\": {\"app\": \"late\"}}, \"template\": $refused}"
object apps/v1 StatefulSet tardy "{\"replicas\": 1, \"serviceName\": \"db\",
	\"selector\": {\"matchLabels\": {\"app\": \"late\"}},
	\"template\": $refused,
	\"volumeClaimTemplates\": [{\"metadata\": {\"name\": \"disk\"},
		\"spec\": {\"accessModes\": [\"ReadWriteOnce\"],
		\"resources\": {\"requests\": {\"storage\": \"1Gi\"}}}}]}"
because='is forbidden: no PriorityClass with name urgent was found'
single="Warning FailedCreate Error creating: pods \"late-POD\" $because (replicaset-controller)"
tells_each ReplicaSet late "$single" "a pod that is refused was not created"
sets="Normal SuccessfulCreate Create Claim disk-tardy-0 Pod tardy-0 in StatefulSet tardy success (statefulset-controller)"
numbered="Warning FailedCreate Create Pod tardy-0 in StatefulSet tardy failed error: pods \"tardy-0\" $because (statefulset-controller)"
tells_each StatefulSet tardy "$sets
$numbered" "... but its claim was"
class urgent
ok "it is created later" becomes replicaset late .status.replicas 1
tells_each ReplicaSet late \
	"Normal SuccessfulCreate Created pod: late-POD (replicaset-controller)
$single" "... and told then"
tells_each StatefulSet tardy "$sets
Normal SuccessfulCreate Create Pod tardy-0 in StatefulSet tardy successful (statefulset-controller)
$numbered" "... and so is one of a StatefulSet"
done_testing
