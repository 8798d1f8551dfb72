#!/bin/bash
# What a Pod finds on the node of these tests.
# check-all: a kubelet
# shellcheck source=node/lib.sh
. "${0%/*}/node/lib.sh"

push busybox
kubectl run one --image=busybox --restart=Never -- sh -c hello >/dev/null
kubectl run two --image=busybox -- sleep 3600 >/dev/null
phase_is() {
	[ "$(phase pod "$1" default)" = "$2" ]
}
ok "a command is run" wait_for 60 phase_is one Succeeded || node_logs default
is "$(kubectl logs one)" "-c hello" "... and its output is to be had"
ok "a Pod runs" kubectl wait --for=condition=Ready --timeout=60s pod/two
is "$(kubectl get pod two -o 'jsonpath={.status.containerStatuses[0].imageID}' |
	sed 's/@.*//')" docker.io/library/busybox \
	"the image was pulled from the registry of the node"
token=$(kubectl create token default)
ca=$NODE/kubelet/pods/$(kubectl get pod two -o 'jsonpath={.metadata.uid}')
ca=$(find "$ca/volumes" -name ca.crt | head -n 1)
in_cluster() {
	nsenter -t "$(process two default)" -n curl -sf -m 10 --cacert "$ca" \
		-H "Authorization: Bearer $token" https://10.0.0.1/api
}
ok "the API server is where a Pod looks for it, with the certificate there" \
	wait_for 60 in_cluster
kubectl expose pod two --port=80 --name=service >/dev/null
routed() {
	nft list ruleset | grep -q default/service/tcp
}
ok "Services have rules" wait_for 60 routed
done_testing
