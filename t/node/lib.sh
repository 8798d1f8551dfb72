# shellcheck shell=bash
# The first line of a test that needs a kubelet: from here on the test runs inside
# of a node of its own (README.md), as admin, with what t/lib.sh and
# t/cluster/lib.sh offer. All of the node goes with the test, however it ends.
#
#	. "${0%/*}/node/lib.sh"
#	operator_image memcached	# as `make image`, in the registry
#	push memcached:1.4.36-alpine	# of ours, for the example
#	deploy memcached cluster	# its manifests
#	available memcached

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

# operator_image NAME [TAG [FOLDER]]: the operator's image, under the name that its
# manifests have. It is made once for these tools and this folder.
operator_image() {
	local tag=${2:-0.1.0} folder=${3:-pipeline/$1}
	local tar=build/image/node/$1-$tag.tar

	mkdir -p "${tar%/*}"
	(
		exec 9>"$tar.lock"
		flock 9
		[ -e "$tar" ] && [ -z "$(find bin/k* lib/jq deploy/image \
			"$folder" -type f -newer "$tar" -print -quit)" ] ||
			deploy/image/build "$folder" "$tar"
	) >"$T/$1.image" 2>&1 || {
		note "no image of $1: $(tail -n 1 "$T/$1.image")"
		exit 1
	}
	t/node/push "$tar" "localhost/$1-operator:$tag"
}

# deploy NAME SCOPE: by its manifests
deploy() {
	kubectl apply --server-side -k "deploy/$1/$2" >/dev/null
}

# available NAME: the operator's Deployment, both replicas, within a minute
available() {
	kubectl rollout status deployment --timeout=90s -n "$1-operator-system"
}

# leader NAME: the Pod that leads
leader() {
	kubectl get leases -n "$1-operator-system" \
		-o 'jsonpath={.items[0].spec.holderIdentity}' | sed 's/_.*//'
}

# refused NAME: the requests of the operator's accounts that it had no right to
refused() {
	audit '.user.username as $user | select(.responseStatus.code == 403)
		| select($user | startswith("system:serviceaccount:" + $of))
		| "\($user) \(.verb) \(.requestURI)"' \
		--arg of "$1-operator-system:"
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
