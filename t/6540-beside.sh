#!/bin/bash
# The cronjob operator beside the controller of batch/v1 CronJobs, in Go, of
# kube-controller-manager, which kubebuilder's tutorial is modelled on. Pairs of
# CronJobs, one of each kind, get the same changes; after each, both have the
# same Jobs and the same status.
#
# The schedule of a pair is the midnight of a day that has passed, so nothing
# waits for a time of day; three pairs run every minute. The changes are random,
# by SEED, in ROUNDS rounds: each changes every pair once. No controller touches
# the status of Jobs, only this test does.
#
# What differs by design, and why: the last part, and pipeline/cronjob/README.
# servers: real
CLUSTER_CONTROLLERS=cronjob-controller,garbage-collector-controller
CLUSTER_CONTROLLERS+=,namespace-controller,serviceaccount-controller
export CLUSTER_CONTROLLERS
TEST_SECONDS=3600 # hundreds of steps, each of which waits for two controllers
. "${0%/*}/lib.sh"
. "${0%/*}/operator.sh"

group=batch.tutorial.kubebuilder.io
# A namespace for each kind: see "a name that both kinds have"
declare -A version=([kubernetes]=batch/v1 [tutorial]=$group/v1)
sides="kubernetes tutorial"
pairs="a b c d e f g h"
start=$(date +%s)
midnight=$((start / 86400 * 86400))
seed=${SEED:-1} round=0

operator_cluster cronjob
for side in $sides; do
	kubectl create namespace "$side" >/dev/null
done
ok "the rights of the operator" operator_rights cluster
operator

# ---- the API ----

# url SIDE NAME: the path of a CronJob, or of all with "" for its NAME
url() {
	echo "/apis/${version[$1]}/namespaces/$1/cronjobs${2:+/$2}"
}
# job SIDE NAME TIME: the path of its Job
job() {
	local time=$3

	[ "$1" = tutorial ] || time=$((time / 60))
	echo "/apis/batch/v1/namespaces/$1/jobs/$2-$time"
}
# send METHOD PATH [BODY]
send() {
	local type=json

	[ "$1" != PATCH ] || type=merge-patch+json
	curl -sS --fail-with-body -m 30 -X "$1" -H "Content-Type: application/$type" \
		--cacert "$CLUSTER/certificates/apiserver.crt" \
		-H "@$CLUSTER/admin.header" "$CLUSTER_SERVER$2" \
		${3:+-d "$3"} >"$T/answer" 2>&1 && return
	flaw "$1 $2: $(head -c 500 "$T/answer")"
	return 1
}
# change NAME PATCH: of both
change() {
	local side

	for side in $sides; do
		send PATCH "$(url "$side" "$1")" "$2"
	done
}
iso() {
	date -u -d "@$1" +%FT%TZ
}
# day N: the midnight of N days ago; yearly N: a schedule that has it
day() {
	echo $((midnight - $1 * 86400))
}
yearly() {
	date -u -d "@$(day "$1")" '+0 0 %-d %-m *'
}
# create NAME SPEC LAST: both, suspended, with that lastScheduleTime; then as
# SPEC says
create() {
	local side

	for side in $sides; do
		send POST "$(url "$side" "")" "$(jq -cn --arg name "$1" \
			--arg version "${version[$side]}" --argjson spec "$2" '{
			apiVersion: $version, kind: "CronJob",
			metadata: {$name}, spec: ({schedule: "0 0 29 2 *",
			jobTemplate: {metadata: {labels: {of: $name},
				annotations: {a: "b"}},
			spec: {template: {metadata: {labels: {of: $name}},
			spec: {restartPolicy: "Never", containers: [
			{name: "c", image: "x:1"}]}}}}} + $spec
			+ {suspend: true})}')"
		send PATCH "$(url "$side" "$1")/status" \
			"{\"status\": {\"lastScheduleTime\": \"$(iso "$3")\"}}"
	done
	change "$1" '{"spec": {"suspend": false}}'
}
# finish PATH-OF-JOB Complete | Failed: with what the API server demands
finish() {
	api "$1" | jq -c --arg type "$2" '.metadata.creationTimestamp as $time
		| (if $type == "Complete" then "SuccessCriteriaMet"
		else "FailureTarget" end) as $first
		| {status: ({startTime: $time, conditions: [$first, $type
			| {type: ., status: "True", reason: "Test",
			message: "", lastTransitionTime: $time}]}
		+ if $type == "Complete" then {completionTime: $time}
		else {} end)}' >"$T/finish"
	send PATCH "$1/status" "$(<"$T/finish")"
}

