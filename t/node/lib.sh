# shellcheck shell=bash
# The first line of a test that needs a kubelet: from here on the test runs inside
# of a node of its own (README.md), as admin, with what t/lib.sh and
# t/cluster/lib.sh offer. All of the node goes with the test, however it ends.
#
#	. "${0%/*}/node/lib.sh"
#	operator_image memcached	# as `make image`, in the registry
#	push memcached:1.4.36-alpine	# of ours, for the example
#	deploy memcached cluster	# make deploy
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
	local tools=(bin/{kpipe,kwatch,ireconcile,kapply,kstatus,kelect,kpipe-http})
	local tar=build/image/node/$1-$tag.tar

	mkdir -p "${tar%/*}"
	(
		exec 9>"$tar.lock"
		flock 9
		[ -e "$tar" ] && [ -z "$(find "${tools[@]}" lib/jq deploy/image \
			"$folder" -type f -newer "$tar" -print -quit)" ] ||
			deploy/image/build "$folder" "$tar"
	) >"$T/$1.image" 2>&1 || {
		note "no image of $1: $(tail -n 1 "$T/$1.image")"
		exit 1
	}
	t/node/push "$tar" "localhost/$1-operator:$tag"
}

# deploy NAME namespace|cluster: by its manifests
deploy() {
	make -s --no-print-directory deploy \
		PIPELINE="$1" SCOPE="$2" IMG="localhost/$1-operator:0.1.0" \
		>"$T/$1.deploy" 2>&1 || flaw "$(tail -n 1 "$T/$1.deploy")"
}

# undeploy NAME [VARIABLE=VALUE]...
undeploy() {
	make -s --no-print-directory undeploy \
		PIPELINE="$1" "${@:2}" >"$T/$1.undeploy" 2>&1
}

# available NAME: the operator's Deployment, both replicas
available() {
	kubectl rollout status deployment --timeout=90s -n "$1-operator-system"
}

# iot_example NAMESPACE: the example of IoTService, and what a cloud gives it:
# volumes, and the address of a load balancer.
iot_example() {
	# shellcheck disable=SC2046
	push $(sed -n 's/^ *image: //p' pipeline/iotservice/example.yaml)
	volume 1 20Gi && volume 2 20Gi && volume 3 10Gi && volume 4 10Gi
	kubectl create secret docker-registry image-pull-secret -n "$1" \
		--docker-server=registry.example.com --docker-username=x \
		--docker-password=x >/dev/null
	kubectl apply -n "$1" -f pipeline/iotservice/example.yaml >/dev/null
	wait_for 60 address iot-example "$1-example"
}

# volume NAME SIZE
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

# address SERVICE NAMESPACE
address() {
	kubectl patch service "$1" -n "$2" --subresource=status --type=merge \
		-p '{"status": {"loadBalancer": {"ingress": [{"ip": "192.0.2.1"}]}}}'
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
