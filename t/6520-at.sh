#!/bin/bash
# At on an API server: everything that an At does, in one namespace, with the
# rights of the Roles only.
# servers: kapi real
# check-all: more of the pipelines
. "${0%/*}/lib.sh"
. "${0%/*}/cluster/lib.sh"

export WATCH_NAMESPACE=work
group=/apis/at.example.com/v1alpha1/namespaces/work/ats
core=/api/v1/namespaces/work/pods

kc() {
	"$KUBECTL" --kubeconfig="$CLUSTER/admin.kubeconfig" -n work "$@"
}

# at NAME SCHEDULE COMMAND
at() {
	# on standard input: a command may be longer than an argument
	printf %s "$3" | jq -Rs --args '{apiVersion: "at.example.com/v1alpha1",
		kind: "At", metadata: {name: $ARGS.positional[0]},
		spec: {schedule: $ARGS.positional[1], command: .}}' \
		"$1" "$2" | kc create -f - >/dev/null
}

# in_seconds N: that time, as a schedule
in_seconds() {
	date -u -d "+$1 seconds" +%Y-%m-%dT%H:%M:%SZ
}

# at_is NAME FILTER: the filter holds for the At
at_is() {
	[ "$(api "$group/$1" | jq "$2")" = true ]
}

# said NAME PHASE REASON: its status has both
said() {
	at_is "$1" ".status.phase == \"$2\" and any(.status.conditions[];
		.type == \"Complete\" and .reason == \"$3\")"
}

condition() {
	api "$group/$1" | jq -r --arg type "$2" '.status.conditions[]
		| select(.type == $type) | "\(.status) \(.reason) \(.message)"'
}

pod_uid() {
	api "$core/$1" | jq -r .metadata.uid
}

other_pod() {
	[ -n "$(pod_uid "$1")" ] && [ "$(pod_uid "$1")" != "$2" ]
}

no_finalizers() {
	[ "$(api "$core/$1" | jq -c .metadata.finalizers)" = null ]
}

# outcome NAME WORD: the playground lets the Pod end in that way
outcome() {
	kc annotate pod "$1" playground.kpipe.dev/outcome="$2" >/dev/null
}

past=2020-02-29T12:00:00Z
# The playground ends a Pod as its command would: this one ends as the test says.
long_command="sleep 100000"
export KAPI_OPTIONS=--authorization-mode=RBAC
cluster_start
kubectl apply -f pipeline/at/crd.yaml >/dev/null
kubectl create namespace work >/dev/null
kc apply -f pipeline/at/rbac.yaml >/dev/null
for stage in kwatch kapply kstatus; do
	kc create rolebinding "$stage" --role="at-$stage" --user="$stage" \
		>/dev/null
done
wait_for 20 kc get ats
pipeline pipeline/at
declare -A at_stage
for stage in kwatch ireconcile kapply kstatus; do
	at_stage[$stage]=${STAGE[$stage]}
done

# ---- before it runs; there is no kubelet yet ----

at later 2028-02-29T12:00:00Z 'sh -c "echo \"a  b\" $$ $(x)" c\ d '"''"
ok "a time that is to come (a leap day): PENDING" \
	wait_for 10 said later PENDING Waiting
is "$(condition later Valid)" "True Valid " "... and valid"
ok "... without a Pod" api_gone "$core/later"
is "$(api "$group/later" | jq -c .metadata.finalizers)" \
	null "... and without a finalizer"
kc patch at later --type=merge -p "{\"spec\": {\"schedule\": \"$past\"}}" \
	>/dev/null
ok "changed to a time in the past: RUNNING at once" \
	wait_for 10 said later RUNNING Running
is "$(api "$group/later" | jq -c .metadata.finalizers)" \
	'["at.example.com/pod"]' "... with the finalizer"
is "$(api "$core/later" | jq -S '{labels: .metadata.labels,
	finalizers: .metadata.finalizers, restartPolicy: .spec.restartPolicy,
	owners: [.metadata.ownerReferences[] | {kind, name, controller}],
	containers: [.spec.containers[] | {name, image, command}]}')" \
	"$(jq -nS '{labels: {app: "later"},
	finalizers: ["at.example.com/result"], restartPolicy: "OnFailure",
	owners: [{kind: "At", name: "later", controller: true}],
	containers: [{name: "busybox", image: "quay.io/quay/busybox",
	command: ["sh", "-c", "echo \"a  b\" $$$ $$(x)", "c d", ""]}]}')" \
	"... the Pod"
kc patch at later --type=merge -p '{"spec": {"command": "other"}}' >/dev/null
ok "changed when the Pod is there: a condition" \
	wait_for 10 at_is later 'any(.status.conditions[]; .type == "SpecIgnored")'
is "$(condition later SpecIgnored)" "True ChangedAfterRun the spec was changed after the command was started: that changes nothing" \
	"... says that it changes nothing"
is "$(api "$core/later" | jq -r '.spec.containers[0].command[0]')" sh \
	"... and the Pod is as it was"

