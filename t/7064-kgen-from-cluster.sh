#!/bin/bash
# kgen new --from-cluster: what the cluster of kubectl says of a kind: by its
# definition, or, of kinds of Kubernetes and of aggregated APIs, by OpenAPI v3.
# servers: kapi real
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=cluster/lib.sh
. "${0%/*}/cluster/lib.sh"
cluster_start
crds=$ROOT/t/cases/7062/crds.yaml
cd "$T" || exit

# ---- a kind with a definition ----

kgen new file --from "$crds" --kind Garden 2>"$T/err"
kgen describe -f file | jq -c '.external[]' >garden.json
ok "a kind of another project" kubectl apply -f garden.json
ok "... is served" wait_for 20 kubectl get gardens
runs 0 "kgen new --from-cluster" kgen new file -o cluster \
	--from-cluster Garden.park.example.com
is "$(diff file/watches.yaml cluster/watches.yaml && kgen describe -f cluster |
	jq -cS .external)" "$(kgen describe -f file | jq -cS .external)" \
	"... is as from the file"
runs 0 "... by a short name" kgen new --from-cluster gd.park.example.com
ok "... the folder is called as the kind" test -e garden/watches.yaml
ok "... its example is accepted" kubectl create --dry-run=server \
	-f garden/example.yaml

# ---- kinds of Kubernetes ----

runs 0 "kgen new --from-cluster Deployment.apps" kgen new \
	--from-cluster Deployment.apps
is "$(kgen describe -f deployment | jq -c '[.external, .crds,
	(.watches[0] | .version, .manageStatus)]')" '[[],[],"v1",false]' \
	"... has no definition, and writes no status"
ok "... but says what it has" grep -q \
	'^# What .primary.status has: .*availableReplicas' deployment/reconcile.jq
runs 0 "... make test" make -s -C deployment test
ok "... its example is accepted" kubectl create --dry-run=server \
	-f deployment/example.yaml
runs 0 "... kgen manifests" kgen manifests -f deployment
runs 2 "... make crd" make -s -C deployment crd
is "$(head -n 1 "$T/err")" "kgen: fatal: Deployment.apps: a kind that Kubernetes or another project defines: there is no crd.yaml to make" \
	"... makes none"
runs 0 "a kind of the core, of the cluster" kgen new --from-cluster Namespace
is "$(sed -n 's/^  scope: //p' namespace/watches.yaml)" Cluster "... says so"
runs 0 "... make test" make -s -C namespace test
runs 0 "a Secret" kgen new --from-cluster Secret
is "$(sed -n 's/^def settings: //p' secret/reconcile.jq)" ".primary | {type};" \
	"... whose data the program does not copy"

for version in v1 {apps,batch,policy}/v1 autoscaling/v2 \
	{admissionregistration,apiregistration,coordination,discovery,networking,node,scheduling,storage,rbac.authorization,flowcontrol.apiserver}.k8s.io/v1; do
	[ "$version" = v1 ] && path=/api/v1 || path=/apis/$version
	kubectl get --raw "$path" |
		jq -c --arg version "$version" '.resources[]
		| select(.name | contains("/") | not) | [$version, .kind]'
done >kinds
real_jq
jq -c -L "$ROOT/lib/jq" 'include "gen/examples"; . as [$version, $kind]
	| (if $version | contains("/") then "\($kind).\($version / "/" | .[0])"
	else $kind end) | example_of_builtin | values
	| {apiVersion: $version, kind: $kind, metadata: {name: "example"}} + .' \
	kinds >examples
ok "there are examples of many kinds" test "$(wc -l <examples)" -ge 40
jq -s '{apiVersion: "v1", kind: "List", items: .}' examples >list.json
ok "... which are accepted" kubectl create --dry-run=server -f list.json

# ---- an aggregated API, as kubectl tells of it ----

mkdir api
cat >api/apis_meter.example.com <<-'END'
	{"kind": "APIGroup", "preferredVersion": {"version": "v1beta1"}}
