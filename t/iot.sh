# shellcheck shell=bash
# What the tests of the IoTService operator share.
#
#	. "${0%/*}/lib.sh"
#	. "${0%/*}/iot.sh"
#	iot_cluster                     # control plane, CRD, rights, playground
#	iot_namespace dev               # the operator's namespace, pull secret
#	iot_operator dev                # kpipe, as user1; its pid is in $operator
#	iot_create dev one '.spec.core_spring.enabled = true'
#	wait_for 60 iot_is dev one Available
#
# Users: user1 runs the operator, playground plays the nodes, admin is the
# test. So the audit log says who did what.

. "${BASH_SOURCE[0]%/*}/cluster/lib.sh"
export KAPI_OPTIONS=--authorization-mode=RBAC
iot=pipeline/iotservice
export operator playground

# kc ARGUMENT...: kubectl as admin
kc() {
	"$KUBECTL" --kubeconfig="$CLUSTER/admin.kubeconfig" "$@"
}

# Gives user1 every role that rbac.yaml names, bound as it binds them.
iot_rights() {
	kc apply -f "$iot/rbac.yaml" >/dev/null || return 1
	kc get clusterroles -o name | sed -n 's,^clusterrole[^/]*/\(iotservice.*\),\1,p' |
		while read -r role; do
			kc create clusterrolebinding "test-$role" --user=user1 \
				--clusterrole="$role" >/dev/null || return 1
		done
	wait_for 20 has_right user1 patch iotservices --subresource=status
}

# iot_cluster [APISERVER-ARGUMENT]...
iot_cluster() {
	cluster_start ${1:+-- "$@"}
	kc apply -f "$iot/crd.yaml" >/dev/null || exit 1
	# kubectl wait fails on a CRD that has no conditions yet.
	wait_for 20 kc wait --for=condition=Established \
		crd/iotservices.cp.iot.sap || exit 1
	iot_rights || exit 1
	kc apply -f pipeline/playground/rbac.yaml >/dev/null || exit 1
	iot_playground
	controllers
	wait_for 20 kc get iotservices -A
	kc create --dry-run=client -o json -f "$iot/example.yaml" |
		jq -s 'map(select(.kind == "IoTService"))[0]
			| del(.metadata.namespace)' >"$T/example.json"
}

iot_playground() {
	start kpipe -f pipeline/playground/watches.yaml \
		--kubeconfig="$CLUSTER/playground.kubeconfig" 2>>"$T/playground.log"
	playground=$!
}

# iot_namespace NAME
iot_namespace() {
	kc create namespace "$1" >/dev/null &&
		kc create secret docker-registry image-pull-secret -n "$1" \
			--docker-server=registry.example.com \
			--docker-username=u --docker-password=p >/dev/null
}

# iot_operator NAME [KPIPE-ARGUMENT]...
iot_operator() {
	local name=$1

	shift
	start env OPERATOR_NAME="$name" kpipe -f "$iot/watches.yaml" \
		--kubeconfig="$CLUSTER/user1.kubeconfig" "$@" 2>>"$T/operator.log"
	operator=$!
}

# iot_stop PID: SIGTERM, and its exit code
iot_stop() {
	kill "$1"
	wait "$1"
}

# iot_create NAMESPACE NAME [JQ-FILTER]: from the example
iot_create() {
	jq --arg ns "$1" --arg name "$2" \
		".metadata.namespace = \$ns | .metadata.name = \$name
		| ${3:-.}" "$T/example.json" | kc create -f - >/dev/null
}

# iot_phase NAMESPACE NAME
iot_phase() {
	kc get iotservice -n "$1" "$2" -o 'jsonpath={.status.phase}'
}

# iot_names_pods NAMESPACE NAME: its status has the pods of its namespace
iot_names_pods() {
	[ "$(kc get iot -n "$1" "$2" -o json | jq -r '.status.pods[]')" = \
		"$(kc get pods -n "$1-$2" -o name | sed 's,^pod/,,' |
			LC_ALL=C sort)" ]
}
# iot_is NAMESPACE NAME PHASE: it has that phase for its current generation
iot_is() {
	api "/apis/cp.iot.sap/v1/namespaces/$1/iotservices/$2" |
		jq -e --arg phase "$3" '.status.phase == $phase
			and .status.observedGeneration == .metadata.generation'
}

# iot_count NAMESPACE PREFIX PHASE: how many instances are in that phase
iot_count() {
	api "/apis/cp.iot.sap/v1/namespaces/$1/iotservices" |
		jq --arg prefix "$2" --arg phase "$3" '[.items[]
			| select(.metadata.name | startswith($prefix))
			| select(.status.phase == $phase)] | length'
}

# iot_why PHASE: what those that are not in that phase wait for, as a comment
iot_why() {
	kc get iotservices -A -o json | jq -r --arg phase "$1" '.items[]
		| select(.status.phase != $phase) | .metadata
		+ {phase: (.status.phase // "no phase"), why: .status.conditions}
		| "\(.namespace)/\(.name): \(.phase) \(.why | tojson)"' | quote
	kc get pods,deployments,statefulsets,services -A | quote
	note "the operator ($(ps -o stat=,etime= -p "$operator")) said at last:"
	tail -n 20 "$T/operator.log" | quote
	note "the playground ($(ps -o stat=,etime= -p "$playground")):"
	tail -n 20 "$T/playground.log" | quote
	note "controller manager ($(ps -o stat=,etime= \
		-p "$(<"$CLUSTER/manager.pid")")):"
	tail -n 20 "$CLUSTER/manager.log" | cut -c 1-300 | quote
}

# iot_objects NAMESPACE: everything in it, without what differs between runs
iot_objects() {
	kc get -n "$1" -o json \
		deployments,statefulsets,services,configmaps,secrets,networkpolicies |
		jq -S '[.items[] | select(.metadata.name != "kube-root-ca.crt")
			| del(.status, .metadata.uid, .metadata.resourceVersion,
			.metadata.creationTimestamp, .metadata.generation,
			.metadata.managedFields, .spec.clusterIP, .spec.clusterIPs,
			.spec.healthCheckNodePort, .spec.ports[]?.nodePort,
			.metadata.annotations["deployment.kubernetes.io/revision",
			"kpipe.dev/proof"])]
			| sort_by(.kind, .metadata.name)'
}

# created_twice USER: names that it created more than once since audit_mark
created_twice() {
	audit_created "$1" | awk '$1 > 1'
}

# stage PID NAME: the pid of a stage of that kpipe
stage() {
	local pid

	tr ' ' '\n' <"/proc/$1/task/$1/children" | while read -r pid; do
		[ "$(cat "/proc/$pid/comm" 2>/dev/null)" != "$2" ] || echo "$pid"
	done
}