uid=$(pod_uid later)
kc delete pod later --wait=false >/dev/null
ok "a Pod deleted before it was started is made again" \
	wait_for 10 other_pod later "$uid"
ok "... of what the At says now" wait_for 10 at_is later \
	'.status.phase == "RUNNING" and
		all(.status.conditions[]; .type != "SpecIgnored")'
is "$(api "$core/later" | jq -r '.spec.containers[0].command[0]')" other \
	"... which is another command"

when=$(in_seconds 20) # long enough for what a slow machine does before it
at soon2 "$when" true
at soon "$when" "$long_command"
wait_for 10 said soon2 PENDING Waiting
kc patch at soon2 --type=merge -p \
	'{"spec": {"schedule": "2028-02-29T12:00:00Z"}}' >/dev/null
ok "a time soon: RUNNING" wait_for 60 said soon RUNNING Running
is "$(api "$core/soon" | jq --argjson at "$(api "$group/soon")" \
	'.metadata.creationTimestamp >= $at.spec.schedule')" true \
	"... not before its time"
ok "... and one that was put off is not" said soon2 PENDING Waiting

# ---- errors ----

n=0
for schedule in "" tomorrow 2027-02-29T12:00:00Z 2028-02-30T12:00:00Z \
	"2028-02-28 12:00:00Z" 2028-02-28T12:00:00 2028-02-28T24:00:00Z \
	2028-02-28T12:00:60Z 2028-02-28T12:00:00+01:00 2028-13-01T12:00:00Z \
	" 2028-02-28T12:00:00Z" 2028-2-8T12:00:00Z; do
	n=$((n + 1))
	at "bad$n" "$schedule" true
	wait_for 10 said "bad$n" PENDING InvalidSchedule
	is "$(condition "bad$n" Valid)" "False InvalidSchedule spec.schedule is not a time like 2006-01-02T15:04:05Z (UTC): \"$schedule\"" \
		"a schedule that is not a time: \"$schedule\""
done
events() {
	kc get events.events.k8s.io -o json | jq -r '.items[]
		| select(.regarding.name | startswith("bad"))
		| "\(.type) \(.reason) \(.regarding.kind)"' | sort | uniq -c |
		tr -s ' '
}
all_told() {
	[ "$(events)" = " $n Warning InvalidSchedule At" ]
}
ok "... each has an Event" wait_for 10 all_told
bad=0
while IFS='|' read -r command problem; do
	bad=$((bad + 1))
	at "worse$bad" "$past" "$command"
	wait_for 10 said "worse$bad" PENDING InvalidCommand
	is "$(condition "worse$bad" Valid)" \
		"False InvalidCommand spec.command: $problem" \
		"an invalid command: $command"
done <<'LIST'
|it is empty
  ''"|a " is not closed
echo 'a|a ' is not closed
echo \|it ends with a backslash
LIST
# What becomes of the Ats before these may be written meanwhile.
tries() {
	audit_writes | grep -E ' work/(bad|worse)'
}
ok "... and nothing is tried again" rests 2 tries
kc patch at bad1 --type=merge -p "{\"spec\": {\"schedule\": \"$past\"}}" \
	>/dev/null
ok "put right: it runs" wait_for 10 said bad1 RUNNING Running
is "$(condition bad1 Valid)" "True Valid " "... and says so"
wide=$(printf '%100000s' "" | tr ' ' x)
at long "$past" "echo '$wide'"
ok "a command of 100,000 letters" wait_for 10 said long RUNNING Running
is "$(api "$core/long" | jq -c '[.spec.containers[0].command[] | length]')" \
	'[4,100000]' "... arrives whole"
name=$(printf '%064d' 0)
at "$name" "$past" true
ok "a name that is not a label" wait_for 10 said "$name" PENDING InvalidName
kc run taken --image=x >/dev/null
at taken "$past" true
ok "a Pod of that name that is not ours" wait_for 40 at_is taken \
	'.status.conditions[] | select(.type == "Complete") | .message
		| contains("it exists and is not part of At.at.example.com work/taken")'
ok "... is left alone" no_finalizers taken
kc delete at taken --wait=false >/dev/null

# ---- from RUNNING to DONE ----

for name in good failed killed gone stopped; do
	at "$name" "$past" "$long_command"
done
kubectl apply -f pipeline/playground/rbac.yaml >/dev/null
pipeline pipeline/playground playground
started() {
	at_is "$1" '.status.startTime != null'
}
for name in good failed killed gone stopped soon later; do
	wait_for 20 started "$name"
done
said good RUNNING Running
tap $? "Pods are started: RUNNING, with startTime"
outcome good Succeeded
ok "a Pod that succeeded: DONE" wait_for 10 said good DONE Succeeded
is "$(api "$group/good" | jq -c '.status | [.exitCode, .completionTime]
	| map(type)')" '["number","string"]' "... with exit code and time"
ok "... its finalizer goes" wait_for 10 no_finalizers good
kc patch pod failed --subresource=status --type=merge \
	-p '{"status": {"phase": "Failed", "reason": "Evicted"}}' >/dev/null
