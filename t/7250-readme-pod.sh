#!/bin/bash
# README.md, "From a folder to a running Pod", whole: what kgen new makes becomes
# an image, which a real node pulls and runs.
# check-all: a kubelet
# shellcheck source=node/lib.sh
. "${0%/*}/node/lib.sh"
# shellcheck source=readme.sh
. "${0%/*}/readme.sh"

# The reader's kubectl uses the node's cluster, if it is told of no other; the
# registry is the node's.
export HOME=$T/home SKOPEO_FLAGS=--dest-tls-verify=false
mkdir -p "$T/work" "$HOME/.kube"
cp "$CLUSTER/admin.kubeconfig" "$HOME/.kube/config"
unset KUBECONFIG
trap 'kill "$readme_started"; wait "$readme_started"; cleanup' EXIT

# chapter PREFIX: types these examples
chapter() {
	local block

	rm -rf "$T/blocks"
	readme_blocks "$1"
	sed -i "s,registry\.example\.com,$NODE_REGISTRY,g" "$T/blocks"/???
	for block in "$T/blocks"/???; do
		readme_type "$block" 600
		[ "$(cat "$block.what")" != start ] ||
			wait_for 20 grep -q '^kpipe: ready' "$T/started"
	done
}

kubectl get namespaces,crds,clusterroles,clusterrolebindings -o name >"$T/before"
chapter "folder: "
chapter "Pod: "
[ "$failed" -eq 0 ] || node_logs web-operator-system
kubectl get namespaces,crds,clusterroles,clusterrolebindings -o name >"$T/after"
same "$T/after" "$T/before" "nothing remains in the cluster"
done_testing
