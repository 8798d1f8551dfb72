#!/bin/bash
# IoTService by its chart: installed, tested, upgraded, rolled back and removed,
# with real Pods.
# check-all: a kubelet
[ -n "${NODE_REGISTRY:-}" ] || "${0%/*}/helm/build" >/dev/null 2>&1
# shellcheck source=node/lib.sh
. "${0%/*}/node/lib.sh"
# shellcheck source=helm/lib.sh
. "${0%/*}/helm/lib.sh"
helm_start

ns=iotservice-operator-system
operator_image iotservice
t/node/push build/image/node/iotservice-0.1.0.tar localhost/iotservice-operator:next
runs 0 "helm install: the Pods are available" helm install operator \
	deploy/iotservice/chart -n $ns --create-namespace --wait --timeout 2m ||
	node_logs $ns
runs 0 "helm test: a Pod tries what the operator may" \
	helm test operator -n $ns --timeout 2m || node_logs $ns
is "$(kubectl get pods -n $ns -o name | grep dry-run)" "" "... and goes"
iot_example $ns
ok "the example is Ready" kubectl wait --for=condition=Ready --timeout=90s \
	iot/example -n $ns || node_logs $ns-example
is "$(refused iotservice)" "" "the operator was refused nothing"

# Those that end may take their time.
image_is() {
	[ "$(kubectl get pods -n $ns -l app.kubernetes.io/name=iotservice-operator \
		-o 'jsonpath={.items[*].spec.containers[0].image}')" = "$1 $1" ]
}
runs 0 "helm upgrade to another image" helm upgrade operator \
	deploy/iotservice/chart -n $ns --set image.tag=next --wait --timeout 2m ||
	node_logs $ns
ok "... which runs" wait_for 60 image_is localhost/iotservice-operator:next
runs 0 "helm rollback" helm rollback operator -n $ns --wait --timeout 2m
ok "... to the one before" wait_for 60 image_is localhost/iotservice-operator:0.1.0
is "$(phase iot example $ns)" Available "the example is Available all the time"

runs 0 "helm uninstall" helm uninstall operator -n $ns --wait --timeout 2m
is "$(phase iot example $ns)" Available "... leaves what is the user's"
no_pods() {
	[ -z "$(kubectl get pods -n $ns -o name \
		-l app.kubernetes.io/name=iotservice-operator)" ]
}
ok "... and no Pod of the operator" wait_for 60 no_pods
is "$(kubectl get clusterroles,clusterrolebindings -o name |
	grep iotservice)" "" "... and no right"
done_testing
