#!/bin/bash
# A memory limit that is too low: Kubernetes shows it, at once or as soon as the
# objects need more, and all is well when it is raised.
# check-all: a kubelet
# shellcheck source=node/lib.sh
. "${0%/*}/node/lib.sh"

ns=memcached-operator-system
deployment=deployment/memcached-operator-controller-manager
push memcached:1.4.36-alpine
operator_image memcached
deploy memcached cluster
ok "two replicas are available" available memcached || node_logs $ns

limit() {
	kubectl set resources "$deployment" -n $ns --requests="memory=$1" \
		--limits="memory=$1" >/dev/null
}
# ended: exit code and last words of containers that ended
ended() {
	kubectl get pods -n $ns -o json | jq -r '.items[].status.containerStatuses[]?
		| .lastState.terminated, .state.terminated | values
		| "\(.exitCode) \(.message)"'
}
has_ended() {
	ended | grep -q "$1"
}

# --- less than the tools need
limit 12Mi
ok "a limit below what the tools need: the Pod says so" wait_for 60 \
	has_ended '^100 .*the memory limit of 12 MiB is below the [0-9]* MiB' ||
	node_logs $ns
is "$(kubectl get $deployment -n $ns -o 'jsonpath={.status.availableReplicas}')" \
	2 "... and the replicas before it still work"

# --- less than the objects need
limit 40Mi
kubectl scale $deployment -n $ns --replicas=1 >/dev/null
ok "a limit that is enough for few objects" available memcached ||
	node_logs $ns
text=$(head -c 200000 /dev/zero | tr '\0' x)
objects() {
	local i

	for ((i = 0; i < 240; i++)); do
		cat <<-END
			{"apiVersion": "cache.example.com/v1alpha1",
			 "kind": "Memcached", "spec": {"size": 0},
			 "metadata": {"name": "many-$i", "labels": {"many": ""},
			  "annotations": {"text": "$text"}}}
		END
	done
}
objects | kubectl create -f - >/dev/null
killed() {
	find "$NODE/log/pods" -path "*/${ns}_*" -name '*.log*' \
		-exec cat {} + | grep -q 'was killed for memory'
}
ok "too many: a stage is killed, and the log says for what" wait_for 60 killed ||
	node_logs $ns
counted() {
	local address

	address=$(kubectl get pods -n $ns -l app.kubernetes.io/name=memcached-operator \
		-o 'jsonpath={.items[0].status.podIP}')
	curl -sk -m 10 -H "@$CLUSTER/admin.header" "https://$address:8443/metrics" |
		grep -q '^kpipe_stage_oom_kills_total{stage="[a-z-]*"} [1-9]'
}
ok "... the metric counts it" wait_for 180 counted
not_ready() {
	kubectl wait --for=condition=Ready=false --timeout=1s pods -n $ns \
		-l app.kubernetes.io/name=memcached-operator
}
ok "... the Pod is not ready" wait_for 60 not_ready
ok "... and ends with the reason, when it happens again and again" wait_for 120 \
	has_ended '^100 .*killed for memory, 5 in a row.*raise it' || node_logs $ns
note "$(ended | tail -n 1 | cut -c1-300)"
recorded() {
	api "/api/v1/namespaces/$ns/events" | jq -r '.items[]
		| select(.reason == "OutOfMemory" and .type == "Warning"
			and .involvedObject.kind == "Pod") | .message' |
		grep 'was killed for memory.*may have 40 MiB'
}
ok "... an Event of the Pod says it" wait_for 180 recorded
limit 256Mi
ok "with a higher limit it works" available memcached || node_logs $ns
last_is_done() {
	[ "$(kubectl get memcached many-239 \
		-o 'jsonpath={.status.observedGeneration}')" = 1 ]
}
ok "... on all of them" wait_for 60 last_is_done
is "$(refused memcached)" "" "the operator was refused nothing"
done_testing
