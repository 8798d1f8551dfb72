# shellcheck shell=bash
# An operator on this machine as its Deployment in the cluster would run it:
# with the options and the environment of its container, and the credentials of
# its accounts only. So a test sees whether it has the rights that it needs,
# without a node. After cluster_start:
#
#	(deployed memcached NAMESPACE kpipe 2>log) &

# has_tokens OPERATOR NAMESPACE DIR: a token as its Deployment has it, or one of
# the Secret of each stage; the API server fills them in after a moment.
has_tokens() {
	local name token

	mkdir -p "$3"
	if ! arguments "$1" "$2" | grep -q -e --kwatch-token-file; then
		kubectl create token -n "$2" "$1-operator" >"$3/token"
		return
	fi
	for name in kwatch kapply kstatus kelect http; do
		token=$(kubectl get secret -n "$2" "$1-$name" \
			-o 'jsonpath={.data.token}') && [ -n "$token" ] || return
		base64 -d <<<"$token" >"$3/$name"
	done
}

# arguments OPERATOR NAMESPACE: the options of its container, with paths and
# addresses of this machine
arguments() {
	kubectl get deployment -n "$2" "$1-operator-controller-manager" -o json |
		jq -r --arg operator "pipeline/$1" --arg tokens "$T/tokens/$1" '
		.spec.template.spec.containers[0].args[]
		| sub("/operator/"; $operator + "/")
		| sub("/var/run/secrets/kubernetes.io/serviceaccount"; $tokens)
		| sub("=:[0-9]+$"; "=127.0.0.1:0")'
}

# environment OPERATOR NAMESPACE: the variables of its container
environment() {
	kubectl get deployment -n "$2" "$1-operator-controller-manager" -o json |
		jq -r --arg namespace "$2" '
		{"metadata.name": "here", "metadata.namespace": $namespace,
			"metadata.annotations['"'olm.targetNamespaces'"']":
			.spec.template.metadata.annotations[
				"olm.targetNamespaces"]} as $fields
		| .spec.template.spec.containers[0].env[]
		| .name + "=" + (.value //
			$fields[.valueFrom.fieldRef.fieldPath // ""] // "")'
}

# deployed OPERATOR NAMESPACE COMMAND...: becomes COMMAND, with the options of
# its container, its environment, and the credentials of its accounts only
deployed() {
	local operator=$1 namespace=$2 given set

	shift 2
	wait_for 30 has_tokens "$operator" "$namespace" "$T/tokens/$operator" ||
		exit
	mapfile -t given < <(arguments "$operator" "$namespace")
	[ ! -e "$T/tokens/$operator/token" ] ||
		given+=(--token-file="$T/tokens/$operator/token")
	mapfile -t set < <(environment "$operator" "$namespace")
	exec env -u KUBECONFIG "${set[@]}" "$@" "${given[@]}" \
		--server="$CLUSTER_SERVER" \
		--certificate-authority="$CLUSTER/certificates/apiserver.crt" \
		--leader-election-namespace="$namespace"
}
