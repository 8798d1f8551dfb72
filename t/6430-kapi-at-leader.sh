#!/bin/bash
# Ats whose time comes while one leader after the other fails, in ways drawn by
# chance: each is run once. A Pod that has ended is deleted at once, so that
# only the At's record stays. On the clock of the machine, because a virtual one
# stands while something is done: few faults would come in the midst of it.
#
#	SEED=7 FAILOVERS=30 t/6430-kapi-at-leader.sh
# check-all: long faults
FAILOVERS=${FAILOVERS:-4}
TEST_SECONDS=$((1800 + FAILOVERS * 20))
. "${0%/*}/lib.sh"
. "${0%/*}/kapi.sh"
. "${0%/*}/leader.sh"
RANDOM=${SEED:-$$}
note "SEED=${SEED:-$$} FAILOVERS=$FAILOVERS"

ats=/apis/at.example.com/v1alpha1/namespaces/default/ats
pods=/api/v1/namespaces/default/pods
count=$((FAILOVERS * 40))

WORK='/api*/@(pods|ats)/'
leader_up
mkdir "$T/node"
cp pipeline/at/*.jq pipeline/at/watches.yaml "$T"
as_admin POST /apis/apiextensions.k8s.io/v1/customresourcedefinitions \
	"$(<pipeline/at/crd.yaml)" application/yaml >/dev/null
is "$(code)" 201 "the CRD"

# A node: it starts each Pod that it sees, and ends those that it started.
echo '- {version: v1, kind: Pod, program: node.jq}' >"$T/node/watches.yaml"
cat >"$T/node/node.jq" <<'END'
def desired: [];
def status:
  if .primary.metadata.deletionTimestamp then empty
  elif .primary.status.phase == "Running"
  then .primary.status + {phase: "Succeeded"}
  elif .primary.status.startTime then empty
  else {phase: "Running", startTime: (.now | todate)} end;
END
start kpipe -f "$T/node/watches.yaml" --kubeconfig "$T/kubeconfig" \
	2>>"$T/node.log"
start bash -c 'while sleep 0.1; do
	curl -sS --max-time 5 --cacert "$1" -X DELETE -o /dev/null -H \
		"Authorization: Bearer token-admin" "$2" 2>/dev/null
done' - "$T/ca.pem" "$url$pods?fieldSelector=status.phase%3DSucceeded"
disown $!

gone() {
	! kill -0 "$1" 2>/dev/null
}

# A replica that has ended is started again, as a kubelet does, at any time:
# another one may lead before that.
revive() {
	local n

	for n in 1 2; do
		gone "${pid[$n]}" && replica "$n"
	done
}

# fail N HOW
fail() {
	revive
	case $2 in
	term) kill -TERM "${pid[$1]}" ;;
	kill) kill -9 "${pid[$1]}" ;;
	stop) kill -STOP "$(stage_of "$1" kelect)" ;;
	*) kill -9 "$(stage_of "$1" "$2")" ;;
	esac
}

replica 1
wait_for 20 is_ready 1
replica 2
wait_for 20 is_ready 2
from=$(($(date +%s) + 3))
jq -nc --argjson count "$count" --argjson from "$from" 'range($count) | {
	apiVersion: "at.example.com/v1alpha1", kind: "At",
	metadata: {name: "at-\(.)", namespace: "default"},
	spec: {command: "true", schedule: ($from + (. / 10 | floor) | todate)}}' |
	kapply --kubeconfig "$T/kubeconfig" -o none
all_done() {
	[ "$(as_admin GET "$ats" | jq '[.items[]
		| select(.status.phase == "DONE")] | length')" = "$count" ]
}
# When all Ats are done there is nothing left to write: then the test is over.
leader_or_done() {
	leader=
	revive
	now_leads '[12]' || all_done
}
hows=(term kill kelect stop kapply kstatus ireconcile kwatch)
for ((i = 0; i < FAILOVERS; i++)); do
	how=${hows[RANDOM % ${#hows[@]}]}
	mark
	wait_for 30 leader_or_done
	n=$leader
	[ -n "$n" ] || break
	sleep "0.$((RANDOM % 10))$((RANDOM % 10))"
	fail "$n" "$how"
	mark
	ok "$how of $n: one of them leads again" wait_for 30 leader_or_done
done

ok "$count Ats are DONE" wait_for 60 all_done
no_pods() {
	[ "$(as_admin GET "$pods" | jq '.items | length')" = 0 ]
}
ok "... their Pods are gone" wait_for 20 no_pods
jq -Rr 'fromjson? | select(.resource == "pods" and .subresource == "status" and
	.code == 200) | select(.body.status.startTime)
	| select(.body.status.phase == "Running") | .name' "$T/journal" |
	sort -V >"$T/run"
for ((i = 0; i < count; i++)); do
	echo "at-$i"
done >"$T/want"
same "$T/run" "$T/want" "... and each was run once"
is "$(stray)" "" "only the leader wrote"
kapi_down
done_testing
