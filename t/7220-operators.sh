#!/bin/bash
# The four operators as their manifests deploy them, under the generated rights:
# the example of each becomes what its README promises. Then all is removed.
# check-all: a kubelet
# shellcheck source=node/lib.sh
. "${0%/*}/node/lib.sh"

operators=(memcached at experimental iotservice)
push memcached:1.4.36-alpine busybox quay.io/quay/busybox
# shellcheck disable=SC2046
push $(sed -n 's/^ *image: //p' pipeline/iotservice/example.yaml)
for name in "${operators[@]}"; do
	operator_image "$name"
done
deploy memcached cluster
deploy at namespaced
deploy experimental cluster
deploy iotservice cluster
for name in "${operators[@]}"; do
	ok "$name: two replicas are available, by their probes" \
		available "$name" || node_logs "$name-operator-system"
done

# --- examples
kubectl apply -f pipeline/memcached/example.yaml >/dev/null
kubectl apply -f pipeline/experimental/example.yaml >/dev/null
kubectl apply -n at-operator-system -f pipeline/at/example.yaml >/dev/null
iot=iotservice-operator-system

# What the cloud gives: volumes, and the address of a load balancer.
volume() {
	kubectl apply -f - >/dev/null <<-END
		apiVersion: v1
		kind: PersistentVolume
		metadata: {name: volume-$1}
		spec:
		  accessModes: [ReadWriteOnce]
		  capacity: {storage: $2}
		  hostPath: {path: $NODE/volumes/$1, type: DirectoryOrCreate}
	END
}
volume 1 20Gi && volume 2 20Gi && volume 3 10Gi && volume 4 10Gi
kubectl create secret docker-registry image-pull-secret -n $iot \
	--docker-server=registry.example.com --docker-username=x \
	--docker-password=x >/dev/null
kubectl apply -n $iot -f pipeline/iotservice/example.yaml >/dev/null
address() {
	kubectl patch service iot-example -n $iot-example --subresource=status \
		--type=merge -p '{"status": {"loadBalancer": {"ingress":
		[{"ip": "192.0.2.1"}]}}}'
}
wait_for 60 address

ready() {
	kubectl wait --for=condition=Ready --timeout=90s "$@"
}
ok "memcached: the example is Ready" ready memcached/example ||
	node_logs default
is "$(kubectl get memcached example -o json | jq -r '.status.nodes | length')" 3 \
	"... with its three nodes"
ok "experimental: the example is Ready" ready experimental/example ||
	node_logs default
is "$(kubectl get experimental example -o json | jq -c .status.podNames)" \
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
done_testing