END
cat >api/apis_meter.example.com_v1beta1 <<-'END'
	{"kind": "APIResourceList", "resources": [
	{"name": "readings", "kind": "Reading", "namespaced": true,
	"verbs": ["get", "list", "watch"]},
	{"name": "readings/status", "kind": "Reading", "namespaced": true},
	{"name": "reviews", "kind": "Review", "namespaced": false,
	"verbs": ["create"]}]}
END
cat >api/openapi_v3_apis_meter.example.com_v1beta1 <<-'END'
	{"components": {"schemas": {
	"com.example.Reading": {"type": "object", "required": ["spec"],
	"properties": {"metadata": {"$ref": "#/components/schemas/Meta"},
	"spec": {"allOf": [{"$ref": "#/components/schemas/Spec"}], "default": {}}},
	"x-kubernetes-group-version-kind": [{"group": "meter.example.com",
	"version": "v1beta1", "kind": "Reading"}]},
	"Spec": {"type": "object", "required": ["unit", "parts"], "properties": {
	"unit": {"type": "string", "enum": ["kWh"]},
	"parts": {"type": "array", "items": {"$ref": "#/components/schemas/Spec"}}}}}}}
END
cat >kubectl.sh <<-'END'
	#!/bin/sh
	[ "$2" = --raw ] || exit "${NO_DEFINITIONS:-0}"
	cat "$(dirname "$0")/api/$(echo "${3#/}" | tr / _)"
END
chmod +x kubectl.sh
export KUBECTL=$T/kubectl.sh
runs 0 "a kind of an aggregated API" kgen new \
	--from-cluster reading.meter.example.com
is "$(kgen describe -f reading | jq -c '[(.external[0] | .metadata.name,
	.spec.scope, .spec.versions[0].subresources), .examples[0].apiVersion,
	(.examples[0].spec | .unit, (.parts | length)), .watches[0].manageStatus]')" \
	'["readings.meter.example.com","Namespaced",{"status":{}},"meter.example.com/v1beta1","kWh",1,false]' \
	"... has names and schema, and no status of ours"
runs 0 "... make test" make -s -C reading test
ok "... a server can have the kind for make run" eval \
	"kgen describe -f reading | jq -c '.external[]' >reading.json &&
	kubectl apply -f reading.json"
rm -r reading
NO_DEFINITIONS=1 runs 0 "without the right to see definitions" kgen new \
	--from-cluster reading.meter.example.com
is "$(head -n 1 "$T/err")" "kgen: warning: the CustomResourceDefinition readings.meter.example.com cannot be read: OpenAPI is asked instead" \
	"... OpenAPI tells, too"

# ---- bad input ----

# refused WHAT MESSAGE ARGUMENT...: exit 100, the last line of the log, no folder
refused() {
	local what=$1 message=$2

	shift 2
	runs 100 "$what" kgen new x "$@"
	is "$(head -n 1 "$T/err")" "kgen: $message" "... says why"
	ok "... nothing is made" test ! -e x
}
refused "a kind that is not there" \
	"error: apis/meter.example.com/v1beta1 of the cluster has no kind pond" \
	--from-cluster pond.meter.example.com
refused "a kind that cannot be watched" \
	"fatal: Review.meter.example.com cannot be watched" \
	--from-cluster Review.meter.example.com
refused "--own without a definition" \
	"fatal: --own is for a CustomResourceDefinition, which Reading.meter.example.com does not have" \
	--from-cluster Reading.meter.example.com --own
refused "two sources" "fatal: --from and --from-cluster exclude each other" \
	--from-cluster a.b --from "$crds"
KUBECTL=$T/none refused "no kubectl" \
	"error: --from-cluster needs $T/none, which is not in PATH" \
	--from-cluster Pod
unset KUBECTL
refused "ConfigMaps for ConfigMaps" \
	"fatal: the program of a new folder makes a ConfigMap for each object, and so for each ConfigMap another one: begin with another kind" \
	--from-cluster ConfigMap
cd "$ROOT" || exit
done_testing
