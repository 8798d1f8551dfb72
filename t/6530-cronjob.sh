#!/bin/bash
# The cronjob operator on an API server, with the rights of its rbac.yaml and no
# others: in all namespaces, then in one. Nothing waits for a time of day, but
# the example: a schedule is the midnight of a day that has passed, so that its
# run is due at once, and another day makes the next one.
# servers: kapi real
# check-all: more of the pipelines
. "${0%/*}/lib.sh"
. "${0%/*}/operator.sh"

group=batch.tutorial.kubebuilder.io
cronjobs=/apis/$group/v1/namespaces
operator_cluster cronjob
ok "the rights for all namespaces" operator_rights cluster
operator

# cronjob NAME SPEC [OUTCOME]: the last run was 30 days ago
cronjob() {
	jq -cn --arg name "$1" --argjson spec "$2" --arg outcome "${3:-}" \
		--arg version "$group/v1" '{apiVersion: $version,
		kind: "CronJob", metadata: {name: $name, namespace: "default"},
		spec: ({schedule: "0 0 29 2 *", suspend: true, jobTemplate: {
		metadata: {labels: {of: $name}}, spec: {template: {
		metadata: {labels: {of: $name}, annotations: (
			if $outcome == "" then {}
			else {"playground.kpipe.dev/outcome": $outcome} end)},
		spec: {restartPolicy: "Never", containers: [
			{name: "c", image: "x"}]}}}}} + $spec)}' |
		kubectl apply -f - >/dev/null
	kubectl patch "$resource" "$1" --subresource=status --type=merge -p \
		"{\"status\": {\"lastScheduleTime\": \"$(day 30)\"}}" >/dev/null
	kubectl patch "$resource" "$1" --type=merge -p '{"spec": {"suspend": '"$(
		jq -n --argjson spec "$2" '$spec.suspend // false')}}" >/dev/null
}
# day N: the midnight of N days ago; job NAME N: the Job for it. Days are those
# before the one on which the test began.
today=$(date -u +%F)
day() {
	date -u -d "$today -$1 days" +%Y-%m-%dT00:00:00Z
}
# yearly N: a schedule that has it
yearly() {
	date -u -d "$today -$1 days" '+0 0 %-d %-m *'
}
job() {
	echo "$1-$(date -u -d "$(day "$2")" +%s)"
}
# due NAME N: that run
due() {
	kubectl patch "$resource" "$1" --type=merge -p "{\"spec\": {\"schedule\":
		\"$(yearly "$2")\"}}" >/dev/null
}
object() {
	api "$cronjobs/default/cronjobs/$1"
}
# jobs NAME: their days, and how they are
jobs() {
	api "/apis/batch/v1/namespaces/default/jobs?labelSelector=of%3D$1" |
		jq -r --arg name "$1" --argjson now "$(date -u -d "$(day 0)" +%s)" '
		[.items[] | select(.metadata.deletionTimestamp == null)
		| "\(($now - (.metadata.name | ltrimstr($name + "-")
			| tonumber)) / 86400)"
		+ ([.status.conditions[]? | select(.status == "True"
			and (.type == "Complete" or .type == "Failed")).type[:1]]
			| join(""))] | sort_by(-(rtrimstr("C") | rtrimstr("F")
			| tonumber)) | join(" ")'
}
# has NAME JOBS [LAST]: these Jobs, and the status tells which run, and which was
# the last one (of these, or LAST)
has() {
	local last=${3:-$(last "$2")}

	[ "$(jobs "$1")" = "$2" ] && [ "$(object "$1" | jq -r '.status
		| "\(.lastScheduleTime) " + ([.active[]?.name] | join(" "))')" = \
		"$(day "$last") $(active "$1" "$2")" ]
}
last() {
	local days=${1//[CF]/}

	echo "${days##* }"
}
active() {
	local one names=()

	for one in $2; do
		[[ $one == *[CF] ]] || names+=("$(job "$1" "$one")")
	done
	echo "${names[*]}"
}
# becomes NAME WHAT JOBS
becomes() {
	ok "$2" wait_for 30 has "$1" "$3" || note "$(jobs "$1") $(object "$1" |
		jq -c .status)"
}
reason() {
	object "$1" | jq -r '.status.conditions[]
		| select(.type == "Ready").reason'
}
reason_is() {
	[ "$(reason "$1")" = "$2" ]
}

kubectl apply -f "$folder/example.yaml" >/dev/null
ok "the example is there for kubectl wait" kubectl wait --timeout=240s \
	--for=condition=Ready "$resource/example"
is "$(object example | jq -c '.spec | [.concurrencyPolicy, .suspend,
	.successfulJobsHistoryLimit, .failedJobsHistoryLimit]')" \
	'["Allow",false,3,1]' "... with its defaults"