ok "a Pod that failed: DONE" wait_for 10 said failed DONE Failed
is "$(condition failed Complete)" "True Failed Evicted" "... and why"

kc delete pod killed --wait=false >/dev/null
ok "a Pod deleted while it ran: DONE" wait_for 10 said killed DONE PodDeleted
ok "... and it can go" wait_for 10 api_gone "$core/killed"
audit_mark
kc delete pod good >/dev/null
kc patch at good --type=merge -p '{"spec": {"command": "b"}}' >/dev/null
ok "changed when it is DONE: a condition" \
	wait_for 10 at_is good 'any(.status.conditions[]; .type == "SpecIgnored")'
kc patch at good --type=merge \
	-p "{\"spec\": {\"command\": \"$long_command\"}}" >/dev/null
ok "... that goes when it is changed back" wait_for 10 at_is good \
	'.metadata.generation == 3 and .status.observedGeneration == 3 and
		all(.status.conditions[]; .type != "SpecIgnored")'
ok "a Pod deleted after DONE stays away" api_gone "$core/good"
is "$(audit_writes | grep " work/good " | sort -u)" \
	"kstatus patch ats/status work/good 200" \
	"... nothing but the status is written"
printed() {
	kc get at good -o custom-columns=P:.status.phase --no-headers
	kc get at good --no-headers | awk '{print $1, $2, $3, $4}'
}
is "$(printed)" "DONE
good $past DONE Succeeded" "what kubectl prints"

# A Pod that vanishes despite its finalizer: it counts as gone after half a
# minute.
kc patch pod gone --type=merge -p '{"metadata": {"finalizers": null}}' \
	>/dev/null
[ "$(pod_uid gone)" != "" ] && kc delete pod gone --wait=false >/dev/null

# ---- the At is deleted ----

kc delete at soon2 bad2 >/dev/null
ok "an At that is PENDING goes at once" api_gone "$group/soon2"
kc delete at good >/dev/null
ok "one that is DONE" api_gone "$group/good"
uid=$(api "$group/stopped" | jq -r .metadata.uid)
kc delete at stopped >/dev/null
ok "one that is RUNNING" api_gone "$group/stopped"
ok "... and its Pod" api_gone "$core/stopped"
at stopped "$past" again
ok "made again with the same name, it runs again" \
	wait_for 10 said stopped RUNNING Running
is "$(api "$core/stopped" | jq -c --arg old "$uid" \
	'[.spec.containers[0].command, .metadata.ownerReferences[0].uid != $old]')" \
	'[["again"],true]' "... as another one"
kc delete at later --cascade=foreground >/dev/null
ok "deleted in the foreground" api_gone "$core/later"
ok "a Pod that lost its finalizer, and was deleted: DONE" \
	wait_for 45 at_is gone '.status.phase == "DONE" and
		any(.status.conditions[]; .type == "Complete" and
		(.reason == "PodVanished" or .reason == "PodDeleted"))'

# ---- 200 at once ----

when=$(in_seconds 8)
audit_mark
jq -nc --arg when "$when" 'range(200) | {apiVersion: "at.example.com/v1alpha1",
	kind: "At", metadata: {name: "many\(.)"},
	spec: {schedule: $when, command: "true"}}' |
	kapply --kubeconfig "$(config admin)" -n work -o none
many() {
	[ "$(api "$group" | jq '[.items[] | select(.metadata.name
		| startswith("many")) | select(.status.startTime != null)]
		| length')" = 200 ]
}
ok "200 at the same second" wait_for 60 many
is "$(audit_created kapply | awk '$2 == "pods" { print $1 }' | uniq -c |
	tr -s ' ')" " 200 1" "... a Pod for each, once"
note "the last one was created $(($(api "$core" | jq -r '[.items[]
	| select(.metadata.name | startswith("many")).metadata.creationTimestamp]
	| max | fromdate') - $(date -u -d "$when" +%s))) s after its time"

# ---- started again: it writes nothing ----

ok "an At whose Pod could not be made goes, too" \
	wait_for 20 api_gone "$group/taken"
# The last that is written of one: the playground ends its Pod, it is DONE, and
# the Pod loses its finalizer.
many_ended() {
	[ "$(api "$core" | jq '[.items[] | select(.metadata.name
		| startswith("many")) | select(.metadata.finalizers == null)]
		| length')" = 200 ]
}
ok "the 200 have ended" wait_for 60 many_ended
ok "... and nothing is under way" rests 1 audit_writes
for stage in kwatch ireconcile kapply kstatus; do
	kill -9 "${at_stage[$stage]}"
	wait "${at_stage[$stage]}"
done 2>/dev/null
rm -f "$T"/at.[abc]
pipeline pipeline/at
audit_mark
at last "$past" "$long_command"
ok "started again, it runs a new one" wait_for 20 said last RUNNING Running
besides_last() {
	audit_writes | grep -v ' work/last '
}
ok "... and nothing is under way" rests 1 audit_writes
is "$(besides_last)" "" "... and writes nothing else"
[ "$failed" -eq 0 ] || show_logs at
done_testing