# ---- what both have ----

# look: $T/seen, for each pair {NAME: {SIDE: ...}}. What differs by design is
# taken out here: how Jobs are named and annotated with their time (checked);
# what tells the uid of one object; that kpipe has an annotation of its own, and
# no blockOwnerDeletion, which only a deletion in the foreground heeds.
look() {
	local side

	for side in $sides; do
		api "$(url "$side" "")" || return
	done >"$T/cronjobs"
	api /apis/batch/v1/jobs >"$T/jobs" || return
	jq -cn --slurpfile cronjobs "$T/cronjobs" --slurpfile jobs "$T/jobs" '
	def state: [.status.conditions[]? | select(.status == "True"
		and (.type == "Complete" or .type == "Failed")).type][0] // "active";
	def of_uid: "job-name", "controller-uid",
		"batch.kubernetes.io/job-name",
		"batch.kubernetes.io/controller-uid";
	def own($side): if $side == "kubernetes" then
			{unit: 60, at: "batch.kubernetes.io/cronjob-scheduled-timestamp"}
		else {unit: 1, at: "batch.tutorial.kubebuilder.io/scheduled-at"} end;
	# A time, with its zone
	def seconds: capture("(?<time>.*)(?<sign>[+-])(?<h>..):(?<m>..)$")
		// {time: rtrimstr("Z"), sign: "+", h: "0", m: "0"}
		| (.time + "Z" | fromdate) - (.sign + "1" | tonumber)
			* ((.h | tonumber) * 3600 + (.m | tonumber) * 60);
	def job($cronjob; $own): . as $job | .metadata.annotations[$own.at]
		| (if . == null then null else seconds end) as $time
		| $job | if $time == null then {by_hand: .metadata.name} else {
		$time, state: state, labels: .metadata.labels,
		annotations: (.metadata.annotations
			| del(.[$own.at, "kpipe.dev/paths"])),
		named: (.metadata.name == "\($cronjob.name)-\(
			$time / $own.unit | floor)"),
		owners: (.metadata.ownerReferences
			| map(.uid = (.uid == $cronjob.uid) | del(.apiVersion, .blockOwnerDeletion))),
		finalizers: .metadata.finalizers,
		spec: (.spec | del(.selector,
			.template.metadata.labels[of_uid]))} end;
	reduce ($cronjobs[].items[] | .kind = "CronJob") as $c ({};
		$c.metadata.namespace as $side
		| [$jobs[].items[] | select(.metadata.namespace == $side
			and any(.metadata.ownerReferences[]?;
				.name == $c.metadata.name))] as $jobs
		| .[$c.metadata.name][$side] = {
			last: $c.status.lastScheduleTime,
			jobs: ($jobs | map(job($c.metadata; own($side)))
				| sort_by(.time)),
			active: ($c.status.active // [] | map("\(.name) \(.uid)")
				| sort),
			running: ($jobs | map(select(state == "active")
				.metadata | "\(.name) \(.uid)") | sort),
			observed: ($c.status.observedGeneration
				== $c.metadata.generation),
			token: $c.status.lastHandledReconcileAt})' >"$T/seen"
}
# show [NAME...]: what look saw, without what belongs to a side
show() {
	jq -c --args '[$ARGS.positional[]] as $names | to_entries[]
		| select($names == [] or (.key | IN($names[])))
		| .key as $name | .value | to_entries[] | {$name, side: .key}
		+ (.value | {last, active: (.active | length), jobs: (.jobs
			| map("\(.by_hand // (.time | todate)) \(.state // "")"))})' "$@" <"$T/seen"
}
# agreed NAME...: both have seen the last ask; the status tells the Jobs that are
# not finished; nothing differs
agreed() {
	look && jq -e --arg token "$token" --args '
		def plain: {last, jobs, active: (.active | length)};
		. as $seen | all($ARGS.positional[] | $seen[.];
			([.[]] | length) == 2
			and all(.[]; .active == .running)
			and all(.[].jobs[]; .named and .finalizers == null)
			and .tutorial.token == $token and .tutorial.observed
			and (.kubernetes | plain) == (.tutorial | plain))' \
		"$@" <"$T/seen"
}
# ask NAME...: both controllers are to look at it again. Kubernetes removes a
# reference to a Job that does not exist from status.active, and writes the
# status only after all else of that look. Ours tells the token in its status.
ask() {
	local name

	token=$((token + 1))
	for name in "$@"; do
		send PATCH "$(url tutorial "$name")" "{\"metadata\": {\"annotations\":
			{\"reconcile.fluxcd.io/requestedAt\": \"$token\"}}}"
		wait_for 30 ask_kubernetes "$name"
	done
}
token=0
# A conflict with a write of the controller: again
ask_kubernetes() {
	api "$(url kubernetes "$1")" | jq -c --arg token "no-$token" '{
		metadata: {resourceVersion: .metadata.resourceVersion},
		status: {active: ((.status.active // []) + [{kind: "Job",
		apiVersion: "batch/v1", namespace: "kubernetes",
		name: $token, uid: $token}])}}' >"$T/ask"
	(flaw() { :; } && send PATCH "$(url kubernetes "$1")/status" \
		"$(<"$T/ask")")
}
# settled NAME...: both agree, and still do when they were asked once more
settled() {
	local names=("$@")

	for _ in 1 2; do
		ask "${names[@]}"
		wait_for 30 agreed "${names[@]}" || return
	done
}
# settles WHAT NAME...
settles() {
	local what=$1

	shift
	settled "$@"
	tap $? "$what" && return
	agreed "$@"
	jq -S --args '. as $all | $ARGS.positional[] | {(.): $all[.].kubernetes}' \
		"$@" <"$T/seen" >"$T/kubernetes"
	jq -S --args '. as $all | $ARGS.positional[] | {(.): $all[.].tutorial}' \
		"$@" <"$T/seen" >"$T/tutorial"
	diff -u "$T/kubernetes" "$T/tutorial" | head -n 200 | quote
	exit 1
}

