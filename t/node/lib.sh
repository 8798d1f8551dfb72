# shellcheck shell=bash
# The first line of a test that needs a kubelet: from here on the test runs inside
# of a node of its own (README.md), as admin, with what t/lib.sh and
# t/cluster/lib.sh offer. All of the node goes with the test, however it ends.
#
#	. "${0%/*}/node/lib.sh"
#	images memcached			# the operator's, and the example's
#	kubectl apply -k deploy/memcached/cluster >/dev/null

if [ -z "${NODE_REGISTRY:-}" ]; then
	node=$(cd "${BASH_SOURCE[0]%/*}" && pwd)
	if why=$("$node/missing" && "$node/build" 2>&1 &&
		"$node/../cluster/build" 2>&1); then
		exec "$node/run" --- bash "$0" "$@"
	fi
	# shellcheck source=t/lib.sh
	. "$node/../lib.sh"
	skip_all "$(tail -n 1 <<<"$why")"
fi

# shellcheck source=t/lib.sh
. "${BASH_SOURCE[0]%/*}/../lib.sh"
# shellcheck source=t/cluster/lib.sh
. t/cluster/lib.sh
export KUBECONFIG=$CLUSTER/admin.kubeconfig
AUDIT_FROM=1

# push IMAGE...: what a Pod can run under these names: t/node/workload.c
push() {
	t/node/push "$NODE/workload.tar" "$@"
}

# process POD NAMESPACE: its container's process 1, as its pid is here
process() {
	local id

	id=$(kubectl get pod "$1" -n "$2" \
		-o 'jsonpath={.status.containerStatuses[0].containerID}')
	ctr task ls | awk -v id="${id#containerd://}" '$1 == id { print $2 }'
}

# restarts POD NAMESPACE
restarts() {
	kubectl get pod "$1" -n "$2" \
		-o 'jsonpath={.status.containerStatuses[0].restartCount}'
}

# node_logs NAMESPACE: the last words of its pods, as TAP comments
node_logs() {
	kubectl get pods -n "$1" -o wide | quote
	find "$NODE/log/pods" -path "*/$1_*" -name '*.log' -exec tail -n 8 {} + |
		cut -c1-300 | quote
}
