# shellcheck shell=bash
# What the tests of the operators without a setting of their own share.
#
#	. "${0%/*}/lib.sh"
#	. "${0%/*}/operator.sh"
#	operator_cluster memcached	# control plane, CRD, playground
#	operator_crd memcached		# ... or without the playground
#	operator_rights cluster		# rbac.yaml for user1; or: namespace NS
#	operator			# kpipe as user1; its pid is in $operator
#
# user1 runs the operator, the playground plays the nodes, admin is the test.

. "${BASH_SOURCE[0]%/*}/cluster/lib.sh"
export KAPI_OPTIONS=--authorization-mode=RBAC

# operator_crd NAME: the folder is then in $folder, the kind's full name in
# $resource
operator_crd() {
	folder=pipeline/$1
	resource=$(sed -nE 's/.*name: ([a-z]+\.[a-z.]+).*/\1/p;T;q' "$folder/crd.yaml")
	cluster_start
	kubectl apply -f "$folder/crd.yaml" >/dev/null || exit 1
	wait_for 20 kubectl wait --for=condition=Established \
		-f "$folder/crd.yaml" || exit 1
	# A kind that is Established may not be served yet.
	wait_for 20 kubectl get "$resource" -A || exit 1
}

operator_cluster() {
	operator_crd "$1"
	kubectl apply -f pipeline/playground/rbac.yaml >/dev/null || exit 1
	start kpipe -f pipeline/playground/watches.yaml \
		--kubeconfig "$(config playground)" 2>>"$T/playground.log"
	controllers
}

# operator_rights cluster | namespace NS: grants the roles of rbac.yaml and no
# others
operator_rights() {
	local in=() kind=clusterrole name=${folder##*/} stage

	[ "$1" = cluster ] || in=(-n "$2") kind=role
	kubectl apply "${in[@]}" -f "$folder/rbac.yaml" \
		-l "kpipe.dev/scope=$1" >/dev/null || return
	for stage in kwatch kapply kstatus; do
		kubectl create "${kind}binding" "$name-$stage" "${in[@]}" \
			--user=user1 "--$kind=$name-$stage" >/dev/null || return
	done
	wait_for 20 has_right user1 patch "$resource" --subresource=status \
		"${in[@]}"
}

# folder_rights: of an operator of things.example.com that is only watches.yaml
# and reconcile.jq in $folder: the rest of the folder, with the rights that kgen
# finds, and these alone granted
folder_rights() {
	local name=${folder##*/}

	resource=things.example.com
	kubectl get crd "$resource" -o json >"$folder/crd.yaml"
	printf '%s: %s\n' name "$name" version 0.1.0 image "localhost/$name" \
		description "${name^}." >"$folder/operator.yaml"
	kgen rights -f "$folder" -o "$folder" || exit 1
	operator_rights cluster || exit 1
	kubectl apply -f "$folder/rbac.yaml" -l kpipe.dev/scope=operator >/dev/null
	kubectl create rolebinding "$name-marks" -n default --user=user1 \
		"--clusterrole=$name-kapply-operator" >/dev/null
	wait_for 20 has_right user1 create secrets -n default || exit 1
}

# no_rights cluster | namespace NS: takes them away again
no_rights() {
	local in=() kind=clusterrole name=${folder##*/}

	[ "$1" = cluster ] || in=(-n "$2") kind=role
	kubectl delete "${kind}bindings" "${in[@]}" "$name-kwatch" \
		"$name-kapply" "$name-kstatus" >/dev/null
}

# operator [KPIPE-ARGUMENT]...
operator() {
	start kpipe -f "$folder/watches.yaml" \
		--kubeconfig "$(config user1)" "$@" 2>>"$T/operator.log"
	operator=$!
}

# operator_leads NAMESPACE WHAT COMMAND...: with the rights for it, the operator
# holds a lease, then a ConfigMap for life; each time COMMAND, with the argument
# lease or life, succeeds.
operator_leads() {
	local namespace=$1 what=$2 name=${folder##*/} role id

	shift 2
	kubectl apply -n "$namespace" -f "$folder/rbac.yaml" \
		-l kpipe.dev/scope=leader >/dev/null
	for role in kelect kelect-for-life; do
		kubectl create rolebinding "$name-$role" -n "$namespace" \
			--user=user1 --role="$name-$role" >/dev/null
	done
	id=$(kubectl get crd -o jsonpath='{.items[0].spec.names.singular}.{.items[0].spec.group}')
	operator --leader-elect --leader-election-namespace="$namespace"
	ok "leading by a lease: $what" wait_for 30 "$@" lease
	ok "... which it holds" kubectl wait --timeout=240s -n "$namespace" \
		--for=jsonpath='{.spec.holderIdentity}' "lease/$id"
	ok "... until it ends" operator_stop
	is "$(kubectl get lease -n "$namespace" "$id" \
		-o jsonpath='{.spec.holderIdentity}')" "" "... then it is free"
	kubectl run me -n "$namespace" --image=x >/dev/null
	POD_NAME=me POD_NAMESPACE=$namespace operator --leader-elect \
		--leader-elect-for-life
	ok "leading for life: $what" wait_for 30 "$@" life
	is "$(kubectl get configmap -n "$namespace" "$id" \
		-o jsonpath='{.metadata.ownerReferences[0].name}')" me \
		"... by a ConfigMap of its pod"
	ok "... until it ends" operator_stop
}

# operator_stop: SIGTERM; its exit code
operator_stop() {
	kill "$operator"
	wait "$operator"
}

# stage NAME: the pid of that stage of the operator
stage() {
	local pid

	tr ' ' '\n' <"/proc/$operator/task/$operator/children" |
		while read -r pid; do
			[ "$(cat "/proc/$pid/comm" 2>/dev/null)" != "$1" ] ||
				echo "$pid"
		done
}

has_stage() {
	[ -n "$(stage "$1")" ]
}

# strike STAGE: kill -9
strike() {
	local pid

	wait_for 10 has_stage "$1" && pid=$(stage "$1") && kill -9 "$pid"
}

# complaints: the operator's messages, except that it runs, and that its kind
# was too new to be watched at first
complaints() {
	besides_work "$T/operator.log" | grep -v -e '^kpipe: ' -e '^kelect: became leader: ' \
		-e 'storage is (re)initializing$' -e '^kwatch: watching .* now$'
}

# is_ready PATH: whether it is ready in its current generation
is_ready() {
	api "$1" | jq -e '.metadata.generation as $n
		| .status.conditions[]? | select(.type == "Ready")
		| .status == "True" and .observedGeneration == $n'
}

# silent SECONDS WHAT: the operator comes to write nothing for so long
silent() {
	ok "$2" rests "$1" audit_writes user1
}