# ---- every minute ----

# live: three pairs that begin with the same minute, which is at least 20 s away.
# If the machine was too slow for that: other ones.
live() {
	local policy

	first=$((($(date +%s) + 79) / 60 * 60))
	for policy in Allow Forbid Replace; do
		create "${policy,,}-$first" "{\"schedule\": \"* * * * *\",
			\"concurrencyPolicy\": \"$policy\"}" $((first - 60))
	done
	live="allow-$first forbid-$first replace-$first"
	[ "$(date +%s)" -lt "$first" ]
}
ok "three pairs that run every minute" wait_for 60 live

# ---- random changes ----

# pick N: a random number below it, in $picked
pick() {
	seed=$(((seed * 1103515245 + 12345) % 2147483648))
	picked=$((seed / 65536 % $1))
}
# times NAME FILTER: the times of its Jobs that FILTER takes
times() {
	jq -r --arg name "$1" ".[\$name].kubernetes.jobs[] | select($2)
		| .time | select(.)" <"$T/seen"
}
# one_of NAME FILTER: one of these, in $one; fails if there is none
one_of() {
	local all

	mapfile -t all < <(times "$1" "$2")
	[ ${#all[@]} -gt 0 ] || return
	pick ${#all[@]}
	one=${all[picked]}
}
new_pair() {
	left[$1]=28
	create "$1" '{}' "$(day 30)"
}
declare -A left did
# A day later than that of the run before: due. One that has no Job: nothing
due() {
	[ "${left[$1]}" -gt 3 ] || {
		again "$1"
		return
	}
	pick 3
	left[$1]=$((left[$1] - 1 - picked / 2))
	told="runs of day ${left[$1]}"
	change "$1" "{\"spec\": {\"schedule\": \"$(yearly "${left[$1]}")\"}}"
}
back() {
	pick 5
	told="a schedule before the last run"
	change "$1" "{\"spec\": {\"schedule\": \"$(yearly $((29 + picked)))\"}}"
}
ends() {
	local side types=(Complete Complete Failed)

	one_of "$1" '.state == "active"' || {
		due "$1"
		return
	}
	pick 3
	told="${types[picked]}: $(iso "$one")"
	for side in $sides; do
		finish "$(job "$side" "$1" "$one")" "${types[picked]}"
	done
}
loses() {
	local side

	one_of "$1" true || {
		due "$1"
		return
	}
	told="its Job of $(iso "$one") is deleted"
	for side in $sides; do
		send DELETE "$(job "$side" "$1" "$one")" \
			'{"propagationPolicy": "Background"}'
	done
}
# Half of them are not suspended after it, whatever they were.
suspend() {
	pick 2
	told="suspend $picked"
	change "$1" "{\"spec\": {\"suspend\": $( ((picked)) && echo true ||
		echo false)}}"
}
resume() {
	told="suspend 0"
	change "$1" '{"spec": {"suspend": false}}'
}
policy() {
	local policies=(Allow Forbid Replace)

	pick 3
	told=${policies[picked]}
	change "$1" "{\"spec\": {\"concurrencyPolicy\": \"$told\"}}"
}
limits() {
	local good

	pick 3 && good=$picked && pick 3
	told="keeps $good and $picked"
	change "$1" "{\"spec\": {\"successfulJobsHistoryLimit\": $good,
		\"failedJobsHistoryLimit\": $picked}}"
}
# Half a day from where it would decide something while the test runs
deadline() {
	local days

	pick 3
	days=$((picked * 12))
	told="a deadline of $days days"
	[ "$days" -gt 0 ] && days=$((start - $(day "$days") + 43200)) || days=null
	change "$1" "{\"spec\": {\"startingDeadlineSeconds\": $days}}"
}
template() {
	told="another template"
	change "$1" "{\"spec\": {\"jobTemplate\": {\"metadata\": {\"labels\":
		{\"round\": \"$round\"}}, \"spec\": {\"backoffLimit\": $round,
		\"template\": {\"spec\": {\"containers\": [{\"name\": \"c\",
		\"image\": \"x:$round\"}]}}}}}}"
}
zone() {
	local zones=(UTC Asia/Tokyo America/New_York)

	pick 3
	told=${zones[picked]}
	change "$1" "{\"spec\": {\"timeZone\": \"$told\"}}"
}
no_jobs() {
	look && jq -e --arg name "$1" '.[$name] == null' <"$T/seen" &&
		! jq -r '.items[].metadata.name' <"$T/jobs" | grep "^$1-"
}
again() {
	local side

	told="deleted, and created again"
	for side in $sides; do
		send DELETE "$(url "$side" "$1")" \
			'{"propagationPolicy": "Background"}'
	done
	wait_for 60 no_jobs "$1" && new_pair "$1"
}
kinds=(due due due due due due due due ends ends ends ends ends loses back
	suspend resume resume policy policy limits deadline template zone again)

# deal: the next one, in $kind; all of them come before one comes again
deal() {
	[ ${#deck[@]} -gt 0 ] || deck=("${kinds[@]}")
	pick ${#deck[@]}
	kind=${deck[picked]}
	deck=("${deck[@]:0:picked}" "${deck[@]:picked + 1}")
}
deck=()

for pair in $pairs; do
	new_pair "$pair"
done
# shellcheck disable=SC2086
settles "pairs without a run" $pairs
changes=0
while [ $((round += 1)) -le "${ROUNDS:-8}" ]; do
	said=()
	for pair in $pairs; do
		deal
		"$kind" "$pair"
		said+=("$pair: $told,")
		did[$kind]=1
		changes=$((changes + 1))
	done
	# shellcheck disable=SC2086
	settles "round $round: ${said[*]}" $pairs
done
# shellcheck disable=SC2086
show $pairs | quote
is "${#did[@]}" "$(printf '%s\n' "${kinds[@]}" | sort -u | wc -l)" \
	"$changes changes, of every kind"

# ---- the history's limits ----

# kept SUCCEEDED FAILED TIMES: the limits leave the Jobs of these days
kept() {
	local want=() n

	change kept "{\"spec\": {\"successfulJobsHistoryLimit\": $1,
		\"failedJobsHistoryLimit\": $2}}"
	settles "the limits $1 and $2" kept
	for n in $3; do
		want+=("$(day "$n")")
	done
	is "$(times kept true | xargs)" "${want[*]}" "... leave day ${3:-(none)}"
}
create kept '{"successfulJobsHistoryLimit": 3, "failedJobsHistoryLimit": 3}' \
	"$(day 30)"
for n in 12 11 10 9 8 7 6 5; do
	change kept "{\"spec\": {\"schedule\": \"$(yearly "$n")\"}}"
	settles "day $n begins" kept
	for side in $sides; do
		finish "$(job "$side" kept "$(day "$n")")" \
			"$( ((n % 2)) && echo Complete || echo Failed)"
	done
	settles "... and ends" kept
done
kept 3 3 "10 9 8 7 6 5"
kept 3 2 "9 8 7 6 5"
kept 1 2 "8 6 5"
kept 2 1 "6 5"
kept 0 1 6
kept 0 0 ""

# ---- the deadline ----

# limited DAYS TIMES: by that deadline, half a day more than DAYS, or none, the
# runs of these days exist
limited() {
	local want=() seconds=null n

	[ "$1" = none ] || seconds=$((start - $(day "$1") + 43200))
	change limited "{\"spec\": {\"startingDeadlineSeconds\": $seconds}}"
	settles "a deadline of $1 days" limited
	for n in $2; do
		want+=("$(day "$n")")
	done
	is "$(times limited true | xargs)" "${want[*]}" \
		"... the run of day ${2:-(none)}"
}
create limited "{\"schedule\": \"$(yearly 9)\",
	\"startingDeadlineSeconds\": $((start - $(day 7) + 43200))}" "$(day 30)"
limited 7 ""
limited 11 9
change limited "{\"spec\": {\"schedule\": \"$(yearly 6)\",
	\"startingDeadlineSeconds\": $((start - $(day 4) + 43200))}}"
limited 4 9
limited none "9 6"

# ---- many missed ones; every minute ----

create hourly '{"schedule": "5 * * * *"}' "$(day 30)"
create every '{"schedule": "@every 7h"}' "$(day 30)"
create late '{"schedule": "5 */6 * * *", "startingDeadlineSeconds": 30000}' \
	"$(day 30)"
settles "more than 100 runs that were missed: the last one" hourly every late
show hourly every late | quote
two_minutes() {
	look && [ "$(times "allow-$first" true | wc -l)" -ge 2 ]
}
ok "every minute: a second run" wait_for 180 two_minutes
# shellcheck disable=SC2086
settles "... the same on both" $live
look
# shellcheck disable=SC2086
show $live | quote
is "$(times "allow-$first" true | head -n 1) $(times "forbid-$first" true)" \
	"$first $first" "... Allow and Forbid have the first"
is "$(times "replace-$first" true)" "$(times "allow-$first" true | tail -n 1)" \
	"... Replace has the last"

# ---- what differs, and is to ----

# differs WHAT NAME KUBERNETES TUTORIAL: the times of their Jobs
differs() {
	ask "$2"
	wait_for 30 looked "$2" "$4"
	is "$(side_times "$2" kubernetes); $(side_times "$2" tutorial)" \
		"$3; $4" "$1"
}
side_times() {
	jq -r --arg name "$1" --arg side "$2" '[.[$name][$side].jobs[]
		| .by_hand // (.time | todate)] | join(" ")' <"$T/seen"
}
looked() {
	look && jq -e --arg token "$token" --arg name "$1" '.[$name]
		| .tutorial.token == $token and .tutorial.observed
		and ([.kubernetes.active[] | startswith("no-")] | any | not)' \
		<"$T/seen" && [ "$(side_times "$1" tutorial)" = "$2" ]
}

# Kubernetes estimates the last missed run by the time between the first two
# (mostRecentScheduleTime); with other times between the others it finds none.
create uneven "{\"schedule\": \"$(yearly 5 | sed s/0/0,1/)\"}" "$(day 30)"
differs "a schedule with uneven steps: Kubernetes forgets what was missed" \
	uneven "" "$(iso $(($(day 5) + 60)))"

# The tutorial takes each Job that the CronJob controls for a run; Kubernetes
# knows those of status.active.
create foreign '{"concurrencyPolicy": "Forbid"}' "$(day 30)"
for side in $sides; do
	send POST "/apis/batch/v1/namespaces/$side/jobs" "$(
		api "$(url "$side" foreign)" | jq -c '{apiVersion: "batch/v1",
		kind: "Job", metadata: {name: "by-hand", ownerReferences: [
		{apiVersion, kind, controller: true} + (.metadata
			| {name, uid})]},
		spec: .spec.jobTemplate.spec}')"
done
ours_sees_it() {
	api "$(url tutorial foreign)" | jq -e '.status.active | length == 1'
}
ok "a Job made by hand" wait_for 30 ours_sees_it
change foreign "{\"spec\": {\"schedule\": \"$(yearly 5)\"}}"
differs "... is waited for by Forbid, but not by that of Kubernetes" foreign \
	"by-hand $(iso "$(day 5)")" by-hand

# Kubernetes finds the Jobs of a CronJob by the name of their controller, of
# whatever kind (getJobsToBeReconciled).
create same '{}' "$(day 30)"
change same "{\"spec\": {\"schedule\": \"$(yearly 5)\"}}"
settles "a pair" same
finish "$(job tutorial same "$(day 5)")" Complete
finish "$(job kubernetes same "$(day 5)")" Complete
settles "... that has run" same
send POST /apis/batch/v1/namespaces/tutorial/cronjobs "$(
	api "$(url kubernetes same)" | jq -c '{apiVersion, kind,
	metadata: {name: "same"}, spec: (.spec
	+ {suspend: true, successfulJobsHistoryLimit: 0})}')"
ok "a name that both kinds have in a namespace: Kubernetes deletes our Job" \
	wait_for 30 api_gone "$(job tutorial same "$(day 5)")"
differs "... which is not run again" same "$(iso "$(day 5)")" ""

# A schedule without a meaning is refused, or reported.
create wrong '{}' "$(day 30)"
(flaw() { :; } && send PATCH "$(url kubernetes wrong)" \
	'{"spec": {"schedule": "61 * * * *"}}')
ok "a wrong schedule: Kubernetes refuses it" \
	grep -q 'spec.schedule: Invalid value' "$T/answer"
send PATCH "$(url tutorial wrong)" '{"spec": {"schedule": "61 * * * *"}}'
ok "... ours has a condition" kubectl wait --timeout=240s -n tutorial \
	--for=jsonpath='{.status.conditions[0].reason}'=InvalidSchedule \
	"$resource/wrong"

is "$(complaints)" "" "no complaints"
ok "the operator ends with 0" operator_stop
done_testing
