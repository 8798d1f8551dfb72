#!/bin/bash
# The manifests of our operators against what an API server says of its kinds, and
# what kubectl kustomize makes of them. The server tries them, too.
# servers: kapi real
# check-all: kubeconform needs Go
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=makedeploy.sh
. "${0%/*}/makedeploy.sh"
# shellcheck source=cluster/lib.sh
. "${0%/*}/cluster/lib.sh"
# shellcheck source=kubeconform/lib.sh
. "${0%/*}/kubeconform/lib.sh"
cluster_start
[ "$SERVER" = real ] || kapi_kubectl
make_deploy
kgen manifests -f pipeline/at --program=configmap -o "$T/deploy/at-program" \
	2>/dev/null
conform_start

mapfile -t files < <(find "$T"/deploy/*/{base,cluster,namespaced,monitoring,users} \
	deploy/monitoring/prometheus_rule.yaml -name '*.yaml' \
	! -name '*_patch.yaml' ! -name kustomization.yaml | sort)
ok "there are files" test "${#files[@]}" -gt 60
runs 0 "every file conforms" conform "${files[@]}" || quote <"$T/out"

mapfile -t folders < <(cd "$T" && find deploy/*/* -name kustomization.yaml \
	-printf '%h\n' | sort)
for folder in "${folders[@]}"; do
	runs 0 "$folder builds" kubectl kustomize "$T/$folder"
	cp "$T/out" "$T/${folder//\//.}.yaml"
	is "$(<"$T/err")" "" "... without a warning"
done
runs 0 "what they build conforms" conform "$T"/deploy.*.yaml ||
	quote <"$T/out"

# --- what it finds
broken() {
	sed "$1" deploy/at/base/operator.yaml | conform -
}
runs 1 "a field that does not exist" broken 's/replicas:/replica:/'
ok "... is named" grep -q "additional properties 'replica' not allowed" \
	"$T/out"
runs 1 "a wrong type" broken 's/replicas: 2/replicas: two/'
runs 1 "a kind that does not exist" broken 's/kind: Deployment/kind: Deployer/'

# --- what the server says
# A dry run makes no namespace, which the rest needs.
for name in "${operators[@]}"; do
	kubectl apply --server-side \
		-f "$T/deploy/$name/base/namespace.yaml" >/dev/null
done
for folder in "${folders[@]}"; do
	[ "${folder##*/}" != base ] || continue
	runs 0 "$folder: dry run" kubectl apply --server-side \
		--dry-run=server --validate=strict -k "$T/$folder"
	is "$(grep -v "kapi has no CEL" "$T/err")" "" "... without a warning"
done
for name in "${operators[@]}"; do
	runs 0 "$name: the example" kubectl apply --server-side \
		--dry-run=server --validate=strict -n "$name-operator-system" \
		-f "$(echo "$T/deploy/$name"/base/crds/*_cr.yaml)"
done
done_testing