# ---- runs, one after another ----

cronjob plain '{}' Succeeded
due plain 9
becomes plain "a run that is due: its Job" 9C
uid=$(object plain | jq -r .metadata.uid)
is "$(api "/apis/batch/v1/namespaces/default/jobs/$(job plain 9)" | jq -c \
	'.metadata | [.labels.of, .annotations["'$group'/scheduled-at"],
	(.ownerReferences[] | [.kind, .name, .uid, .controller])]')" \
	"[\"plain\",\"$(day 9)\",[\"CronJob\",\"plain\",\"$uid\",true]]" \
	"... label, time, owner"
is "$(kubectl get "$resource" plain --no-headers | awk '{print $(NF - 1), $(NF - 3)}')" \
	"Scheduled false" "what kubectl get shows"
for n in 8 7 6; do
	due plain "$n"
	ok "the next one" wait_for 30 api \
		"/apis/batch/v1/namespaces/default/jobs/$(job plain "$n")"
done
becomes plain "three are kept that succeeded" "8C 7C 6C"
kubectl delete job "$(job plain 6)" >/dev/null
# seen NAME: the operator has seen its present spec
seen() {
	object "$1" | jq -e '.status.observedGeneration == .metadata.generation'
}
for n in 9 6; do
	due plain "$n"
	ok "day $n again" wait_for 30 seen plain
	ok "... is not run again" has plain "8C 7C" 6
done

# ---- earlier Jobs that still run ----

# end NAME N: that run ends; its Job may be there before its pod
end() {
	wait_for 30 pod_of "$1" "$2"
	kubectl annotate pod "$(<"$T/pod")" \
		playground.kpipe.dev/outcome=Succeeded >/dev/null
}
pod_of() {
	api "/api/v1/namespaces/default/pods?labelSelector=job-name%3D$(job \
		"$1" "$2")" | jq -er '.items[0].metadata.name' >"$T/pod"
}
for policy in Allow Forbid Replace; do
	name=${policy,,}
	cronjob "$name" "{\"concurrencyPolicy\": \"$policy\"}"
	due "$name" 5
	becomes "$name" "$policy: a run" 5
	due "$name" 4
done
becomes allow "Allow: both run" "5 4"
becomes replace "Replace: only the new one" 4
ok "Forbid: the new one is seen" wait_for 30 seen forbid
is "$(jobs forbid)" 5 "... and waits"
end forbid 5
becomes forbid "... for the end of the first" "5C 4"
due forbid 3
due forbid 2
wait_for 30 seen forbid
end forbid 4
becomes forbid "... then the last of those that were missed" "5C 4C 2"

# ---- too late, wrong (all reasons: t/6041-cronjob.sh) ----

cronjob late '{"startingDeadlineSeconds": 3600}'
due late 2
ok "too late: it says so" wait_for 30 reason_is late MissedDeadline
is "$(jobs late)" "" "... and runs nothing"
cronjob wrong '{"schedule": "61 * * * *"}'
ok "a wrong schedule: a condition" wait_for 30 reason_is wrong InvalidSchedule
events() {
	api "/api/v1/namespaces/default/events" | jq -r --arg name "$1" '.items[]
		| select(.involvedObject.name == $name)
		| "\(.type) \(.reason) \(.message)"' | sort -u
}
has_event() {
	[ "$(events "$1")" = "$2" ]
}
ok "... and an Event" wait_for 30 has_event wrong \
	'Warning InvalidSchedule schedule "61 * * * *": minute 61 is above 59'
