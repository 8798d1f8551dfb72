# shellcheck shell=bash
# What tests share that check manifests against the schemas of an API server.
# After cluster_start:
#
#	conform_start			# CRDs of deploy/ and of Prometheus
#	runs 0 "it conforms" conform FILE...	# - is standard input

# conform_start: the server has all kinds, $SCHEMAS what it says of them
conform_start() {
	local code=0 crd

	t/kubeconform/build >"$T/build.out" 2>&1 || code=$?
	[ "$code" -ne 100 ] || skip_all "$(tail -n 1 "$T/build.out")"
	KUBECONFORM=$(tail -n 1 "$T/build.out")
	kubectl apply --server-side -f "$KUBECONFORM" >/dev/null || exit 1
	for crd in pipeline/*/crd.yaml; do
		kubectl apply --server-side -f "$crd" >/dev/null 2>&1 || exit 1
	done
	wait_for 240 kubectl wait --for=condition=Established crd --all || exit 1
	SCHEMAS=$T/schemas
	# The description follows the CRDs after a moment.
	wait_for 30 conform_schemas || exit 1
}

conform_schemas() {
	rm -rf "$SCHEMAS"
	kubectl get --raw /openapi/v2 | t/kubeconform/schemas "$SCHEMAS" &&
		[ -e "$SCHEMAS/monitoring.coreos.com-v1-prometheusrule.json" ] &&
		[ -e "$SCHEMAS/cp.iot.sap-v1-iotservice.json" ] &&
		[ -e "$SCHEMAS/at.example.com-v1alpha1-at.json" ] &&
		[ -e "$SCHEMAS/cache.example.com-v1alpha1-memcached.json" ]
}

conform() {
	"$KUBECONFORM/kubeconform" -strict -summary -schema-location \
		"$SCHEMAS/{{.Group}}-{{.ResourceAPIVersion}}-{{.ResourceKind}}.json" \
		"$@"
}
