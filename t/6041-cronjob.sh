#!/bin/bash
# The cronjob program: on small inputs, which Jobs are begun and deleted; and on
# the life of some that kwatch recorded. It is 00:10:30 on 2026-01-01; all was
# created at 00:00:15. A table's line is SPEC ~ LAST ~ JOBS ~ RESULT: LAST is
# the minute of lastScheduleTime, or nothing, then ! and that of startingTime, if
# there is one; a Job is written [@]MINUTE[c|f|n][t][x|b]: named as ours are;
# Complete, Failed, Complete that is False, or active; terminating; without our
# annotation, or with one that is not a time. The result: !MINUTE is announced,
# +MINUTE begun, -MINUTE deleted; the condition's reason; Events.
. "${0%/*}/lib.sh"

folder=pipeline/cronjob

# reconcile [OPTION]...: the sets for the events on stdin
# shellcheck disable=SC2120
reconcile() {
	ireconcile -f "$folder/watches.yaml" --clock=input "$@"
}

# input LINE...: what kwatch writes of SPEC ~ LAST ~ JOBS, each in a namespace of
# its own, d1 and so on; then both kinds are there, as a whole
input() {
	printf '%s\n' "$@" | jq -cnR --arg now "$now" '
	def group: "batch.tutorial.kubebuilder.io";
	def event($type): {type: $type, time: $now, object: .};
	def cronjob($spec; $last): {apiVersion: "\(group)/v1", kind: "CronJob",
		metadata: {name: "c", uid: "u", generation: 1, resourceVersion: "1",
			creationTimestamp: "2026-01-01T00:00:15Z"},
		spec: ({schedule: "*/2 * * * *", concurrencyPolicy: "Allow",
			jobTemplate: {metadata: {labels: {a: "b"}},
			spec: {template: {spec: {}}}}} + $spec),
		status: ([$last | splits("!")] | [{key: "lastScheduleTime",
			value: .[0]}, {key: "startingTime", value: .[1]}]
			| map(select(.value // "" | . != "")
			| .value |= "2026-01-01T00:\(.):00Z") | from_entries)};
	def job: capture("^(?<named>@?)(?<minute>[0-9]+)(?<flags>[bcftnx]*)$")
		| .flags as $flags
		| def has($f): $flags | contains($f);
		"2026-01-01T00:\(.minute):00Z" as $time
		| {apiVersion: "batch/v1", kind: "Job", metadata: ({
		name: (if .named == "" then "c-\(.minute)" else
			"c-\($time | fromdate)" end),
		uid: "j\(.minute)", resourceVersion: "2",
		creationTimestamp: "2026-01-01T00:\(.minute):01Z",
		annotations: (if has("x") then {} else {"\(group)/scheduled-at":
			(if has("b") then "soon" else $time end)} end),
		ownerReferences: [{apiVersion: "\(group)/v1", controller: true,
			kind: "CronJob", name: "c", uid: "u"}]}
		+ if has("t") then {deletionTimestamp: "2026-01-01T00:10:00Z"}
			else {} end),
		spec: {template: {spec: {}}},
		status: (
			if has("c") then {conditions: [{type: "Complete", status: "True"}]}
			elif has("f") then {conditions: [{type: "Failed", status: "True"}]}
			elif has("n") then {conditions: [{type: "Complete", status: "False"}]}
			else {active: 1} end)};
	foreach inputs as $line (0; . + 1; . as $n | $line
		| split("~") as [$spec, $last, $jobs]
		| cronjob($spec | if . == "" then {} else fromjson end; $last // ""),
			($jobs // "" | splits(" +") | select(. != "") | job)
		| .metadata.namespace = "d\($n)" | .metadata.uid += "-\($n)"
		| .metadata.ownerReferences[]?.uid += "-\($n)" | event("ADDED")),
	({apiVersion: "batch/v1", kind: "Job"},
		{apiVersion: "\(group)/v1", kind: "CronJob"}
		| .metadata.annotations = {"k8s.io/initial-events-end": "true"}
		| event("BOOKMARK"))'
}

now=2026-01-01T00:10:30.5Z
# table WHAT: lines SPEC~LAST~JOBS~RESULT, from standard input
table() {
	mapfile -t lines
	input "${lines[@]}" | reconcile --all 2>&1 | jq -rn '
		def minute: split("-")[-1]
			| if length > 2 then tonumber | strftime("%M") else . end;
		reduce inputs as $set ({}; .[$set.reconcile.primary.namespace] =
			($set | [(.reconcile.status.startingTime // empty
				| "!" + .[14:16]),
			(.reconcile.once[]? | "+" + minute),
			(.reconcile.delete[]? | "-" + (.name | minute)),
			.reconcile.status.conditions[0].reason,
			(.reconcile.events[]? | select(.type == "Warning").reason)]
			| join(" ")))
		| . as $got | $ARGS.positional | to_entries[]
		| (.value | split("~")[:3] | join("~")) + "~" + $got["d\(.key + 1)"]' \
		--args "${lines[@]}" >"$T/got"
	same "$T/got" <(printf '%s\n' "${lines[@]}") "$1"
}

table "which run is due: the last one, once" <<'END'
~~~+10 Scheduled
{"schedule":"*/20 * * * *"}~~~Scheduled
~08~~+10 Scheduled
~10~~Scheduled
~~10~Scheduled
~08~10c~Scheduled
~02~02c~+10 Scheduled
~08~04x~+10 Scheduled
{"suspend":true}~08~~Suspended
{"timeZone":"Asia/Kolkata","schedule":"40 5 * * *"}~~~+10 Scheduled
{"timeZone":"Asia/Kolkata","schedule":"10 0 * * *"}~~~Scheduled
END
table "one that is too late, and many that were missed" <<'END'
{"startingDeadlineSeconds":30}~08~~+10 Scheduled
{"startingDeadlineSeconds":29}~08~~MissedDeadline MissSchedule
{"startingDeadlineSeconds":29,"suspend":true}~08~~Suspended
{"schedule":"@every 5s"}~02~~+10 Scheduled TooManyMissedTimes
{"schedule":"@every 7s"}~00~~+10 Scheduled
END
now=2026-01-01T00:10:29.5Z
table "... 101 are many" <<'END'
{"schedule":"@every 5s"}~02~~+10 Scheduled TooManyMissedTimes
END
now=2026-01-01T00:10:24.5Z
table "... 100 are not" <<'END'
{"schedule":"@every 5s"}~02~~+10 Scheduled
END
now=2026-01-01T00:10:30.5Z
table "earlier Jobs that still run" <<'END'
{"concurrencyPolicy":"Allow"}~08~08 06~+10 Scheduled
{"concurrencyPolicy":"Forbid"}~08~08~Scheduled
{"concurrencyPolicy":"Forbid"}~08~06t 08c~Scheduled
{"concurrencyPolicy":"Forbid"}~08~06n 08c~Scheduled
{"concurrencyPolicy":"Forbid"}~08~06b 08c~Scheduled
{"concurrencyPolicy":"Forbid"}~08~06f 08c~!10 Scheduled
{"concurrencyPolicy":"Replace"}~08~06 08~-06 -08 Scheduled
{"concurrencyPolicy":"Replace"}~08~06 08c~-06 Scheduled
{"concurrencyPolicy":"Replace"}~08~06t 08t~!10 Scheduled
{"concurrencyPolicy":"Replace"}~10~08 10~Scheduled
END
table "a run that was announced: no other, until its Job is seen" <<'END'
{"concurrencyPolicy":"Forbid"}~08!10~08c~!10 +10 Scheduled
{"concurrencyPolicy":"Forbid"}~06!08~06c~!08 +08 Scheduled
{"concurrencyPolicy":"Forbid"}~06!08~06c 07x~!08 +08 Scheduled
{"concurrencyPolicy":"Forbid"}~06!08~06c @08~Scheduled
{"concurrencyPolicy":"Forbid"}~06!08~06c @08c~!10 Scheduled
{"concurrencyPolicy":"Replace"}~06!08~~!08 +08 Scheduled
{"concurrencyPolicy":"Replace"}~06!08~@08~-08 Scheduled
{"concurrencyPolicy":"Replace"}~06!08~@08t~!10 Scheduled
{"concurrencyPolicy":"Allow"}~06!08~06~+10 Scheduled
{"concurrencyPolicy":"Forbid","suspend":true}~06!08~~!08 Suspended
{"concurrencyPolicy":"Forbid","startingDeadlineSeconds":150}~06!08~~!08 +08 Scheduled
{"concurrencyPolicy":"Forbid","startingDeadlineSeconds":149}~06!08~~!10 Scheduled
{"concurrencyPolicy":"Forbid","startingDeadlineSeconds":29}~06!08~~MissedDeadline MissSchedule
{"concurrencyPolicy":"Forbid","schedule":"61 * * * *"}~06!08~~!08 +08 InvalidSchedule InvalidSchedule
END
table "the history" <<'END'
~10~02c 04c 06c 08c 10~-02 Scheduled
~10~08c 02c 04c 06c 10c~-02 -04 Scheduled
~10~01c 02f 03f 04c 05x 06c 08c 10f~-01 -02 -03 Scheduled
{"successfulJobsHistoryLimit":0,"failedJobsHistoryLimit":0}~10~08c 10f 09x~-08 -10 Scheduled
{"successfulJobsHistoryLimit":0}~08~08c 10c~-08 Scheduled
{"successfulJobsHistoryLimit":1,"failedJobsHistoryLimit":5}~10~06c 07ct 08c 09f 10f~-06 Scheduled
{"successfulJobsHistoryLimit":2}~10~06c 07ct 08c 10f~Scheduled
{"suspend":true}~10~02c 04c 06c 08c~-02 Suspended
{"successfulJobsHistoryLimit":0,"failedJobsHistoryLimit":0}~10~05cx 06cb 07fx~Scheduled
{"successfulJobsHistoryLimit":0}~~10c~Scheduled
END
# Cases like those run with the controller of kubebuilder's tutorial (the README
# has its commit), with minutes for days. It begins the last run again if
# its Job is deleted; this operator does not.
table "as the tutorial's own controller" <<'END'
{"schedule":"4 * * * *"}~08~06c 08c~Scheduled
{"schedule":"1,2 * * * *"}~00~00c~+02 Scheduled
{"concurrencyPolicy":"Forbid"}~08~05x 08c~Scheduled
{"concurrencyPolicy":"Replace"}~08~05x 08c~-05 Scheduled
{"concurrencyPolicy":"Forbid"}~08~06 07 08c~Scheduled
{"concurrencyPolicy":"Allow"}~08~06 07 08c~+10 Scheduled
END
table "... but a run whose Job was deleted is not begun again" <<'END'
~10~08c~Scheduled
{"concurrencyPolicy":"Forbid"}~10~08c~Scheduled
END
table "what is wrong" <<'END'
{"schedule":"61 * * * *"}~~~InvalidSchedule InvalidSchedule
{"schedule":"* * * *"}~~~InvalidSchedule InvalidSchedule
{"schedule":""}~08~08~InvalidSchedule InvalidSchedule
{"timeZone":"Mars/Olympus"}~~~InvalidSchedule InvalidSchedule
{"schedule":"TZ=UTC 1 * * * *"}~~~InvalidSchedule InvalidSchedule
END

# ---- the Job, and the status ----

input '{"jobTemplate":{"metadata":{"labels":{"a":"b"},"annotations":{"n":"m"}},"spec":{"backoffLimit":2,"template":{}}}}~08~08 06c' \
	'~10~08 @07 10' '~~10 08' '~10~10 08 07x' '{"suspend":true}~~10x 08b' \
	'~10' '{"schedule":"61 * * * *"}' \
	'{"jobTemplate":{"metadata":{"labels":{"a":1}},"spec":{}}}' |
	jq -c '(.object | select(.metadata.namespace == "d6"))
		.metadata.annotations = {"reconcile.fluxcd.io/requestedAt": "now"}' |
	reconcile -v >"$T/out" 2>"$T/err"
# shows N JQ: of the set for the Nth line
shows() {
	jq -r --arg n "d$1" "select(.reconcile.primary.namespace == \$n)
		| .reconcile.status as \$status | $2" "$T/out"
}
is "$(shows 1 '.items[0] | del(.metadata.annotations["kpipe.dev/paths"]) | tojson')" \
	'{"apiVersion":"batch/v1","kind":"Job","metadata":{"annotations":{"batch.tutorial.kubebuilder.io/scheduled-at":"2026-01-01T00:10:00Z","n":"m"},"labels":{"a":"b"},"name":"c-1767226200","namespace":"d1","ownerReferences":[{"apiVersion":"batch.tutorial.kubebuilder.io/v1","controller":true,"kind":"CronJob","name":"c","uid":"u-1"}]},"spec":{"backoffLimit":2,"template":{}}}' \
	"a Job: of the template, with its time and its owner"
is "$(shows 1 '.items | length')" 1 "... others are left as they are"
is "$(shows 1 '[$status | .active, .lastScheduleTime] | tojson')" \
	'[[{"apiVersion":"batch/v1","kind":"Job","name":"c-08","namespace":"d1","uid":"j08-1"}],"2026-01-01T00:08:00Z"]' \
	"the status: what runs, and the last time"
is "$(shows 2 '[$status.active[].name] | tojson')" \
	'["c-1767226020","c-08","c-10"]' "... what runs, by its time"
is "$(shows 3 '[$status.lastScheduleTime, [$status.active[].name],
	[.reconcile.events[].message]] | tojson')" \
	'["2026-01-01T00:10:00Z",["c-08","c-10"],["Job c-08 runs","Job c-10 runs"]]' \
	"a Job that is not in the status is recorded, with an Event"
is "$(shows 4 .reconcile.events)" null "... no Event of one that is"
is "$(shows 5 '[.reconcile.events, ($status | del(.active) | keys)] | tojson')" \
	'[null,["conditions","observedGeneration"]]' \
	"... nor of one that is not ours; what is not known is left out"
is "$(shows 6 '$status.lastHandledReconcileAt')" now \
	"... a request of flux is answered"
is "$(shows 7 '$status.conditions[0].message')" \
	'schedule "61 * * * *": minute 61 is above 59' "the message for users"
is "$(shows 8 '$status.conditions[0] | .type, .status, .reason, .message')" "Ready
False
Failed
Job.batch/d8/c-1767226200: .metadata.labels.a is a number, and has to be a text: tostring makes one" \
	"... of a Job that cannot be"
# requeued N: when it is evaluated again by itself
requeued() {
	grep "d$1/" "$T/err" | grep -o 'requeue [ai][tn] [^;]*'
}
is "$(requeued 6)" "requeue at 1767226320" "the next evaluation: the next run"
is "$(requeued 7)" "" "... none without a schedule"

# ---- a life ----

# Each minute has a run of each. `hello` keeps one Job; those of `forbid` take 70
# seconds; those of `replace` never end; those of `fails` fail. `bad` has no
# schedule at first; `still` and `late` are suspended at first.
runs 0 "a life: exit 0" reconcile --must-answer <"$folder/t/life.jsonl"
is "$(<"$T/err")" "" "... no complaints"
jq -r '.reconcile as $r | def short: ltrimstr("Job.batch/default/");
	[$r.primary.name, ([($r.once[]? | "+" + short), ($r.delete[]?
	| "-" + .name)] | join(" ")), ($r.events[]? | .reason + ": "
	+ .message), ($r.status | values | "\(.active | length) active, last \(
	.lastScheduleTime), \(.conditions[0].reason)")] | join(" | ")' \
	"$T/out" >"$T/got"
[ -z "${ACCEPT:-}" ] || cp "$T/got" "$folder/t/life.out"
same "$T/got" "$folder/t/life.out" "... its lines, in short"
cp "$T/out" "$T/first"
runs 0 "... again" reconcile <"$folder/t/life.jsonl"
same "$T/out" "$T/first" "... the same, to the byte"
done_testing
