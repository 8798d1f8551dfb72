#!/bin/bash
# The five operators beside each other on a node, each as its manifests deploy it,
# under the generated rights: its example, fail-over, tokens, another image, its
# removal (node/life). What is the user's stays.
# check-all: a kubelet
TEST_SECONDS=3600
IMAGES="iotservice memcached at experimental cronjob"
# shellcheck source=node/lib.sh
. "${0%/*}/node/lib.sh"

# all: every object that an installation could leave behind
all() {
	kubectl get namespaces,crds,clusterroles,clusterrolebindings,pods -A \
		-o name | sort
}
mine() {
	kubectl get configmap/mine deployment/mine \
		-o 'jsonpath={.items[*].metadata.uid}'
}
push busybox
kubectl create configmap mine --from-literal=a=b >/dev/null
kubectl create deployment mine --image=busybox -- sleep 3600 >/dev/null
mine=$(mine)
kubectl rollout status deployment/mine --timeout=240s >/dev/null
all >"$T/before"
together "life memcached" "life at" "life experimental" "life iotservice" \
	"life cronjob"
restored() {
	all | cmp -s - "$T/before"
}
ok "nothing is left" wait_for 180 restored || all | diff "$T/before" - | quote
is "$(mine)" "$mine" "... and what is the user's is there"
done_testing
