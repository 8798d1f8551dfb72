# shellcheck shell=bash
# What tests of the charts share. After t/lib.sh and t/cluster/lib.sh:
#
#	helm_start			# helm is in PATH
#	runs 0 "..." helm install ...

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
