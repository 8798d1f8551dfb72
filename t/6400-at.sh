#!/bin/bash
# The At program on recorded files, and how it splits a command. life.jsonl was
# recorded by kwatch on a real API server: `soon` is run, its Pod deleted
# before it was started, its command changed while it runs, its Pod deleted
# after it; `killed` loses its Pod while it runs; `later` is moved to the past,
# and deleted while it runs; `bad` has a leap day that does not exist.
# check-all: more of the pipelines
. "${0%/*}/lib.sh"
# shellcheck source=preload.sh
. "${0%/*}/preload.sh"

folder=pipeline/at
watches=$folder/watches.yaml

ireconcile -f "$watches" --clock=input <"$folder/t/life.jsonl" 2>"$T/err" |
	jq -Sc . >"$T/got"
is "$(<"$T/err")" "" "a life: no complaints"
[ -z "${ACCEPT:-}" ] || cp "$T/got" "$folder/t/life.out"
same "$T/got" "$folder/t/life.out" "... the sets"
is "$(jq -r 'select(.reconcile.primary.name == "soon") | [
	(.items[] | if .metadata.finalizers then "Pod" else "Pod released" end),
	(.reconcile.once // [] | if . == [] then empty else "once" end),
	(.reconcile.status // {} | .phase // empty),
	(.reconcile.finalizers // {} | keys[] | . + " finalizer")]
	| join(", ")' "$T/got")" "PENDING
PENDING
Pod, once
RUNNING
Pod released, PENDING
Pod, once, PENDING
Pod, once, PENDING
RUNNING
RUNNING
RUNNING
RUNNING
DONE
Pod released
remove finalizer" "... of one that is run"

is "$(jq -r 'select(.reconcile.primary.name == "soon") | .reconcile.events[]?
	| "\(.type) \(.reason): \(.message)"' "$T/got")" \
	"Normal Scheduled: runs in 3 s, at 2026-11-21T12:00:50Z
Normal Succeeded: the command is done" "... what is told of it"

# An old view: the Pod is missing, the At is as it was at each moment. The Pod
# is requested only before anything was recorded, and only once.
jq -c 'select(.object.kind == "At" and .object.metadata.name == "killed" and
	.type != "DELETED") | .object' "$folder/t/life.jsonl" |
	while read -r at; do
		echo "$at" | ireconcile -f "$watches" --all 2>>"$T/err" | jq -r \
			'[(.items | length), (.reconcile.once // [] | length),
			(.reconcile.status | .phase,
			(.conditions[] | select(.type == "Complete").reason))]
			| join(" ")'
	done >"$T/views"
is "$(<"$T/views")" "1 1 PENDING Waiting
1 1 PENDING Waiting
1 1 PENDING Waiting
1 1 PENDING Waiting
0 0 RUNNING PodMissing
0 0 DONE PodDeleted" "an At seen without its Pod"

# old TIME: the At `killed`, which was started and whose Pod is missing since
# then; the results 29 s and 31 s later
missing() {
	jq -c 'select(.object.kind == "At" and .object.status.startTime and
		.object.metadata.name == "killed" and .object.status.phase ==
		"RUNNING") | .time = "2026-11-21T13:00:00Z" | .object.status.conditions[1] |= (
		.status = "Unknown" | .reason = "PodMissing" |
		.lastTransitionTime = "2026-11-21T13:00:00Z")' "$folder/t/life.jsonl"
	echo "{\"type\":\"BOOKMARK\",\"time\":\"$1\",\"object\":{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"annotations\":{}}}}"
}
begun() {
	for kind in At Pod; do
		jq -c --arg kind $kind 'select(.type == "BOOKMARK" and
			.object.kind == $kind)' "$folder/t/life.jsonl"
	done
}
last_phase() {
	{
		begun
		missing "$1"
	} | ireconcile -f "$watches" --clock=input |
		jq -r '.reconcile.status.phase' | tail -n 1
}
is "$(last_phase 2026-11-21T13:00:29Z)" RUNNING \
	"a Pod that is missing for 29 s may be there"
is "$(last_phase 2026-11-21T13:00:31Z)" DONE "... after 31 s it is gone"

# view FILTER: what is requested for the At `killed` as FILTER changes it
view() {
	jq -c 'select(.object.kind == "At" and .type == "ADDED" and
		.object.metadata.name == "killed").object | '"$1" \
		"$folder/t/life.jsonl" | head -n 1
}
# An At that failed before anything was started is over, too.
is "$(view '.metadata.finalizers = ["at.example.com/finalizer"] |
	.status = {phase: "DONE"}' | ireconcile -f "$watches" --all 2>>"$T/err" |
	jq -c '[.items | length]')" '[0]' "a DONE At without a start is never run"

