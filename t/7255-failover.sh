#!/bin/bash
# Two Pods of an operator: whatever happens to the one that leads, the other one
# goes on, and the kubelet starts again what ended.
# check-all: a kubelet
# shellcheck source=node/lib.sh
. "${0%/*}/node/lib.sh"

ns=memcached-operator-system
push memcached:1.4.36-alpine
operator_image memcached
# Quick probes: what they find is tested, not how long that takes.
mkdir "$T/quick"
cat >"$T/quick/kustomization.yaml" <<END
resources: [$(realpath --relative-to="$T/quick" deploy/memcached/cluster)]
patches:
- patch: |
    apiVersion: apps/v1
    kind: Deployment
    metadata: {name: memcached-operator-controller-manager, namespace: $ns}
    spec:
      minReadySeconds: 0
      template:
        spec:
          containers:
          - name: kpipe
            readinessProbe: {periodSeconds: 1}
            livenessProbe: {periodSeconds: 1, timeoutSeconds: 1}
END
kubectl apply --server-side -k "$T/quick" >/dev/null
ok "two replicas are available" available memcached || node_logs $ns
kubectl apply -f pipeline/memcached/example.yaml >/dev/null
size=3

# other_leads POD: another Pod than that one leads
other_leads() {
	local now

	now=$(leader memcached)
	[ -n "$now" ] && [ "$now" != "$1" ]
}
# works WHAT: a change of the example is followed
is_followed() {
	[ "$(kubectl get deployment example -o 'jsonpath={.spec.replicas}')" = \
		"$size" ]
}
works() {
	size=$((size % 4 + 1))
	kubectl patch memcached example --type=merge \
		-p "{\"spec\": {\"size\": $size}}" >/dev/null
	ok "$1" wait_for 90 is_followed || node_logs $ns
}
restarted() {
	[ "$(restarts "$1" $ns)" -gt "$2" ]
}
is_ready() {
	[ "$(kubectl get pod "$1" -n $ns \
		-o 'jsonpath={.status.containerStatuses[0].ready}')" = true ]
}
# lead: who does, in $pod; its container's process 1, in $pid; its restarts, in
# $count
lead() {
	wait_for 60 other_leads ""
	pod=$(leader memcached)
	wait_for 60 is_ready "$pod"
	pid=$(process "$pod" $ns) count=$(restarts "$pod" $ns)
}
seconds() {
	awk "BEGIN { printf \"%.1f s\", $EPOCHREALTIME - $from }"
}
lead
works "the example is followed"

# --- a Pod is deleted: SIGTERM
from=$EPOCHREALTIME
kubectl delete pod "$pod" -n $ns --wait=true >/dev/null
note "gone after $(seconds)"
is "$(kubectl get events -n $ns -o json | jq -r --arg pod "$pod" '.items[]
	| select(.involvedObject.name == $pod and .reason == "Killing"
		and (.message | test("exceeded|SIGKILL")))')" "" \
	"a Pod that is deleted ends within the grace period"
ok "... and the other one leads" wait_for 60 other_leads "$pod"
note "after $(seconds)"
ok "two replicas again" available memcached

# --- eviction
lead
standby=$(kubectl get pods -n $ns -o name | grep -v "$pod")
standby=${standby#pod/}
evict() {
	kubectl create --raw "/api/v1/namespaces/$ns/pods/$1/eviction" -f - <<-END
		{"apiVersion": "policy/v1", "kind": "Eviction",
		 "metadata": {"name": "$1", "namespace": "$ns"}}
	END
}
budget_allows() {
	[ "$(kubectl get poddisruptionbudget -n $ns \
		-o 'jsonpath={.items[0].status.disruptionsAllowed}')" = "$1" ]
}
wait_for 60 budget_allows 1
ok "one of both may be evicted" evict "$pod"
runs 1 "... but not both at once" evict "$standby"
ok "... by the budget" grep -q "disruption budget" "$T/err"
ok "the other one leads" wait_for 60 other_leads "$pod"
ok "two replicas again" available memcached

# --- kill -9 of a stage: the pipeline starts again, not the container
lead
stage=$(pgrep -P "$pid" -x ireconcile | head -n 1)
kill -9 "$stage"
new_stage() {
	local now

	now=$(pgrep -P "$(process "$1" $ns)" -x ireconcile | head -n 1)
	[ -n "$now" ] && [ "$now" != "$stage" ]
}
ok "a stage that is killed runs again" wait_for 60 new_stage "$pod"
works "... and the work goes on"
is "$(restarts "$pod" $ns)" "$count" "... in the same container"
is "$(ps --ppid "$pid" -o stat= | grep -c Z)" 0 "... without zombies"

# --- kill -9 of process 1: the container starts again
lead
from=$EPOCHREALTIME
kill -9 "$pid"
ok "a container whose process 1 is killed starts again" \
	wait_for 60 restarted "$pod" "$count"
works "... and the work goes on"
note "after $(seconds): the lease of 15 s had to end"

# --- no answer to the liveness probe
lead
from=$EPOCHREALTIME
kill -STOP "$(pgrep -P "$pid" -x kpipe-http)"
ok "a container that does not answer the probes starts again" \
	wait_for 120 restarted "$pod" "$count"
note "after $(seconds)"
works "... and the work goes on"
is "$(refused memcached)" "" "the operator was refused nothing"
done_testing