ok "... of one too late, too" wait_for 30 has_event late \
	"Warning MissSchedule the run of $(day 2) could not begin in time"
writes_of_wrong() {
	audit_writes user1 | grep ' default/\(wrong\|late\)[ -]'
}
ok "... nothing is tried again" rests 2 writes_of_wrong
due wrong 1
becomes wrong "put right: it runs" 1

# ---- kill -9 of each stage, while runs become due ----

complaints >"$T/said"
cronjob killed '{"successfulJobsHistoryLimit": 100}' Succeeded
n=20 want=
for victim in kwatch ireconcile kapply kstatus kapply ireconcile kstatus kwatch; do
	due killed "$n"
	strike "$victim"
	want+="${want:+ }${n}C"
	becomes killed "$victim killed: the run all the same" "$want"
	n=$((n - 1))
	operator_stop
	mv "$T/operator.log" "$T/struck.log"
	operator
done
AUDIT_FROM=1
is "$(audit_created user1 | awk '$1 > 1 && $2 == "jobs"')" "" \
	"no Job was created twice"

# ---- 50 at once ----

# many SUSPEND: 50 whose last run was 30 days ago, or will be said to be
many() {
	seq 50 | jq -c --argjson suspend "$1" --arg version "$group/v1" \
		--arg schedule "$(yearly 2)" '{
		apiVersion: $version, kind: "CronJob",
		metadata: {name: "many-\(.)", namespace: "default"},
		spec: {$schedule, $suspend, concurrencyPolicy: "Forbid",
		jobTemplate: {metadata: {labels: {of: "many"}}, spec: {template:
		{spec: {restartPolicy: "Never", containers: [{name: "c",
		image: "x"}]}}}}}}' | kubectl apply -f - >/dev/null
}
many true
seq 50 | xargs -I{} kubectl patch "$resource" many-{} --subresource=status \
	--type=merge -p "{\"status\": {\"lastScheduleTime\": \"$(day 30)\"}}" \
	>/dev/null
many false
made() {
	api "/apis/batch/v1/namespaces/default/jobs?labelSelector=of%3Dmany" |
		jq -r '.items[].metadata.name' | sort
}
fifty() {
	[ "$(made | wc -l)" -ge 50 ]
}
ok "50 with the same time, and Forbid" wait_for 60 fifty
is "$(made)" "$(seq 50 | sed "s/.*/$(job many-\& 2)/" | sort)" "... a Job each"

# ---- the example, at its minute ----

ran() {
	object example | jq -e '.status.lastScheduleTime != null'
}
ok "the example has run" wait_for 90 ran
is "$(api "/apis/batch/v1/namespaces/default/jobs" | jq '[.items[].metadata
	| select(.name | startswith("example-")) | (.name | ltrimstr("example-")
	| tonumber) as $t | $t % 60 == 0
	and (.creationTimestamp | fromdate) >= $t] | all')" true \
	"... at whole minutes, and not before"

# ---- deletion ----

kubectl delete "$resource" --all >/dev/null
is "$(audit 'select(.user.username == "user1" and .responseStatus.code == 403)
	| tostring')" "" "the rights are enough"
ok "the operator ends with 0" operator_stop
is "$(cat "$T/said"; complaints)" "" "no complaints"
no_rights cluster
kubectl create namespace ops >/dev/null
ok "the rights in one namespace" operator_rights namespace ops
export WATCH_NAMESPACE=ops
rm "$T/operator.log"
cronjob_is() {
	kubectl get "$resource" -n ops "$1" >/dev/null 2>&1 ||
		sed "s/example/$1/" "$folder/example.yaml" |
		kubectl apply -n ops -f - >/dev/null
	is_ready "$cronjobs/ops/cronjobs/$1"
}
operator_leads ops "a CronJob is Ready" cronjob_is
is "$(audit 'select(.user.username == "user1" and .responseStatus.code == 403)
	| tostring')" "" "the rights are enough"
is "$(complaints)" "" "no complaints"
none_left() {
	[ "$(api /apis/batch/v1/namespaces/default/jobs | jq '.items | length')" = 0 ]
}
ok "those deleted before: their Jobs went with them" wait_for 60 none_left
done_testing
