#!/bin/bash
# Each operator with the accounts and roles of its rbac.yaml, bound as its head
# says, and a token for each stage: in one namespace, then in all (IoTService
# knows only that), each time with a lease, then as the leader for life. Its
# example is reconciled, and nothing is refused.
# servers: kapi real
# check-all: more of the pipelines
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=cluster/lib.sh
. "${0%/*}/cluster/lib.sh"
KAPI_OPTIONS=--authorization-mode=RBAC
cluster_start

names=(at cronjob experimental iotservice memcached)
declare -A pid id

for name in "${names[@]}"; do
	kubectl apply -f "pipeline/$name/crd.yaml" >/dev/null || exit 1
	# It fails on a CRD that has no conditions yet.
	wait_for 20 kubectl wait --for=condition=Established \
		-f "pipeline/$name/crd.yaml" || exit 1
	id[$name]=$(kgen describe -f "pipeline/$name" | jq -r '.crds[0].spec
		| "\(.names.singular // (.names.kind | ascii_downcase)).\(.group)"')
done
kubectl apply -f pipeline/playground/rbac.yaml >/dev/null
start kpipe -f pipeline/playground/watches.yaml \
	--kubeconfig "$(config playground)" 2>>"$T/playground.log"

# apply NAME NS SCOPE: that part of rbac.yaml
apply() {
	kubectl apply -n "$2" -f "pipeline/$1/rbac.yaml" \
		-l "kpipe.dev/scope=$3" >/dev/null
}

# bind KIND ROLE-KIND ROLE NS ACCOUNT: KIND is rolebinding, clusterrolebinding
bind() {
	local in=()

	[ "$1" = clusterrolebinding ] || in=(-n "$4")
	kubectl create "$1" "$3-of-$4" "${in[@]}" "--$2=$3" \
		--serviceaccount="$4:$5" >/dev/null
}

# bind_stages NAME NS SCOPE: for kwatch, kapply and kstatus
bind_stages() {
	local stage kind=cluster

	[ "$3" = cluster ] || kind=
	apply "$1" "$2" "$3"
	for stage in kwatch kapply kstatus; do
		[ "$1 $stage" = "iotservice kstatus" ] ||
			bind "${kind}rolebinding" "${kind}role" "$1-$stage" \
				"$2" "$1-$stage"
	done
}

# bind_leader NAME NS [SUFFIX]
bind_leader() {
	local kind=role role

	[ $# -lt 3 ] || kind=clusterrole
	apply "$1" "$2" leader
	for role in kelect kelect-for-life; do
		bind rolebinding $kind "$1-$role${3-}" "$2" "$1-kelect"
	done
	bind clusterrolebinding clusterrole "$1-kelect-nodes" "$2" "$1-kelect"
}

# prepare NAME NS SCOPE: accounts, roles, tokens, and a Pod to lead for life
prepare() {
	local name=$1 ns=$2 stage

	kubectl create namespace "$ns" >/dev/null
	apply "$name" "$ns" accounts
	bind_stages "$name" "$ns" "$3"
	if [ "$name" = iotservice ]; then
		apply "$name" "$ns" operator
		for stage in kwatch kapply kstatus; do
			bind rolebinding clusterrole "$name-$stage-operator" \
				"$ns" "$name-$stage"
		done
		bind_leader "$name" "$ns" -operator
		kubectl create secret docker-registry image-pull-secret \
			-n "$ns" --docker-server=registry.example.com \
			--docker-username=u --docker-password=p >/dev/null
	else
		bind_leader "$name" "$ns"
	fi
	mkdir -p "$T/$ns"
	for stage in kwatch kapply kstatus kelect; do
		kubectl create token "$name-$stage" -n "$ns" | tr -d '\n' \
			>"$T/$ns/$stage"
	done
	kubectl run me -n "$ns" --image=x >/dev/null
}

# run NAME NS [KPIPE-ARGUMENT]...
run() {
	local name=$1 d=$T/$2 lease=${id[$1]} operator=()

	[ "$name" != iotservice ] || operator=(OPERATOR_NAME="$2") lease=$2
	start env -u KUBECONFIG -u WATCH_NAMESPACE "${operator[@]}" HOME="$T" \
		POD_NAME=me POD_NAMESPACE="$2" \
		kpipe -f "pipeline/$name/watches.yaml" \
		--server "$CLUSTER_SERVER" --certificate-authority \
		"$CLUSTER/certificates/apiserver.crt" \
		--kwatch-token-file "$d/kwatch" --kapply-token-file "$d/kapply" \
		--kstatus-token-file "$d/kstatus" \
		--kelect-token-file "$d/kelect" --leader-elect \
		--leader-election-namespace="$2" \
		--leader-election-id="$lease" "${@:3}" 2>>"$d/log"
	pid[$name]=$!
}

# example NAME NS OBJECT: the example, under that name
example() {
	kubectl create --dry-run=client -o json -f "pipeline/$1/example.yaml" |
		jq --arg ns "$2" --arg name "$3" '(select(.kind == "List")
			| .items[]), . | select(.kind != "List")
			| select(.apiVersion | test("\\."))
			| .metadata = {$name, namespace: $ns}' |
		kubectl create -f - >/dev/null
}

# told NAME NS OBJECT: its status has a condition for its generation
told() {
	kubectl get "$(plural "$1")" -n "$2" "$3" -o json | jq -e '
		.metadata.generation as $n
		| any(.status.conditions[]?; .observedGeneration == $n)'
}
plural() {
	kgen describe -f "pipeline/$1" | jq -r '.crds[0].metadata.name'
}

# refused NS: requests of its accounts without a right
refused() {
	audit 'select(.responseStatus.code == 403) | .user.username as $user
		| select($user | startswith("system:serviceaccount:" + $of))
		| "\($user) \(.verb) \(.requestURI)"' --arg of "$1:"
}
holder() {
	kubectl get lease -n "$2" "$3" -o jsonpath='{.spec.holderIdentity}' |
		grep -q .
}
lock_of_me() {
	[ "$(kubectl get configmap -n "$2" "$3" -o \
		'jsonpath={.metadata.ownerReferences[0].name}')" = me ]
}

# lead SCOPE OBJECT HELD NAME... [-- KPIPE-ARGUMENT...]: they start, reconcile
# that object, and end
lead() {
	local scope=$1 object=$2 held=$3 name ns of=() more=() lease

	shift 3
	while [ $# -gt 0 ] && [ "$1" != -- ]; do
		of+=("$1")
		shift
	done
	more=("${@:2}")
	for name in "${of[@]}"; do
		ns=$name-$scope
		if [ "$scope" = namespace ]; then
			run "$name" "$ns" -n "$ns" "${more[@]}"
		elif [ "$name" = iotservice ]; then
			run "$name" "$ns" "${more[@]}"
		else
			run "$name" "$ns" -A "${more[@]}"
		fi
		example "$name" "$ns" "$object"
	done
	for name in "${of[@]}"; do
		ns=$name-$scope lease=${id[$name]}
		[ "$name" != iotservice ] || lease=$ns
		ok "$scope: $name reconciles $object" \
			wait_for 60 told "$name" "$ns" "$object" ||
			quote <"$T/$ns/log"
		ok "... and leads" wait_for 30 "$held" "$name" "$ns" "$lease"
		kill "${pid[$name]}"
		wait "${pid[$name]}"
		is "$?" 0 "... it ends with 0"
		is "$(refused "$ns")" "" "... nothing was refused"
	done
}

# part SCOPE NAME...
part() {
	local scope=$1 name

	shift
	for name; do
		prepare "$name" "$name-$scope" "$scope"
	done
	lead "$scope" a holder "$@"
	lead "$scope" b lock_of_me "$@" -- --leader-elect-for-life
	for name; do
		kubectl delete "$(plural "$name")" --all -A --wait=false >/dev/null
	done
}

part namespace at cronjob experimental memcached
part cluster "${names[@]}"
done_testing