# A terminating Pod that its kubelet may have started without reporting it.
at=$(view .)
leaving() {
	echo "$at"
	jq -nc --argjson at "$at" '{apiVersion: "v1", kind: "Pod", metadata: {
		name: "killed", namespace: $at.metadata.namespace, uid: "p",
		resourceVersion: "9", finalizers: ["at.example.com/result"],
		deletionTimestamp: "2026-11-21T13:00:00Z",
		deletionGracePeriodSeconds: 30,
		ownerReferences: [{apiVersion: "at.example.com/v1alpha1",
			kind: "At", name: "killed", uid: $at.metadata.uid,
			controller: true}]},
		spec: {nodeName: "n", restartPolicy: "OnFailure", containers: [
			{name: "busybox", image: "i", command: ["x"]}]},
		status: {phase: "Pending"}} | '"$1"
}
# released FILTER: the result, if the finalizer is removed
released() {
	leaving "$1" | ireconcile -f "$watches" --all 2>>"$T/err" |
		jq -c '[.items[].metadata | {name, finalizers}]'
}
gone='[{"name":"killed","finalizers":null}]'
is "$(released .)" '[]' "a Pod that a node may have started stays"
is "$(released 'del(.spec.nodeName)')" "$gone" "... one without a node goes"
is "$(released '.metadata.deletionGracePeriodSeconds = 0')" "$gone" \
	"... and one that its node is done with"
is "$(released '.status.phase = "Succeeded"')" '[]' \
	"... one that has ended stays until that is recorded"

# ---- words ----

# split: commands (JSON strings, a line each) on stdin, JSON on stdout
split() {
	jq -c "$(<"$folder/words.jq") try words catch ."
}
is "$(split <<'LIST'
""
" \t\n "
"a  b\tc\nd"
"a 'b  c' \"d  e\""
"a'b'\"c\"d"
"'' \"\" x''"
"a\\ b \\' \\\" \\\\"
"\"a\\\"b\\\\c\\$d\\`e\\x\""
"'a\\b'"
"a\\\nb \"c\\\nd\" \\\n e"
"$HOME `x` $(y) * ; | > # ~ {a,b}"
"ünï 'çö' 日本"
"a\u0000b"
"'a"
"\"a"
"\"a\\"
"a\\"
LIST
)" '[]
[]
["a","b","c","d"]
["a","b  c","d  e"]
["abcd"]
["","","x"]
["a b","'\''","\"","\\"]
["a\"b\\c$d`e\\x"]
["a\\b"]
["ab","cd","e"]
["$HOME","`x`","$(y)","*",";","|",">","#","~","{a,b}"]
["ünï","çö","日本"]
"it has a NUL"
"a '\'' is not closed"
"a \" is not closed"
"a \" is not closed"
"it ends with a backslash"' "how commands are split"

# The worst command, within a few times the second that a program has: on a busy
# machine a second of processor time does less.
preload slow
: >"$T/err"
for text in "'a'\"b\"\\ c " '$(a) ' '$$' "a'b' 	"; do
	for count in 2700 65000; do
		jq -nc --arg text "$text" --argjson count "$count" '{apiVersion:
			"at.example.com/v1alpha1", kind: "At", metadata: {name:
			"a", namespace: "b", uid: "c", resourceVersion: "1"},
			spec: {schedule: "2020-01-01T00:00:00Z", command:
			([range($count) | $text] | join("")[:131072])}}' |
			"${preloaded[@]}" CPU_SLOWER=8 \
			ireconcile -f "$watches" --all 2>>"$T/err" | jq -r \
			'(.items[] | .spec.containers[0].command | length),
			.reconcile.status.conditions[0].message'
	done
done >"$T/worst"
is "$(<"$T/err")" "" "long commands are split in time"
is "$(grep . "$T/worst" | sort | uniq -c | tr -s ' ')" \
	" 2 1
 1 26215
 2 2700
 3 spec.command: it has more than 8192 quotes and backslashes" "... or refused"

# The same result as sh, for commands that mean nothing else there.
RANDOM=${SEED:-7}
pieces=(a b " " "  " "	" "'" "'" '"' '"' "\\\\" '\$' '\`' "\\'" '\"' "''" '""' é
	$'\\\n' '\a')
