#!/bin/bash
# The playground's program on a recording of kwatch from a real API server: a
# Deployment, a StatefulSet with a claim, two Services; then the Deployment is
# deleted.
. "${0%/*}/lib.sh"

folder=pipeline/playground
sets() {
	ireconcile -f "$folder/watches.yaml" --clock=input
}

runs 0 "ireconcile reads the recording" sets <"$folder/t/start.jsonl"
same "$T/out" "$folder/t/start.sets" "one status for each object, once"
is "$(cat "$T/err")" "" "... without a word"

# Pods that have ended or are terminating are left alone.
jq -c 'select(.object.kind == "Pod" and .type == "ADDED").object
	| .status.phase = "Succeeded"' "$folder/t/start.jsonl" >"$T/ended.jsonl"
runs 0 "pods that have ended" sets <"$T/ended.jsonl"
is "$(cat "$T/out")" "" "... get no status"
jq -c 'select(.object.kind == "Pod" and .type == "ADDED").object
	| .metadata.deletionTimestamp = "2026-11-21T05:00:00Z"' \
	"$folder/t/start.jsonl" >"$T/going.jsonl"
runs 0 "pods that are being deleted" sets <"$T/going.jsonl"
is "$(jq -c .reconcile.status "$T/out" | sort -u)" "" "... get no status"

resized=$(jq -c 'select(.object.kind == "Pod" and .type == "ADDED").object
	| .spec.containers[0].resources = {requests: {cpu: "3m"}}' \
	"$folder/t/start.jsonl" | head -n 1 | sets |
	jq -c '.reconcile.status.containerStatuses[0].resources')
is "$resized" '{"requests":{"cpu":"3m"}}' "a pod has the resources of its spec"

# The controllers, on a recording of kwatch from kapi: a Deployment and a
# StatefulSet each get another image, a Job fails.
runs 0 "the controllers read the recording of rollouts" \
	ireconcile -f "$folder/controllers.yaml" --clock=input \
	<"$folder/t/rollout.jsonl"
same "$T/out" "$folder/t/rollout.sets" "each step of it, once"
is "$(cat "$T/err")" "" "... without a word"

# Cases that the recording does not have: its last Deployment, changed.
jq -cs 'map(select(.type != "BOOKMARK").object
	| select(.kind == "Deployment" or .kind == "ReplicaSet"))
	| [reverse | unique_by(.metadata.name)[]][]' \
	"$folder/t/rollout.jsonl" >"$T/last.jsonl"
deployment() { # CHANGE: the desired sizes, and the reason of Progressing
	jq -c "if .kind == \"Deployment\" then $1 else . end" "$T/last.jsonl" |
		ireconcile -f "$folder/controllers.yaml" --all --clock=input |
		jq -r 'select(.reconcile.primary.kind == "Deployment")
			| ([.items[].spec.replicas] | sort | tojson)
			+ " " + ([.reconcile.status.conditions[]
				| select(.type == "Progressing").reason][0])' |
		tail -n 1
}
image='.spec.template.spec.containers[0].image'
is "$(deployment .)" "[0,2] NewReplicaSetAvailable" "a Deployment at rest"
is "$(deployment '.spec.paused = true')" "[0,2] DeploymentPaused" \
	"one that is paused"
is "$(deployment ".spec.paused = true | $image = \"x\"")" \
	"[0,2] DeploymentPaused" "... has no third ReplicaSet"
is "$(deployment "$image = \"x\"")" "[0,1,2] NewReplicaSetCreated" \
	"one that is not, has"
is "$(deployment "$image = \"x\" | .spec.revisionHistoryLimit = 0")" \
	"[1,2] NewReplicaSetCreated" "... and forgets what has no pods"
is "$(deployment '.spec.replicas = 5')" "[0,5] NewReplicaSetAvailable" \
	"one that grows"
is "$(deployment '.spec.replicas = 0')" "[0,0] NewReplicaSetAvailable" \
	"one that shrinks to nothing"
is "$(deployment ".spec.strategy = {type: \"Recreate\"} | $image = \"x\"")" \
	"[0,0] NewReplicaSetAvailable" "Recreate: nothing new while there are pods"
is "$(deployment '.spec.progressDeadlineSeconds = 2147483647')" "[0,2] " \
	"without a deadline there is no progress to tell"
