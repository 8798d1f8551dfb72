#!/bin/bash
# The objects of an operator fit together: selectors and labels, ports, probes,
# credentials, roles and accounts, the metrics; its Pods keep the strictest
# rules. So for kubectl apply, and for each folder that kustomize builds.
# check-all: manifests
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"

kpipe --help >"$T/help"
json() {
	local file

	for file; do
		t/yaml-lines <"$file"
	done | jq -cS .
}
# fits WHAT FILE: objects, one on a line
fits() {
	runs 0 "$1" t/manifests/fit "$T/help" <"$2" || quote <"$T/out"
}

for name in at cronjob iotservice memcached experimental; do
	d=$T/$name
	kgen manifests -f "pipeline/$name" -o "$d" 2>/dev/null
	json "$d"/monitoring/[mps]*.yaml "$d"/users/[ev]*.yaml >"$T/more"
	for scope in namespace cluster; do
		overlay=$d/${scope/%namespace/namespaced}
		[ -d "$overlay" ] || continue
		kgen manifests -f "pipeline/$name" --scope=$scope >"$T/stream.yaml"
		json "$T/stream.yaml" | sort >"$T/stream"
		cat "$T/stream" "$T/more" >"$T/all"
		fits "$name: scope $scope" "$T/all"
		t/manifests/build "$overlay" | jq -cS . | sort >"$T/built"
		same "$T/built" "$T/stream" "... its overlay gives the same"
	done
done
kgen manifests -f pipeline/at --set credentials=pod >"$T/stream.yaml"
json "$T/stream.yaml" >"$T/all"
fits "one account for all stages" "$T/all"
for name in at iotservice; do
	kgen manifests -f "pipeline/$name" --program=configmap >"$T/stream.yaml"
	json "$T/stream.yaml" >"$T/all"
	fits "$name: programs in a ConfigMap" "$T/all"
done
done_testing