for ((i = 0; i < 400; i++)); do
	text=
	for ((j = RANDOM % 12; j > 0; j--)); do
		text+=${pieces[RANDOM % ${#pieces[@]}]}
	done
	printf '%s\001' "$text"
done >"$T/texts"
while IFS= read -rd $'\001' text; do
	# shellcheck disable=SC2016 # sh expands it
	sh -c "set -- $text
		printf '%s\\001' \"\$#\" \"\$@\"" 2>/dev/null || printf 'bad\003'
	printf '\002'
done <"$T/texts" | jq -Rsc 'split("\u0002")[:-1][] |
	if endswith("\u0003") then null
	else split("\u0001")[1:-1] end' >"$T/sh"
jq -Rsc 'split("\u0001")[:-1][]' "$T/texts" | split |
	jq -c 'if type == "string" then null else . end' >"$T/ours"
paste "$T/ours" "$T/sh" <(jq -Rsc 'split("\u0001")[:-1][]' "$T/texts") |
	awk -F '\t' '$1 != $2' >"$T/differ"
is "$(head -n 5 "$T/differ")" "" "as sh splits 400 random ones (SEED=${SEED:-7})"
ok "... of which many are words" test "$(grep -vc null "$T/sh")" -gt 100

# ---- schedules ----

cat >"$T/schedules" <<'LIST'
0001-01-01T00:00:00Z run
1969-12-31T23:59:59Z run
1970-01-01T00:00:00Z run
2000-02-29T00:00:00Z run
2100-02-28T23:59:59Z Valid
2100-02-29T00:00:00Z InvalidSchedule
2400-02-29T00:00:00Z Valid
9999-12-31T23:59:59Z Valid
2028-00-01T00:00:00Z InvalidSchedule
2028-01-00T00:00:00Z InvalidSchedule
2028-01-32T00:00:00Z InvalidSchedule
2028-04-31T00:00:00Z InvalidSchedule
2028-01-01T00:60:00Z InvalidSchedule
2028-01-01T00:00:00.5Z InvalidSchedule
2028-01-01t00:00:00z InvalidSchedule
2028-01-01T00:00:00Z_ InvalidSchedule
1861920000 InvalidSchedule
@daily InvalidSchedule
LIST
# names are the numbers of lines
sed 's/ .*//; s/_/ /' "$T/schedules" | jq -Rnc '[inputs] | to_entries[] | {
	apiVersion: "at.example.com/v1alpha1", kind: "At", metadata: {
	name: "\(.key)", namespace: "b", uid: "c\(.key)", resourceVersion: "1"},
	spec: {schedule: .value, command: "x"}}' |
	ireconcile -f "$watches" --all | jq -r '[.reconcile.primary.name,
	if .items != [] then "run" else .reconcile.status.conditions[0].reason
	end] | join(" ")' | sort -n | sed 's/.* //' |
	paste -d ' ' <(sed 's/ .*//' "$T/schedules") - >"$T/reasons"
same "$T/reasons" "$T/schedules" "valid and invalid schedules"

# ---- commands ----

# ran COMMAND, a JSON value: the command of the Pod, or what is wrong
ran() {
	jq -c '{apiVersion: "at.example.com/v1alpha1", kind: "At", metadata: {
		name: "a", namespace: "b", uid: "c", resourceVersion: "1"},
		spec: {schedule: "2020-01-01T00:00:00Z", command: .}}' |
		ireconcile -f "$watches" --all | jq -c '.items[0]
		.spec.containers[0].command // (.reconcile.status.conditions[0]
		| [.reason, .message])'
}
is "$(for text in '$(A) $$(A) $A x$' '$$ a$$$b $' '$ $(' 'a$(b)$c'; do
	jq -nc --arg text "$text" '$text' | ran
done)" '["$$(A)","$$$$(A)","$A","x$"]
["$$$","a$$$$$b","$"]
["$","$$("]
["a$$(b)$c"]' "a kubelet replaces nothing in a command"
is "$(jq -n '"a" * 131072' | ran | jq -c 'map(length)')" '[131072]' \
	"the longest command"
is "$(jq -n '"a" * 131073' | ran)" \
	'["InvalidCommand","spec.command is longer than 131072 bytes"]' \
	"... a longer one"
is "$(echo 7 | ran)" '["InvalidCommand","spec.command is not a string"]' \
	"... a number"
is "$(echo '"  "' | ran)" \
	'["InvalidCommand","spec.command: it is empty"]' "... an empty one"
done_testing