resumed='.status.conditions[1] |= (.status = "Unknown" | .reason = "DeploymentPaused")'
is "$(deployment "$resumed | .status.updatedReplicas = 1")" \
	"[0,2] DeploymentResumed" "one that was paused"

# In the middle of a rollout of 10, with 3 more: 8 old ones and 5 new ones. The
# numbers are those of Kubernetes' own test.
rollout() { # REPLICAS: the desired sizes, as annotations and as they are
	jq -c --argjson n "$1" '
		def key($s): "deployment.kubernetes.io/\($s)";
		if .kind == "Deployment" then
			.spec.replicas = $n
			| .spec.strategy.rollingUpdate = {maxSurge: 3, maxUnavailable: 2}
		else
			(if .spec.replicas > 0 then 5 else 8 end) as $size
			| .spec.replicas = $size
			| .status = {replicas: $size, observedGeneration: 1,
				availableReplicas: ($size % 5)}
			| .metadata.annotations += {(key("desired-replicas")): "10",
				(key("max-replicas")): "13"}
		end' "$T/last.jsonl" |
		ireconcile -f "$folder/controllers.yaml" --all --clock=input |
		jq -r 'select(.reconcile.primary.kind == "Deployment")
			| [.items[] | .spec.replicas,
				.metadata.annotations["deployment.kubernetes.io/max-replicas"]]
			| map(tostring) | join(" ")' | tail -n 1
}
is "$(rollout 10)" "8 13 5 13" "a rollout that waits"
is "$(rollout 30)" "20 33 13 33" "... takes more replicas in proportion"
is "$(rollout 5)" "5 8 3 8" "... and fewer, too"
is "$(rollout 0)" "0 3 0 3" "... and none"

