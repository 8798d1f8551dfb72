# shellcheck shell=bash
# shellcheck disable=SC2154 # name, ns, scope, place: of life
# t/node/life: the operator comes and goes by make deploy, make undeploy.

# shellcheck source=t/makedeploy.sh
. t/makedeploy.sh
make_deploy "$name"

installed() {
	deploy "$name" "$scope"
	ok "two replicas are available, by their probes" available "$name" ||
		node_logs "$ns"
}

make_accounts() {
	kubectl apply --server-side \
		-f "$T/deploy/$name/base/service_account.yaml" >/dev/null
}

use_image() {
	deploy "$name" "$scope" "$1"
}

use_image_before() {
	use_image 0.1.0
}

# What a user sees of an image that does not exist
use_image_none() {
	runs 2 "an image that does not exist: make deploy fails" \
		make -s --no-print-directory deploy PIPELINE="$name" \
		SCOPE="$scope" WAIT=300 KUBECTL=t/node/quick \
		IMG="localhost/$name-operator:none"
	ok "... and names it" grep -qF \
		"deploy: the image localhost/$name-operator:none cannot be pulled" \
		"$T/err"
	ok "... with the reason" grep -q 'ImagePull.*not found' "$T/err" ||
		quote <"$T/err"
}

removed() {
	is "$(undeploy "$name" "SCOPE=$scope" 2>/dev/null; echo "$?")" 2 \
		"while there are objects it is not removed"
	runs 0 "it is removed" undeploy "$name" "SCOPE=$scope" CONFIRM=delete
	[ "$name" = iotservice ] || return
	is "$(kubectl get secrets -n "$ns" -o name)" secret/image-pull-secret \
		"where the user has a Secret, that and the namespace remain"
	kubectl delete namespace "$ns" >/dev/null
}
