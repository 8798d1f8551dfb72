#!/bin/bash
# The four operators as their manifests deploy them, under the generated rights:
# the example of each becomes what its README promises. Then all is removed.
# check-all: a kubelet
# shellcheck source=node/lib.sh
. "${0%/*}/node/lib.sh"

operators=(memcached at experimental iotservice)
push memcached:1.4.36-alpine busybox quay.io/quay/busybox
for name in "${operators[@]}"; do
	operator_image "$name"
done
# all: every object that an installation could leave behind
all() {
	kubectl get namespaces,crds,clusterroles,clusterrolebindings,pods -A \
		-o name | sort
}
kubectl create configmap mine --from-literal=a=b >/dev/null
kubectl create deployment mine --image=busybox -- sleep 3600 >/dev/null
mine() {
	kubectl get configmap/mine deployment/mine \
		-o 'jsonpath={.items[*].metadata.uid}'
}
mine=$(mine)
kubectl rollout status deployment/mine --timeout=60s >/dev/null
all >"$T/before"
declare -A scope=([memcached]=cluster [at]=namespace [experimental]=namespace
	[iotservice]=cluster)
for name in "${operators[@]}"; do
	deploy "$name" "${scope[$name]}"
done
for name in "${operators[@]}"; do
	ok "$name: two replicas are available, by their probes" \
		available "$name" || node_logs "$name-operator-system"
done

# --- examples
kubectl apply -f pipeline/memcached/example.yaml >/dev/null
kubectl apply -n experimental-operator-system \
	-f pipeline/experimental/example.yaml >/dev/null
kubectl apply -n at-operator-system -f pipeline/at/example.yaml >/dev/null
iot=iotservice-operator-system
iot_example $iot

ready() {
	kubectl wait --for=condition=Ready --timeout=90s "$@"
}
ok "memcached: the example is Ready" ready memcached/example ||
	node_logs default
is "$(kubectl get memcached example -o json | jq -r '.status.nodes | length')" 3 \
	"... with its three nodes"
ok "experimental: the example is Ready" ready experimental/example \
	-n experimental-operator-system || node_logs experimental-operator-system
is "$(kubectl get experimental example -n experimental-operator-system -o json | jq -c .status.podNames)" \
	'["example-0","example-1","example-2"]' "... with its three pods"
at_is() {
	[ "$(phase at example at-operator-system)" = "$1" ]
}
ok "at: the example waits for its day" wait_for 60 at_is PENDING
kubectl patch at example -n at-operator-system --type=merge \
	-p '{"spec": {"schedule": "2020-02-29T12:00:00Z"}}' >/dev/null
ok "... which has come: it is DONE" wait_for 60 at_is DONE ||
	node_logs at-operator-system
is "$(kubectl get at example -n at-operator-system -o 'jsonpath={.status.exitCode}')" \
	0 "... with the exit code of its command"
# shellcheck disable=SC2016
is "$(kubectl logs example -n at-operator-system)" '-c echo "it is $(date)"' \
	"... which it got as it was written"
ok "iotservice: the example is Ready" ready iot/example -n $iot ||
	node_logs $iot-example
is "$(phase iot example $iot)" Available "... and Available"

# --- the containers
for name in "${operators[@]}"; do
	pid=$(process "$(leader "$name")" "$name-operator-system")
	is "$(awk '/^Uid|^CapEff|^Seccomp:|^NoNewPrivs/ { print $1, $2 }' \
		"/proc/$pid/status" | paste -sd' ')" \
		"Uid: 65532 CapEff: 0000000000000000 NoNewPrivs: 1 Seccomp: 2" \
		"$name runs as nobody, without capabilities, filtered"
	is "$(refused "$name")" "" "... and was refused nothing"
done

# --- away
is "$(undeploy at SCOPE=namespace; echo "$?")" 2 "an operator with objects is not removed"
for name in "${operators[@]}"; do
	runs 0 "$name is removed" undeploy "$name" "SCOPE=${scope[$name]}" \
		CONFIRM=delete
done
is "$(kubectl get secrets -n $iot -o name)" secret/image-pull-secret \
	"where the user has a Secret, that and the namespace remain"
kubectl delete namespace $iot >/dev/null
restored() {
	all | cmp -s - "$T/before"
}
ok "nothing is left" wait_for 90 restored || all | diff "$T/before" - | quote
is "$(mine)" "$mine" "... and what is the user's is there"
done_testing
