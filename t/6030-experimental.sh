#!/bin/bash
# The experimental program on small inputs: which pods are created, kept and
# deleted. A table's line is WANTED ~ PODS ~ DESIRED -DELETED. A pod is written
# INDEX[FLAG...][@SECOND]: r ready, f Failed, s Succeeded, t terminating, x not
# ours; the second of its creation is 10 if not given.
. "${0%/*}/lib.sh"

folder=pipeline/experimental
unset EXPERIMENTAL_IMAGE

# reconcile [OPTION]...: the sets for the events on stdin
# shellcheck disable=SC2120
reconcile() {
	ireconcile -f "$folder/watches.yaml" --clock=input "$@"
}

# experimental SPEC [METADATA]: in the namespace $ns, as all that is made here
ns=d
experimental() {
	jq -cn --argjson spec "$1" --argjson metadata "${2:-"{}"}" --arg ns "$ns" '{
		apiVersion: "experiments.vapourware.com/v1alpha1",
		kind: "Experimental", metadata: ({name: "e", namespace: $ns,
		uid: "u-\($ns)", generation: 1, resourceVersion: "1"} + $metadata),
		spec: $spec}'
}

# The digest of the desired fields of a pod, from ireconcile itself
paths=$(experimental '{"numberOfReplicas": 1}' | reconcile |
	jq -c '.items[0].metadata.annotations')

# pods TEXT...: in the notation of the head of this file
pods() {
	printf '%s\n' "$@" | jq -cR --argjson paths "$paths" --arg ns "$ns" '
		capture("^(?<index>[-a-z0-9]+?)(?<flags>[rfstx]*)(@(?<at>[0-9]+))?$")
		| {apiVersion: "v1", kind: "Pod", metadata: ({
			name: "e-\(.index)", namespace: $ns, uid: "p\(.index)-\($ns)",
			resourceVersion: "2",
			creationTimestamp: "2026-01-01T00:00:\(.at // 10)Z",
			labels: {app: "e", version: "v0.1"},
			annotations: $paths}
			+ if .flags | test("x") then {} else {ownerReferences: [{
				apiVersion: "experiments.vapourware.com/v1alpha1",
				controller: true, kind: "Experimental",
				name: "e", uid: "u-\($ns)"}]} end
			+ if .flags | test("t") then
				{deletionTimestamp: "2026-01-01T00:01:00Z"}
				else {} end),
		   spec: {containers: [{name: "busybox", image: "busybox",
			command: ["sleep", "3600"]}]},
		   status: (
			if .flags | test("f") then {phase: "Failed"}
			elif .flags | test("s") then {phase: "Succeeded"}
			elif .flags | test("r") then {phase: "Running",
				conditions: [{type: "Ready", status: "True"}]}
			else {phase: "Pending"} end)}'
}

# table WHAT: each line has a namespace
table() {
	local wanted pods lines ns

	mapfile -t lines
	for ns in "${!lines[@]}"; do
		IFS='~' read -r wanted pods _ <<<"${lines[ns]}"
		read -ra pods <<<"$pods"
		experimental "{\"numberOfReplicas\": $wanted}"
		[ ${#pods[@]} -eq 0 ] || pods "${pods[@]}"
	done | reconcile --all 2>&1 | jq -rn 'reduce inputs as $set ({};
		.[$set.reconcile.primary.namespace] = ($set
		| [(.items[] | .metadata.name | ltrimstr("e-")),
			(.reconcile.delete[]? | "-" + (.name | ltrimstr("e-")))]
			| join(" ")))
		| . as $got | $ARGS.positional | to_entries[]
		| (.value | split("~")[:2] | join("~")) + "~" + $got["\(.key)"]' \
		--args "${lines[@]}" >"$T/got"
	same "$T/got" <(printf '%s\n' "${lines[@]}") "$1"
}

table "up" <<'END'
0~~
3~~0 1 2
3~0r 1r 2r~0 1 2
3~0r 2r~0 2 1
5~1r 7r~1 7 0 2 3
12~0r 1r 2r 3r 4r 5r 6r 7r 8r 9r 10r~0 1 2 3 4 5 6 7 8 9 10 11
END
table "replaced: by the lowest free index; a name is free when its pod is gone" <<'END'
3~0r 1f 2r~0 2 3 -1
3~0r 1s 2r~0 2 3 -1
3~0r 1t 2r~0 2 3
3~0t 1t 2t~3 4 5
2~0ft 1r~1 2
1~0r 1f 2s 3t~0 -1 -2
0~0f 1t~-0
END
table "down: not ready ones first, then the youngest, then the highest index" <<'END'
0~0r 1r~-0 -1
1~0r@12 1r@11 2r@13~1 -0 -2
2~0r 1r 2r 3r~0 1 -2 -3
2~0@11 1r@12 2r@13 3@10~1 2 -0 -3
1~0@12 1@11~1 -0
2~0 1r 2t 3f~1 0 -3
2~9r 10r 11r~9 10 -11
END
table "what is not one of these pods" <<'END'
2~0x~1 2
2~0r 1x~0 2
1~0x 1r~1
1~0rx 1r 2r@11~1 -2
1~01r~0 -01
1~a-0r~0 -a-0
END

# ---- the status ----

status() {
	jq -c '.reconcile.status | [.numberOfReplicas, .podNames,
		.persistentVolumesUsed, (.conditions[0] | .type, .status, .reason)]'
}
is "$({
	experimental '{"numberOfReplicas": 4}'
	pods 10r 9 1f 2t 3x
} | reconcile --all | status)" '[2,["e-10","e-9"],[],"Ready","False","Progressing"]' \
	"the status: Pending or Running ones, by name; no volumes"
