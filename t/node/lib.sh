# shellcheck shell=bash
# The first line of a test that needs a kubelet: from here on the test runs inside
# of a node of its own (README.md), as admin, with what t/lib.sh and
# t/cluster/lib.sh offer. All of the node goes with the test, however it ends.
# A script that is started on a node runs on that one.
#
#	IMAGES="at memcached"		# made while the node starts
#	. "${0%/*}/node/lib.sh"
#	operator_image memcached	# as `make image`, in the registry
#	push memcached:1.4.36-alpine	# of ours, for the example
#	deploy memcached cluster	# make deploy
#	available memcached
#	together "life at" "life memcached"	# t/node/life, beside each other

if [ -z "${NODE_REGISTRY:-}" ]; then
	node=$(cd "${BASH_SOURCE[0]%/*}" && pwd)
	if why=$("$node/missing" && "$node/build" 2>&1 &&
		"$node/../cluster/build" 2>&1); then
		for name in ${IMAGES:-}; do
			"$node/image" "$name" >/dev/null 2>&1 </dev/null &
		done
		exec "$node/run" --- bash "$0" "$@"
	fi
	# shellcheck source=t/lib.sh
	. "$node/../lib.sh"
	skip_all "$(tail -n 1 <<<"$why")"
fi

# Tests beside each other take their time, and leave some to the others.
export TEST_SECONDS=${TEST_SECONDS:-1500} POLL=${POLL:-0.3}
# shellcheck source=t/lib.sh
. "${BASH_SOURCE[0]%/*}/../lib.sh"
# shellcheck source=t/cluster/lib.sh
. t/cluster/lib.sh
# kubectl is the real one.
PATH=$BIN:$CLUSTER_BIN:$PATH
export KUBECONFIG=$CLUSTER/admin.kubeconfig
AUDIT_FROM=1

# push IMAGE...: what a Pod can run under these names: t/node/workload.c
push() {
	t/node/push "$NODE/workload.tar" "$@"
}

# operator_image NAME: the operator's image, under the name that its manifests
# have, and the second one, whose tag is next
operator_image() {
	local folder

	folder=$(t/node/image "$1" 2>"$T/$1.image") || {
		note "no image of $1: $(tail -n 1 "$T/$1.image")"
		exit 1
	}
	t/node/push "$folder/$1.tar" "localhost/$1-operator:0.1.0"
	t/node/push "$folder/$1-next.tar" "localhost/$1-operator:next"
}

# deploy NAME namespace|cluster [TAG]: by its manifests, with quick probes
deploy() {
	make -s --no-print-directory deploy KUBECTL=t/node/quick \
		PIPELINE="$1" SCOPE="$2" IMG="localhost/$1-operator:${3:-0.1.0}" \
		>"$T/$1.deploy" 2>&1 || flaw "$(tail -n 1 "$T/$1.deploy")"
}

# undeploy NAME [VARIABLE=VALUE]...
undeploy() {
	make -s --no-print-directory undeploy \
		PIPELINE="$1" "${@:2}" >"$T/$1.undeploy" 2>&1 || {
		cat "$T/$1.undeploy" >&2
		return 2
	}
}

# available NAME: the operator's Deployment, both replicas
available() {
	kubectl rollout status deployment --timeout=240s -n "$1-operator-system"
}

# ready RESOURCE/NAME [-n NAMESPACE]
ready() {
	kubectl wait --for=condition=Ready --timeout=240s "$@"
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
	api "/apis/coordination.k8s.io/v1/namespaces/$1-operator-system/leases" |
		jq -r '.items[0].spec.holderIdentity | values | sub("_.*"; "")'
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

	id=$(api "/api/v1/namespaces/$2/pods/$1" |
		jq -r '.status.containerStatuses[0].containerID')
	ctr task ls | awk -v id="${id#containerd://}" '$1 == id { print $2 }'
}

# restarts POD NAMESPACE
restarts() {
	api "/api/v1/namespaces/$2/pods/$1" |
		jq '.status.containerStatuses[0].restartCount'
}

# node_logs NAMESPACE: the last words of its pods, as TAP comments
node_logs() {
	kubectl get pods -n "$1" -o wide | quote
	find "$NODE/log/pods" -path "*/$1_*" -name '*.log' -exec tail -n 8 {} + |
		cut -c1-300 | quote
}

# together "SCRIPT [ARGUMENT...]"...: tests of t/node beside each other; what they
# say is said when all have ended.
together() {
	local each pids=()

	for each; do
		# shellcheck disable=SC2086 # words
		t/node/$each >"$T/$each.tap" 2>&1 7>&- &
		pids+=($!)
	done
	wait "${pids[@]}"
	for each; do
		replay "$each" <"$T/$each.tap"
	done
}

# replay NAME: the results on standard input are results of this test.
replay() {
	local line plan=

	while IFS= read -r line; do
		case $line in
		ok\ *) tap 0 "$1: ${line#ok * - }" ;;
		"not ok "*) tap 1 "$1: ${line#not ok * - }" ;;
		1..*) plan=$line ;;
		*) note "${line#\# }" ;;
		esac
	done
	ok "$1: has come to its end" test -n "$plan"
}
