# shellcheck shell=bash
# What tests of the charts share. After t/lib.sh and t/cluster/lib.sh:
#
#	helm_start			# helm is in PATH
#	runs 0 "..." helm install ...
#	deployed memcached NAMESPACE	# kpipe here, as the Deployment says

# Of which Kubernetes a chart is for that is only looked at; helm alone takes
# an old one.
export KUBE_VERSION=1.36.3

helm_start() {
	local code=0

	t/helm/build >"$T/helm.out" 2>&1 || code=$?
	[ "$code" -ne 100 ] || skip_all "$(tail -n 1 "$T/helm.out")"
	HELM=$(tail -n 1 "$T/helm.out")
	PATH=${HELM%/*}:$PATH
	export HELM_CACHE_HOME=$T/helm.cache HELM_CONFIG_HOME=$T/helm.config \
		HELM_DATA_HOME=$T/helm.data
}

# has_tokens NAMESPACE DIR: the tokens of all Secrets there, as files named by
# the stage; the API server fills them in after a moment.
has_tokens() {
	local name token

	mkdir -p "$2"
	for name in kwatch kapply kstatus kelect http; do
		token=$(kubectl get secret -n "$1" "${2##*/}-$name" \
			-o 'jsonpath={.data.token}') && [ -n "$token" ] || return
		base64 -d <<<"$token" >"$2/$name"
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
		.spec.template.spec.containers[0].env[]
		| .name + "=" + (.value // {"metadata.name": "here",
			"metadata.namespace": $namespace}[
			.valueFrom.fieldRef.fieldPath // ""] // "")'
}

# deployed OPERATOR NAMESPACE COMMAND...: becomes COMMAND, with the options of
# its container, its environment, and the credentials of its accounts only
deployed() {
	local operator=$1 namespace=$2 given set

	shift 2
	wait_for 30 has_tokens "$namespace" "$T/tokens/$operator" || exit
	mapfile -t given < <(arguments "$operator" "$namespace")
	mapfile -t set < <(environment "$operator" "$namespace")
	exec env -u KUBECONFIG "${set[@]}" "$@" "${given[@]}" \
		--server="$CLUSTER_SERVER" \
		--certificate-authority="$CLUSTER/certificates/apiserver.crt" \
		--leader-election-namespace="$namespace"
}