is "$({
	experimental '{"numberOfReplicas": 1}'
	pods 0r | jq -c '.metadata.ownerReferences += [{apiVersion: "v1",
		kind: "ConfigMap", name: "c", uid: "c"}]'
} | reconcile --all | status)" '[1,["e-0"],[],"Ready","True","Available"]' \
	"... a pod with another owner beside this one"
# claim NAME VOLUME PHASE [NAMESPACE]
claim() {
	jq -cn --arg name "$1" --arg volume "$2" --arg phase "$3" \
		--arg ns "${4:-d}" '{apiVersion: "v1",
		kind: "PersistentVolumeClaim", metadata: {name: $name,
		namespace: $ns, uid: "c\($ns)\($name)", resourceVersion: "3"},
		spec: {volumeName: $volume}, status: {phase: $phase}}'
}
is "$({
	experimental '{"numberOfReplicas": 2}'
	pods 0r 1r | jq -c '.spec.volumes = [{name: "s", secret: {}},
		{name: "scratch", ephemeral: {}}]
		+ if .metadata.name == "e-0" then [{name: "v",
		persistentVolumeClaim: {claimName: "data"}}, {name: "w",
		persistentVolumeClaim: {claimName: "waits"}}] else [] end'
	claim data pv-z Bound
	claim e-1-scratch pv-a Bound
	claim waits "" Pending
	claim other pv-o Bound
	claim data pv-elsewhere Bound elsewhere
} | reconcile --all | status)" \
	'[2,["e-0","e-1"],["pv-a","pv-z"],"Ready","True","Available"]' \
	"... the volumes bound to their claims, and no others"

# ---- both spellings of the spec ----

names() {
	jq -c '[.items[].metadata.name], (.reconcile.status.conditions[0]
		| [.reason, .message])'
}
is "$(experimental '{"number_of_replicas": 1, "is_public": true}' |
	reconcile | names)" '["e-0"]
["Progressing",""]' "the other spelling"
is "$(experimental '{"numberOfReplicas": 1, "number_of_replicas": 1}' |
	reconcile | names)" '["e-0"]
