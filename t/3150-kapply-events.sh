#!/bin/bash
# Events of programs and of kapply itself: counted, combined and limited;
# nothing waits for them.
# servers: kapi real
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=cluster/lib.sh
. "${0%/*}/cluster/lib.sh"
# shellcheck source=sets.sh
. "${0%/*}/sets.sh"
cluster_start
things_start
for n in t u v w; do
	thing "$n" >/dev/null
done

# of NAME: the Events that follow are those of that primary
of() {
	primary=$(primary_of "$1")
}
# say REASON MESSAGE [TYPE [MEMBER]]: a line with one Event of it
say() {
	printf '{"apiVersion":"v1","kind":"List","items":[],"reconcile":{"primary":%s,"manager":"kpipe-thing.example.com","events":[{"type":"%s","reason":"%s","message":"%s"%s}]}}\n' \
		"$primary" "${3:-Normal}" "$1" "$2" "${4:+,$4}"
}
# events NAME: COUNT TYPE REASON MESSAGE of each, sorted
events() {
	kubectl get events -o json | jq -r --arg name "$1" '[.items[]
		| select(.involvedObject.name == $name)
		| "\(.count) \(.type) \(.reason) \(.message)"] | sort[]'
}
is_events() {
	[ "$(events "$1")" = "$2" ]
}

of t
{
	for i in 1 2 3; do
		say Same "it is so"
	done
	for i in 01 02 03 04 05 06 07 08 09 10 11 12; do
		say Many "message $i"
	done
	say Many "message 03"
	of u
	for i in {1..30}; do
		say Loud "again"
	done
	say Quiet "one more" Warning
	say Named mine Normal '"component":"teller"'
} >"$T/in"
runs 0 "many Events" kapply --timeout=20s <"$T/in"
is "$(grep Same "$T/err" | sort -u)" \
	"kapply: thing.example.com default/t: Same: it is so" "... are logged"
is "$(grep Quiet "$T/err")" "" "... but Warnings, whose cause ireconcile logs"
is "$(events t)" "1 Normal Many message 01
1 Normal Many message 02
1 Normal Many message 04
1 Normal Many message 05
1 Normal Many message 06
1 Normal Many message 07
1 Normal Many message 08
1 Normal Many message 09
2 Normal Many message 03
3 Normal Many (combined from similar events): message 12
3 Normal Same it is so" "repetitions are counted, from the tenth on they are combined"
is "$(kubectl get events -o json | jq -r '.items[]
	| select(.involvedObject.name == "u") | "\(.reason) \(.source.component)"' |
	sort)" "Loud kpipe-thing.example.com
Named teller
Quiet kpipe-thing.example.com" "... from the manager, or from the component of the line"
is "$(events u)" "1 Normal Named mine
1 Warning Quiet one more
25 Normal Loud again" "25 of one type about one object"
is "$(kubectl get events -o json | jq -c '[.items[] | select(.reason == "Same")
	| .source.component, .reportingComponent, .involvedObject.kind,
	.involvedObject.apiVersion, (.source.host == .reportingInstance),
	(.lastTimestamp >= .firstTimestamp), .eventTime,
	(.involvedObject.uid | length), (.metadata.name | test("^t[.][0-9a-f]+$"))]')" \
	'["kpipe-thing.example.com","kpipe-thing.example.com","Thing","example.com/v1",true,true,null,36,true]' \
	"written as client-go's recorder does"
! with_kubectl || is "$(kubectl describe thing t | grep -c 'Normal  *Same .*(x3 over .*kpipe-thing.example.com  *it is so')" 1 \
	"kubectl describe shows them"

# --- an Event that has expired is created again, with its count
mkfifo "$T/pipe"
apply_pipe() {
	kapply <"$T/pipe" 2>"$T/err"
}
start apply_pipe
applier=$!
exec 7>"$T/pipe"
of v
say Old "it was" >&7
wait_for 10 is_events v "1 Normal Old it was"
kubectl get events -o name --field-selector involvedObject.name=v |
	xargs kubectl delete >/dev/null
say Old "it was" >&7
wait_for 10 is_events v "2 Normal Old it was"
is "$(events v)" "2 Normal Old it was" "one that has expired is created again"

# --- failures of kapply: an Event for each try, without values of Secrets
of w
line() {
	jq -cn --argjson p "$primary" --argjson item "$1" '{apiVersion: "v1",
		kind: "List", items: [$item], reconcile: {primary: $p,
		manager: "kpipe-thing.example.com"}}'
}
line '{"apiVersion":"v1","kind":"Secret","metadata":{"name":"s","namespace":"default"},"data":{"k":"hunter2!"}}' >&7
failed_twice() { # or more often, until somebody looks
	[[ $(events w) =~ ([2-9]|[1-9][0-9]+)" Warning FailedApply cannot apply Secret default/s" ]]
}
POLL=.5 ok "a failure is told, and again when it is tried again" \
	wait_for 20 failed_twice
is "$(kubectl get events -o json | grep -c hunter2)" 0 "... without the value"
exec 7>&-
wait "$applier"
is "$(kubectl get events -o json | grep -c 'it is so')" 1 "nothing is told twice"

# --- about a write: with it, and why it failed
about() { # OBJECT NAME
	jq -cn --argjson p "$primary" --argjson items "$1" --arg name "$2" '{apiVersion: "v1",
		kind: "List", $items, reconcile: {primary: $p,
		manager: "kpipe-thing.example.com", events: [{type: "Normal",
			reason: "Made", message: "made \($name)",
			object: "ConfigMap/default/\($name)", failure: {
				reason: "NotMade", message: "cannot make \($name): "}},
		{type: "Normal", reason: "Other", message: "of another",
			object: "ConfigMap/default/none"}]}}'
}
for n in m m; do
	about "$(cm $n 1)" $n
done >"$T/in"
runs 0 "Events about a write" kapply --timeout=20s <"$T/in"
is "$(events w | grep -E "Made|Other")" "1 Normal Made made m" \
	"... are told when it is done, and once"
about '[]' gone | jq -c '.reconcile.delete = [{apiVersion: "v1",
	kind: "ConfigMap", name: "gone", namespace: "default", uid: "u"}]' >"$T/in"
runs 0 "an Event about what is gone already" kapply --timeout=20s -o result <"$T/in"
is "$(jq -r .result "$T/out") $(events w | grep -c gone)" "unchanged 0" \
	"... is not told, for nothing is done"
about "$(cm WRONG 1)" WRONG >"$T/in"
runs 1 "... that fails" kapply --timeout=2s <"$T/in"
is "$(events w | grep -E "Made|WRONG" | cut -c 3-60)" "Normal Made made m
Warning NotMade cannot make WRONG: Invalid: metadata.name " \
	"... the cause is told in its words"

# --- a dry run
{
	say Dry "not at all"
	set_line '[]' '{"finalizers":{"add":["example.com/f"]},"status":{"a":1}}'
	set_line "$(cm dry 1)" '{"status":{"a":1}}'
} >"$T/in"
runs 0 "a dry run" kapply_line --dry-run=server -o status
is "$(<"$T/out")$(events w | grep -c Dry)" 0 "... sends none"
is "$(kubectl get thing t -o json | jq -c '.metadata.finalizers')$(kubectl get cm dry -o name 2>&1 | grep -c NotFound)" \
	null1 "... and leaves all as it is"
done_testing
