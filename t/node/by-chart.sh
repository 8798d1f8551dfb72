# shellcheck shell=bash
# shellcheck disable=SC2154 # name, ns, place: of life
# t/node/life: the operator comes and goes by Helm.

# shellcheck source=t/helm/lib.sh
. t/helm/lib.sh
helm_start
# shellcheck source=t/makedeploy.sh
. t/makedeploy.sh
make_deploy "$name"
# release install|upgrade [OPTION...]
release() {
	helm "$1" operator "$T/deploy/$name/chart" -n "$ns" \
		--post-renderer t/node/quick "${@:2}"
}

installed() {
	runs 0 "helm install: two replicas are available" release install \
		--create-namespace --wait --timeout 4m || node_logs "$ns"
	runs 0 "helm test: a Pod tries what the operator may" \
		helm test operator -n "$ns" --timeout 4m || node_logs "$ns"
	is "$(kubectl get pods -n "$ns" -o name | grep dry-run)" "" \
		"... and goes"
}

# What is missing, Helm makes again.
make_accounts() {
	release upgrade >"$T/helm.out" 2>&1 || flaw "$(tail -n 1 "$T/helm.out")"
}

use_image() {
	runs 0 "helm upgrade" release upgrade --set "image.tag=$1"
}

use_image_before() {
	runs 0 "helm rollback" helm rollback operator -n "$ns"
}

use_image_none() {
	use_image none
}

no_pods() {
	[ -z "$(kubectl get pods -n "$ns" -o name)" ]
}
removed() {
	runs 0 "helm uninstall" helm uninstall operator -n "$ns" --wait \
		--timeout 4m
	is "$(phase iot example "$place")" Available \
		"... leaves what is the user's"
	ok "... and no Pod" wait_for 180 no_pods
	is "$(kubectl get clusterroles,clusterrolebindings -o name |
		grep "$name")" "" "... and no right"
}
