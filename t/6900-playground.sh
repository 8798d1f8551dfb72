#!/bin/bash
# The playground's programs on recordings of kwatch, and on tables of what the
# recordings do not have. A table's line is INPUT # WHAT ~ RESULT: INPUT is jq,
# and makes the objects of a namespace of its own; RESULT is of the last set.
. "${0%/*}/lib.sh"

folder=pipeline/playground

# recording NAME WATCHES WHAT
recording() {
	runs 0 "ireconcile reads the recording of $3" \
		ireconcile -f "$folder/$2.yaml" --clock=input <"$folder/t/$1.jsonl"
	same "$T/out" "$folder/t/$1.sets" "... one set for each step, once"
	is "$(<"$T/err")" "" "... without a word"
}
# From a real API server: a Deployment, a StatefulSet with a claim, two
# Services; then the Deployment is deleted.
recording start watches "Pods, Services and claims"
# From kapi: a Deployment and a StatefulSet each get another image, a Job fails.
recording rollout controllers "rollouts"

# table WHAT WATCHES KIND: the table is standard input. $input defines
# at($namespace; INPUT), which makes the objects, and what INPUT may call;
# $result makes the text of a set.
table() {
	cat >"$T/table"
	{
		echo "$input"
		awk -F ' ~ ' '{ print (NR > 1 ? "," : "") "at(\"n" NR "\"; " $1 "\n)" }' \
			"$T/table"
	} >"$T/input.jq"
	jq -cn --slurpfile start "$folder/t/start.jsonl" \
		--slurpfile rollout "$folder/t/rollout.jsonl" -f "$T/input.jq" |
		ireconcile -f "$folder/$2.yaml" --all --clock=input |
		jq -rn --rawfile table "$T/table" --arg kind "$3" "reduce
			(inputs | select(.reconcile.primary.kind == \$kind)) as \$set
			({}; .[\$set.reconcile.primary.namespace] = (\$set | $result))
			| . as \$got | \$table | split(\"\\n\")[:-1] | to_entries[]
			| (.value | split(\" ~ \")[0]) + \" ~ \" + (\$got[\"n\(.key + 1)\"] // \"nothing\")" \
			>"$T/got"
	same "$T/got" "$T/table" "$1"
}

# The recording's last Deployment and its ReplicaSets, which INPUT changes. Of
# each ReplicaSet REVISION:REPLICAS/MAX-REPLICAS[:REVISION-HISTORY], then the
# reason of Progressing. The numbers of `rolling`, the middle of a rollout of 10
# with 3 more, 8 old ones and 5 new ones, are those of Kubernetes' own test.
input='def annotated($s): .metadata.annotations["deployment.kubernetes.io/\($s)"];
def at($namespace; change):
	[[$rollout[] | select(.type != "BOOKMARK").object
	| select(.kind == "Deployment" or .kind == "ReplicaSet")]
	| reverse | unique_by(.metadata.name)[]]
	| {deployment: .[0], new: .[1], old: .[2]} | change
	| .[] | .metadata |= (.namespace = $namespace | .uid += $namespace)
	| .metadata.ownerReferences[]?.uid += $namespace;
def another: .deployment.spec.template.spec.containers[0].image = "x";
def revision($text): .old |= (annotated("revision") = $text);
def rolling($n):
	.deployment.spec |= (.replicas = $n
		| .strategy.rollingUpdate = {maxSurge: 3, maxUnavailable: 2})
	| .new.spec.replicas = 5 | .old.spec.replicas = 8
	| (.new, .old) |= (.spec.replicas as $size
		| .status = {replicas: $size, observedGeneration: 1,
			availableReplicas: ($size % 5)}
		| annotated("desired-replicas") = "10"
		| annotated("max-replicas") = "13");'
result='([.items[] | .spec.replicas as $replicas | .metadata.annotations
	| with_entries(.key |= ltrimstr("deployment.kubernetes.io/"))
	| "\(.revision):\($replicas)/\(.["max-replicas"])"
		+ (.["revision-history"] // "" | if . == "" then . else ":" + . end)]
	| sort | join(" ")) + " "
	+ (first(.reconcile.status.conditions[]
		| select(.type == "Progressing").reason) // "-")'
table "Deployments" controllers Deployment <<'END'
. # at rest ~ 1:0/3 2:2/3 NewReplicaSetAvailable
.deployment.spec.paused = true ~ 1:0/3 2:2/3 DeploymentPaused
.deployment.spec.paused = true | another # no third ReplicaSet ~ 1:0/3 2:2/3 DeploymentPaused
another ~ 1:0/3 2:2/3 3:1/3 NewReplicaSetCreated
another | .deployment.spec.revisionHistoryLimit = 0 # what has no pods goes ~ 2:2/3 3:1/3 NewReplicaSetCreated
.deployment.spec.replicas = 5 ~ 1:0/7 2:5/7 NewReplicaSetAvailable
.deployment.spec.replicas = 0 ~ 1:0/0 2:0/0 NewReplicaSetAvailable
.deployment.spec.strategy = {type: "Recreate"} | another # nothing new while there are pods ~ 1:0/2 2:0/2 NewReplicaSetAvailable
.deployment.spec.progressDeadlineSeconds = 2147483647 # none: no progress to tell ~ 1:0/3 2:2/3 -
.deployment.status |= (.updatedReplicas = 1 | .conditions[1] |= (.status = "Unknown" | .reason = "DeploymentPaused")) ~ 1:0/3 2:2/3 DeploymentResumed
rolling(10) # waits ~ 1:8/13 2:5/13 ReplicaSetUpdated
rolling(30) # takes more replicas in proportion ~ 1:20/33 2:13/33 ReplicaSetUpdated
rolling(5) # ... and fewer, too ~ 1:5/8 2:3/8 ReplicaSetUpdated
rolling(0) ~ 1:0/3 2:0/3 ReplicaSetUpdated
another | revision("99") # the next after the highest ~ 100:1/3 2:2/3 99:0/3 NewReplicaSetCreated
revision("99") # an orphan that was taken over keeps what it was called ~ 100:2/3:2 99:0/3 NewReplicaSetAvailable
revision("3546343826724305899") # more than what jq counts exactly ~ 3546343826724305899:0/3 3546343826724305900:2/3:2 NewReplicaSetAvailable
END

# CronJobs, at 12:00:30: SPEC; STATUS; JOBS. NAME TIME of Jobs that begin, -NAME
# of those that are deleted, lastScheduleTime, Events.
input='def at($namespace; made):
	made | .metadata.namespace = $namespace
	| .metadata.uid += $namespace | .metadata.ownerReferences[]?.uid += $namespace
	| {type: "ADDED", time: "2026-01-01T12:00:30Z", object: .};
def cron(spec; status; jobs):
	{apiVersion: "batch/v1", kind: "CronJob",
		metadata: {name: "c", uid: "u", resourceVersion: "1",
			creationTimestamp: "2026-01-01T11:58:10Z"},
		spec: ({schedule: "*/5 * * * *", jobTemplate: {spec: {}}} + spec)}
	+ (status | {status: values}), jobs;
def cron(spec): cron(spec; {}; empty);
def last($time): {lastScheduleTime: "2026-01-01T\($time):00Z"};
def job($name): {apiVersion: "batch/v1", kind: "Job", metadata: {name: $name,
		uid: $name, resourceVersion: "2",
		annotations: {"batch.kubernetes.io/cronjob-scheduled-timestamp": "x"},
		ownerReferences: [{apiVersion: "batch/v1", kind: "CronJob",
			name: "c", uid: "u", controller: true}]},
	spec: {template: {spec: {containers: [], restartPolicy: "Never"}}},
	status: {}};
def ended($name; $how): job($name) | .status = {startTime: $name,
	conditions: [{type: $how, status: "True"}]};'
result='[(.items[] | .metadata | "\(.name) "
		+ .annotations["batch.kubernetes.io/cronjob-scheduled-timestamp"]),
	(.reconcile.delete[]?.name | "-" + .),
	.reconcile.status.lastScheduleTime,
	(.reconcile.events[]?.reason)] | map(values) | if . == [] then "nothing" else join(", ") end'
table "CronJobs" controllers CronJob <<'END'
cron({}) # begins a Job ~ c-29454480 2026-01-01T12:00:00Z, 2026-01-01T12:00:00Z, SuccessfulCreate
cron({timeZone: "America/St_Johns"}) # which has the time of its zone ~ c-29454480 2026-01-01T08:30:00-03:30, 2026-01-01T12:00:00Z, SuccessfulCreate
cron({timeZone: "Pacific/Auckland"}) # ... far away ~ c-29454480 2026-01-02T01:00:00+13:00, 2026-01-01T12:00:00Z, SuccessfulCreate
cron({suspend: true}) ~ nothing
cron({startingDeadlineSeconds: 20}) # it is too late ~ nothing
cron({startingDeadlineSeconds: 40}) # it is in time ~ c-29454480 2026-01-01T12:00:00Z, 2026-01-01T12:00:00Z, SuccessfulCreate
cron({}; last("12:00"); empty) # once ~ 2026-01-01T12:00:00Z
cron({}; last("11:55"); job("c-29454480")) # ... also if the status does not say so yet ~ 2026-01-01T12:00:00Z
cron({concurrencyPolicy: "Forbid"}; {}; job("c-29454475")) ~ 2026-01-01T11:55:00Z, JobAlreadyActive
cron({concurrencyPolicy: "Replace"}; {}; job("c-29454475")) # ends it first ~ -c-29454475, 2026-01-01T11:55:00Z, SuccessfulDelete
cron({concurrencyPolicy: "Replace"}; {}; job("c-29454475") | .metadata.deletionTimestamp = "2026-01-01T12:00:20Z") ~ c-29454480 2026-01-01T12:00:00Z, 2026-01-01T12:00:00Z, SuccessfulCreate
cron({successfulJobsHistoryLimit: 1, suspend: true}; {}; ended("c-1", "c-2"; "Complete"), ended("c-3"; "Failed")) ~ -c-1, 1970-01-01T00:03:00Z, SuccessfulDelete
cron({suspend: true}; {active: [{name: "c-1"}, {name: "c-2"}]}; ended("c-1"; "Complete")) # c-2 is gone ~ 1970-01-01T00:01:00Z, SawCompletedJob, MissingJob
END

# Pods end as their annotation says, or as what their containers run, if that
# does nothing but end: phase, whether Ready, and the state or exit code of each
# container.
input='def at($namespace; change):
	first($start[] | select(.object.kind == "Pod" and .type == "ADDED").object)
	| .metadata.namespace = $namespace | .metadata.uid = "\($namespace)000-ab"
	| .metadata.creationTimestamp = "2026-11-21T05:00:00Z"
	| .spec.restartPolicy = "Never" | change
	| {type: "ADDED", time: "2026-11-21T05:00:00Z", object: .};
def old($seconds):
	.metadata.creationTimestamp = "2026-11-21T04:59:\(60 - $seconds)Z";
def policy($policy): .spec.restartPolicy = $policy;
def told($outcome): .metadata.annotations["playground.kpipe.dev/outcome"] = $outcome;
def runs(commands): .spec.containers = [commands
	| {name: "a", image: "b", command: .[:1], args: .[1:]}];'
result='.reconcile.status | if . then [.phase,
	(.conditions[] | select(.type == "Ready").status),
	(.containerStatuses[] | (.state | .terminated.exitCode // keys[0]),
		(.resources // empty | tojson))] | join(" ") else empty end'
table "Pods" watches Pod <<'END'
.status.phase = "Succeeded" # left alone ~ nothing
.metadata.deletionTimestamp = "2026-11-21T05:00:00Z" ~ nothing
.spec.containers[0].resources = {requests: {cpu: "3m"}} ~ Running True running {"requests":{"cpu":"3m"}}
told("Succeeded") ~ Succeeded False 0
told("Failed after 5s") ~ Running True running
old(5) | told("Failed after 5s") ~ Failed False 1
told("Failed after 0s") ~ Failed False 1
told("Failed") | policy("Always") # started again ~ Running False waiting
told("Failed") | policy("OnFailure") ~ Running False waiting
told("Succeeded") | policy("OnFailure") ~ Succeeded False 0
told("Exploded") # nonsense ~ Running True running
runs(["true"]) ~ Succeeded False 0
runs(["/bin/true"]) ~ Succeeded False 0
runs(["sh", "-c", "exit 0"]) ~ Succeeded False 0
runs(["sleep", "0"]) ~ Succeeded False 0
runs(["/bin/sh", "-c", "sleep 0 && exit 0"]) ~ Succeeded False 0
runs(["sh", "-c", "sleep 0; true"]) ~ Succeeded False 0
runs(["/bin/bash", "-c", "exit 7"]) ~ Failed False 7
policy("OnFailure") | runs(["false"]) ~ Running False waiting
policy("OnFailure") | runs(["true"]) ~ Succeeded False 0
runs(["true"], ["false"]) ~ Failed False 0 1
runs(["true"], ["serve"]) ~ Running True running running
policy("Always") | runs(["true"]) ~ Running True running
runs([]) ~ Running True running
runs(["sh"]) ~ Running True running
runs(["sh", "-c", "exit x"]) ~ Running True running
runs(["sh", "-c", ""]) ~ Running True running
runs(["truest"]) ~ Running True running
runs(["sh", "-c", "exit 0", "x"]) ~ Running True running
runs(["sh", "-c", "sleep 1 exit 0"]) ~ Running True running
runs(["true", "x"]) ~ Running True running
runs(["echo"]) ~ Succeeded False 0
runs(["/bin/echo", "hello", "world; serve"]) ~ Succeeded False 0
runs(["printf", "%s|", "a"]) ~ Succeeded False 0
runs(["date", "-u"]) ~ Succeeded False 0
runs(["sh", "-c", "echo hello world"]) ~ Succeeded False 0
runs(["sh", "-c", "echo \"it is $(date)\""]) ~ Succeeded False 0
runs(["sh", "-c", "echo 'a; b | c' $HOME"]) ~ Succeeded False 0
policy("OnFailure") | runs(["bash", "-c", "printf x"]) ~ Succeeded False 0
policy("Always") | runs(["echo", "x"]) ~ Running True running
runs(["sh", "-c", "echo x; serve"]) ~ Running True running
runs(["sh", "-c", "echo x | serve"]) ~ Running True running
runs(["sh", "-c", "echo $(serve)"]) ~ Running True running
runs(["sh", "-c", "echo 'x"]) ~ Running True running
runs(["sh", "-c", "echoes x"]) ~ Running True running
runs(["echo-server", "x"]) ~ Running True running
old(5) | runs(["sleep", "6"]) ~ Running True running
old(5) | runs(["sleep", "5"]) ~ Succeeded False 0
END
done_testing