["Progressing",""]' "... both, and equal"
differ() {
	pods 0r 1r >"$T/pods"
	runs 1 "$1: exit 1" reconcile < <(experimental "$2" | cat - "$T/pods")
	is "$(names <"$T/out")" "[]
[\"Failed\",\"$3\"]" "... Failed, and the pods stay"
	is "$(jq -c .reconcile.delete "$T/out")" null "... all of them"
	is "$(<"$T/err")" "ireconcile: error: experimental.experiments.vapourware.com d/e: $3" \
		"... and it is in the status"
}
differ "both, and different" '{"numberOfReplicas": 1, "number_of_replicas": 2}' \
	'numberOfReplicas is 1 and number_of_replicas is 2: only one may be given'
differ "... isPublic" \
	'{"numberOfReplicas": 1, "isPublic": true, "is_public": false}' \
	'isPublic is true and is_public is false: only one may be given'
is "$(experimental '{"isPublic": true}' | reconcile | names)" '["e-0"]
["Progressing",""]' "none: there is one pod"

# ---- the report ----

# report SPEC [REPORTED]: the Event, and what the status has then
report() {
	experimental "$1" | jq -c --argjson reported "${2:-null}" \
		'if $reported then .status.reported = $reported else . end' |
		reconcile --all 2>/dev/null | jq -r '.reconcile
		| ((.events // [])[] | "\(.type) \(.reason): \(.message)"),
		(.status.reported | tojson)'
}
is "$(report '{"is_public": true}')" \
	'Normal Created: isPublic is true, numberOfReplicas is 1
{"isPublic":true,"numberOfReplicas":1}' "created: an Event says how"
is "$(report '{"isPublic": true, "number_of_replicas": 1}' \
	'{"isPublic":true,"numberOfReplicas":1}')" \
	'{"isPublic":true,"numberOfReplicas":1}' "... told once, in any spelling"
is "$(report '{"number_of_replicas": 5}' \
	'{"isPublic":true,"numberOfReplicas":1}')" \
	'Normal Changed: isPublic from true to not given, numberOfReplicas from 1 to 5
{"numberOfReplicas":5}' "changed: an Event says what"
is "$(report '{"number_of_replicas": 5, "numberOfReplicas": 6}' \
	'{"numberOfReplicas":5}')" '{"numberOfReplicas":5}' \
	"... nothing of a spec that contradicts itself"
is "$(report '{"number_of_replicas": 5, "numberOfReplicas": 6}')" null \
	"... not even of a new one"

# ---- never a pod too many ----

# e-2 was requested and is not observed yet when the name e-1 becomes free: to
# request that, too, would give a pod too many.
event() {
	jq -c --arg type "$1" --arg time "2026-01-01T00:00:$2Z" \
		'{type: $type, time: $time, object: .}'
}
{
	experimental '{"numberOfReplicas": 2}' | event ADDED 10
	pods 0r 1t | event ADDED 10
	for kind in v1/Pod v1/PersistentVolumeClaim \
		experiments.vapourware.com/v1alpha1/Experimental; do
		jq -cn --arg kind "$kind" '{apiVersion: ($kind
			| split("/")[:-1] | join("/")), kind: ($kind
			| split("/")[-1]), metadata: {annotations:
			{"k8s.io/initial-events-end": "true"}}}' |
			event BOOKMARK 10
	done
} >"$T/start"
pods 1t | event DELETED 11 >"$T/freed"
pods 2r | event ADDED 12 >"$T/made"
pods 2r | event DELETED 13 >"$T/lost"
asked() {
	cat "$@" | reconcile | jq -r '[.items[].metadata.name] | join(" ")' |
		grep . | tr '\n' ';'
}
is "$(asked "$T/start")" "e-2;" "a terminating pod is replaced"
is "$(asked "$T/start" "$T/freed")" "e-2;" \
	"... its name becomes free: not used while the other is not seen"
is "$(asked "$T/start" "$T/freed" "$T/made")" "e-2;" \
	"... nor when it is"
is "$(asked "$T/start" "$T/freed" "$T/made" "$T/lost")" "e-2;e-1;" \
	"... but for the next one"
pods 7x | event ADDED 20 >"$T/later"
is "$(asked "$T/start" "$T/freed" "$T/later")" "e-2;e-1;" \
	"one that does not come is waited for 10 s"
{
	experimental '{"numberOfReplicas": 3}' '{"generation": 2}' |
		event MODIFIED 11
} >"$T/spec"
is "$(asked "$T/start" "$T/freed" "$T/spec")" "e-2;e-1 e-2;" \
	"a new spec does not wait"
{
	experimental '{"numberOfReplicas": 1}' | event ADDED 10
	pods 0r 1r 2 | event ADDED 10
	grep BOOKMARK "$T/start"
} >"$T/down"
{
	pods 2t | event MODIFIED 11
	pods 0 | event MODIFIED 12
} >"$T/wavers"
deleted() {
	cat "$@" | reconcile | jq -r '[.reconcile.delete[]?.name] | join(" ")' |
		grep . | tr '\n' ';'
}
is "$(deleted "$T/down" "$T/wavers")" "e-1 e-2;e-1;" \
	"one that is not ready any more is not taken beside those being deleted"

# ---- a life ----

# `example` has 3 pods, then 5, then 2; one is deleted by hand, one Failed.
# `plain` gives no number, then one, then two that differ; then it is put right.
runs 1 "a life: one of them is not a spec" reconcile --must-answer \
	<"$folder/t/life.jsonl"
is "$(<"$T/err")" "ireconcile: error: experimental.experiments.vapourware.com default/plain: numberOfReplicas is 1 and number_of_replicas is 2: only one may be given" \
	"... which is logged"
jq -r '.reconcile as $r | [$r.primary.name, ([(.items[] | "+" + .metadata.name),
	($r.delete[]? | "-" + .name)] | join(" ")), ($r.events[]?
	| .reason + ": " + .message), ($r.status | values | "pods \(.podNames
	| length) of \(.reported.numberOfReplicas)")] | join(" | ")' \
	"$T/out" >"$T/got"
[ -z "${ACCEPT:-}" ] || cp "$T/got" "$folder/t/life.out"
same "$T/got" "$folder/t/life.out" "... its lines, in short"
done_testing