# Revisions may be larger than what jq counts exactly, and an orphan that was
# taken over keeps what it is called.
revisions() { # REVISION: those of the old and the new one
	jq -c --arg revision "$1" 'if .kind == "ReplicaSet" and .spec.replicas == 0
		then .metadata.annotations["deployment.kubernetes.io/revision"] = $revision
		else . end' "$T/last.jsonl" |
		ireconcile -f "$folder/controllers.yaml" --all --clock=input |
		jq -r 'select(.reconcile.primary.kind == "Deployment")
			| [.items[].metadata.annotations
				| .["deployment.kubernetes.io/revision"],
				.["deployment.kubernetes.io/revision-history"] // "-"]
			| join(" ")' | tail -n 1
}
is "$(revisions 1)" "1 - 2 -" "revisions count"
is "$(revisions 99)" "99 - 100 2" "... from the highest on"
is "$(revisions 3546343826724305899)" \
	"3546343826724305899 - 3546343826724305900 2" "... exactly"

# CronJobs, at 12:00:30.
cron() { # SPEC [STATUS [OBJECT...]]: what is begun and told
	local spec=$1 status=${2:-null}

	shift
	shift || :
	jq -cn --argjson spec "$spec" --argjson status "$status" '
		{apiVersion: "batch/v1", kind: "CronJob",
		metadata: {name: "c", namespace: "default", uid: "u",
			resourceVersion: "1", creationTimestamp: "2026-01-01T11:58:10Z"},
		spec: ({schedule: "*/5 * * * *", jobTemplate: {spec: {}}} + $spec)}
		+ (if $status == null then {} else {status: $status} end)
		| ., $ARGS.positional[]' --jsonargs "$@" |
		jq -c '{type: "ADDED", time: "2026-01-01T12:00:30Z", object: .}' |
		ireconcile -f "$folder/controllers.yaml" --all --clock=input |
		jq -r 'select(.reconcile.primary.kind == "CronJob")
			| [(.items[] | .metadata | "\(.name) "
				+ .annotations["batch.kubernetes.io/cronjob-scheduled-timestamp"]),
			(.reconcile.delete[]?.name | "-" + .),
			.reconcile.status.lastScheduleTime,
			(.reconcile.events[]?.reason)] | map(select(. != null))
			| join(", ")' | tail -n 1
}
child() { # TIME [CONDITION]: a Job of it
	jq -cn --arg name "$1" --arg condition "${2:-}" '
		{apiVersion: "batch/v1", kind: "Job", metadata: {name: $name,
			namespace: "default", uid: $name, resourceVersion: "2",
			annotations: {"batch.kubernetes.io/cronjob-scheduled-timestamp": "x"},
			ownerReferences: [{apiVersion: "batch/v1", kind: "CronJob",
				name: "c", uid: "u", controller: true}]},
		spec: {template: {spec: {containers: [], restartPolicy: "Never"}}},
		status: (if $condition == "" then {} else {startTime: $name,
			conditions: [{type: $condition, status: "True"}]} end)}'
}
is "$(cron '{}')" \
	"c-29454480 2026-01-01T12:00:00Z, 2026-01-01T12:00:00Z, SuccessfulCreate" \
	"a CronJob begins a Job"
is "$(cron '{"timeZone":"America/St_Johns"}')" \
	"c-29454480 2026-01-01T08:30:00-03:30, 2026-01-01T12:00:00Z, SuccessfulCreate" \
	"... which has the time of its zone"
is "$(cron '{"timeZone":"Pacific/Auckland"}')" \
	"c-29454480 2026-01-02T01:00:00+13:00, 2026-01-01T12:00:00Z, SuccessfulCreate" \
	"... far away"
is "$(cron '{"suspend":true}')" "" "... not if it is suspended"
is "$(cron '{"startingDeadlineSeconds":20}')" "" "... not if it is too late"
is "$(cron '{"startingDeadlineSeconds":40}' | cut -d' ' -f1)" c-29454480 \
	"... unless that is in time"
is "$(cron '{}' '{"lastScheduleTime":"2026-01-01T12:00:00Z"}')" \
	"2026-01-01T12:00:00Z" "... once"
old=$(child c-29454475)
due=$(child c-29454480)
is "$(cron '{}' '{"lastScheduleTime":"2026-01-01T11:55:00Z"}' "$due")" \
	"2026-01-01T12:00:00Z" "... also if the status does not say so yet"
is "$(cron '{"concurrencyPolicy":"Forbid"}' null "$old")" \
	"2026-01-01T11:55:00Z, JobAlreadyActive" "one that forbids another Job"
is "$(cron '{"concurrencyPolicy":"Replace"}' null "$old")" \
	"-c-29454475, 2026-01-01T11:55:00Z, SuccessfulDelete" \
	"one that replaces it ends it first"
is "$(cron '{"concurrencyPolicy":"Replace"}' null "$(jq -c \
	'.metadata.deletionTimestamp = "2026-01-01T12:00:20Z"' <<<"$old")")" \
	"c-29454480 2026-01-01T12:00:00Z, 2026-01-01T12:00:00Z, SuccessfulCreate" \
	"... and then begins the next"
is "$(cron '{"successfulJobsHistoryLimit":1,"suspend":true}' null \
	"$(child c-1 Complete)" "$(child c-2 Complete)" "$(child c-3 Failed)")" \
	"-c-1, 1970-01-01T00:03:00Z, SuccessfulDelete" "one that remembers little"
is "$(cron '{"suspend":true}' '{"active":[{"name":"c-1"},{"name":"c-2"}]}' \
	"$(child c-1 Complete)")" \
	"1970-01-01T00:01:00Z, SawCompletedJob, MissingJob" \
	"one whose Jobs have ended or are gone"

# How pods end.
outcome() { # OUTCOME NOW [RESTARTPOLICY]
	jq -c 'select(.object.kind == "Pod" and .type == "ADDED").object' \
		"$folder/t/start.jsonl" | head -n 1 |
		jq -c --arg outcome "$1" --arg time "$2" \
			--arg policy "${3:-Never}" '
			.spec.restartPolicy = $policy | .metadata.annotations["playground.kpipe.dev/outcome"] = $outcome
			| {type: "ADDED", time: $time, object: .}' |
		ireconcile -f "$folder/watches.yaml" --clock=input |
		jq -r '.reconcile.status | "\(.phase) \(.containerStatuses[0].state
			| keys[0]) \(.conditions[] | select(.type == "Ready").status)"'
}
born=$(jq -r 'select(.object.kind == "Pod" and .type == "ADDED")
	.object.metadata.creationTimestamp' "$folder/t/start.jsonl" | head -n 1)
is "$(outcome Succeeded "$born")" "Succeeded terminated False" \
	"a pod that is told to succeed"
is "$(outcome "Failed after 5s" "$born")" "Running running True" \
	"one that is told to fail later"
is "$(outcome "Failed after 0s" "$born")" "Failed terminated False" "... now"
is "$(outcome Failed "$born" Always)" "Running waiting False" \
	"one that is started again"
is "$(outcome Failed "$born" OnFailure)" "Running waiting False" \
	"... on failure"
is "$(outcome Succeeded "$born" OnFailure)" "Succeeded terminated False" \
	"... only"
is "$(outcome "Exploded" "$born")" "Running running True" \
	"one that is told nonsense"
# ... by what their containers run, if that does nothing but end: the age of the
# pod, its restartPolicy, the phase and the containers that come of it, and what
# it runs.
cat >"$T/ends" <<'END'
0 Never: Succeeded 0: [["true"]]
0 Never: Succeeded 0: [["/bin/true"]]
0 Never: Succeeded 0: [["sh","-c","exit 0"]]
0 Never: Succeeded 0: [["sleep","0"]]
0 Never: Succeeded 0: [["/bin/sh","-c","sleep 0 && exit 0"]]
0 Never: Succeeded 0: [["sh","-c","sleep 0; true"]]
0 Never: Failed 7: [["/bin/bash","-c","exit 7"]]
0 OnFailure: Running waiting: [["false"]]
0 OnFailure: Succeeded 0: [["true"]]
0 Never: Failed 0 1: [["true"],["false"]]
0 Never: Running running running: [["true"],["serve"]]
0 Always: Running running: [["true"]]
0 Never: Running running: [[]]
0 Never: Running running: [["sh"]]
0 Never: Running running: [["sh","-c","exit x"]]
0 Never: Running running: [["sh","-c",""]]
0 Never: Running running: [["truest"]]
0 Never: Running running: [["sh","-c","exit 0","x"]]
0 Never: Running running: [["sh","-c","sleep 1 exit 0"]]
0 Never: Running running: [["true","x"]]
0 Never: Succeeded 0: [["echo"]]
0 Never: Succeeded 0: [["/bin/echo","hello","world; serve"]]
0 Never: Succeeded 0: [["printf","%s|","a"]]
0 Never: Succeeded 0: [["date","-u"]]
0 Never: Succeeded 0: [["sh","-c","echo hello world"]]
0 Never: Succeeded 0: [["sh","-c","echo \"it is $(date)\""]]
0 Never: Succeeded 0: [["sh","-c","echo 'a; b | c' $HOME"]]
0 OnFailure: Succeeded 0: [["bash","-c","printf x"]]
0 Always: Running running: [["echo","x"]]
0 Never: Running running: [["sh","-c","echo x; serve"]]
0 Never: Running running: [["sh","-c","echo x | serve"]]
0 Never: Running running: [["sh","-c","echo $(serve)"]]
0 Never: Running running: [["sh","-c","echo 'x"]]
0 Never: Running running: [["sh","-c","echoes x"]]
0 Never: Running running: [["echo-server","x"]]
5 Never: Running running: [["sleep","6"]]
5 Never: Succeeded 0: [["sleep","5"]]
END
jq -c 'select(.object.kind == "Pod" and .type == "ADDED").object' \
	"$folder/t/start.jsonl" | head -n 1 >"$T/pod"
jq -cnR --slurpfile pod "$T/pod" '[inputs] | to_entries[]
	| .key as $n | .value | split(": ") as [$when, $_, $runs]
	| ($when | split(" ")) as [$age, $policy] | $pod[0]
	| (.metadata.creationTimestamp | fromdate + ($age | tonumber) | todate) as $time
	| .metadata.name = "p\($n)" | .metadata.uid = "\($n + 1000)-ab"
	| .spec.restartPolicy = $policy
	| .spec.containers = [$runs | fromjson[] | {name: "a", image: "b",
		command: .[:1], args: .[1:]}]
	| {type: "ADDED", time: $time, object: .}' "$T/ends" |
	ireconcile -f "$folder/watches.yaml" --clock=input >"$T/ended"
jq -cR --slurpfile ended "$T/ended" '
	(input_line_number - 1) as $n | split(": ") as [$when, $_, $runs]
	| [$ended[].reconcile | select(.primary.name == "p\($n)")][0].status
	| "\($when): \([.phase, (.containerStatuses[].state
		| .terminated.exitCode // keys[0])] | join(" ")): \($runs)"' "$T/ends" |
	jq -r . >"$T/got"
same "$T/got" "$T/ends" "a pod ends as its commands do"
done_testing
