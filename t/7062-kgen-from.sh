#!/bin/bash
# kgen new --from: the folder of an operator for a kind that exists, from its
# CustomResourceDefinition; what another project defines is neither installed nor
# changed, and its status is shared or left alone.
# servers: kapi
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=cluster/lib.sh
. "${0%/*}/cluster/lib.sh"
own_kubectl
crds=$ROOT/t/cases/7062/crds.yaml
cd "$T" || exit

# ---- the folder ----

runs 0 "kgen new --from" kgen new --from "$crds" --kind Garden
is "$(find garden -type f -printf '%P\n' | LC_ALL=C sort | paste -sd ' ')" \
	".gitignore Makefile README example.yaml external-crds.yaml operator.yaml reconcile.jq t/life.jsonl t/life.out t/run watches.yaml" \
	"... makes a folder of the kind's name, without a crd.yaml"
is "$(cd garden && awk 'length > 80 { print FILENAME ": " FNR }' README Makefile \
	./*.jq operator.yaml watches.yaml)" "" "... of at most 80 columns"
kgen describe -f garden >"$T/description"
is "$(jq -c '.watches[0] | [.group, .version, .kind, .manageStatus]' \
	description)" '["park.example.com","v1","Garden",null]' \
	"... for the version that is stored"
is "$(jq -c '[.crds, (.external[0] | .metadata, .spec.names.shortNames,
	.spec.conversion, [.spec.versions[].name],
	([.. | .description?] | map(select(. != null))))]' description)" \
	'[[],{"name":"gardens.park.example.com"},["gd"],null,["v1"],[]]' \
	"... which external-crds.yaml has alone, with its names"
is "$(jq -c '.examples[0].spec' description)" \
	'{"owner":"owner-aaa-1111","soil":"loam","area":12,"beds":[{"name":"example"},{"name":"example2"}],"water":{"well":{"depth":2}},"gate":1,"tags":{"key":"example","key2":"example2"},"hours":"1h","passwordOfGate":"exampleeeeee","fence":{},"north":1,"open":false,"season":"summer"}' \
	"... with an example that fits the schema"
is "$(sed -n 's/^def settings: //p' garden/reconcile.jq)" \
	".primary.spec | {owner, soil, area};" "... whose fields the program uses"
ok "... and which says what the status has" grep -qx \
	'# What .primary.status has: phase, harvested, conditions.' \
	garden/reconcile.jq
runs 0 "make test" make -s -C garden test
is "$(<"$T/out")" "ok life.jsonl" "... passes"
runs 0 "kgen rights" kgen rights -f garden -o rbac.yaml
ok "... knows the plural" grep -q 'resources: \[gardens\]' rbac.yaml
ok "... and that of the status" grep -q 'resources: \[gardens/status\]' rbac.yaml
runs 0 "kgen manifests" kgen manifests -f garden
is "$(grep -c CustomResourceDefinition "$T/out")" 0 "... have no definition"
runs 0 "... nor has a chart" kgen chart -f garden -o chart
is "$(grep -rl 'kind: CustomResourceDefinition' chart)" "" "... of it"
runs 2 "make crd" make -s -C garden crd
is "$(head -n 1 "$T/err")" "kgen: fatal: Garden.park.example.com: a kind that Kubernetes or another project defines: there is no crd.yaml to make" \
	"... says why there is nothing to make"
ok "... and makes nothing" test ! -e garden/crd.yaml

# ---- versions, kinds, their own ----

# spec FOLDER: of its example
spec() {
	kgen describe -f "$1" | jq -c '.examples[0] | del(.apiVersion, .kind)'
}
runs 0 "--api-version" kgen new old --from "$crds" --kind gardens \
	--api-version v1beta1
is "$(spec old)" '{"metadata":{"name":"example"},"spec":{"size":1}}' \
	"... is another schema"
runs 0 "... its folder's test" make -s -C old test
ok "... which has no conditions, so that no status is written" \
	grep -q '^  manageStatus: false$' old/watches.yaml
runs 0 "a kind of the cluster, without a spec" kgen new --from "$crds" \
	--kind Weather
is "$(spec weather)" '{"metadata":{"name":"today"},"sky":{"clouds":1,"image":{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"example"}}}}' \
	"... has the only name that it may have"
is "$(jq -c '.watches[0] | [.scope, .manageStatus]' \
	<(kgen describe -f weather))" '["Cluster",false]' \
	"... and no subresource for the status"
runs 0 "... its folder's test" make -s -C weather test
runs 0 "--own" kgen new mine --from "$crds" --kind Garden --own
is "$(<"$T/err")" "$(printf 'kgen: %s\n' "warning: crd.yaml: bounds beyond 2^53 are left out" \
	mine/{operator,watches}.yaml": written" mine/reconcile.jq": written" \
	mine/example.yaml": written" mine/{Makefile,README,.gitignore,t/run,crd.yaml,t/life.jsonl,t/life.out}": written")" \
	"... says what could not be kept"
is "$(jq -c '[.external, (.crds[0] | .metadata.annotations["made-by"],
	.spec.conversion.strategy, [.spec.versions[].name])]' \
	<(kgen describe -f mine))" \
	'[[],"another project","Webhook",["v1beta1","v1"]]' \
	"... is the definition as it was"
ok "... the whole status is the operator's" grep -qx \
	'  conditions: \[ready_condition\]' mine/reconcile.jq
runs 0 "... its folder's test" make -s -C mine test
runs 1 "... make crd" kgen crd -f mine -o mine
is "$(tail -n 1 "$T/err")" "kgen: error: mine/crd.yaml: was changed, or is not of kgen: --force replaces it" \
	"... does not replace it"
cp mine/crd.yaml before.yaml
runs 2 "make crd of such a folder" make -s -C mine crd
ok "... says why it is not made" grep -q \
	'there is no schema.yaml to make crd.yaml of: change crd.yaml itself' \
	"$T/err"
same mine/crd.yaml before.yaml "... and leaves it"
# ---- defaults, as the API server adds them ----

cat >pond.yaml <<-'END'
	apiVersion: apiextensions.k8s.io/v1
	kind: CustomResourceDefinition
	metadata: {name: fishponds.park.example.com}
	spec:
	  group: park.example.com
	  names: {kind: FishPond, plural: fishponds}
	  scope: Namespaced
	  versions:
	  - name: v1
	    served: true
	    storage: true
	    subresources: {status: {}}
	    schema:
	      openAPIV3Schema:
	        type: object
	        properties:
	          spec:
	            type: object
	            required: [depth, fish, plants]
	            properties:
	              depth: {type: integer}
	              pump:
	                type: object
	                default: {}
	                properties:
	                  hours: {type: integer, default: 8}
	                  filter:
	                    type: object
	                    properties: {size: {type: integer, default: 1}}
	              fish:
	                type: array
	                minItems: 1
	                items:
	                  type: object
	                  properties:
	                    name: {type: string}
	                    food: {type: string, default: worms}
	              plants:
	                type: object
	                additionalProperties:
	                  type: object
	                  properties: {green: {type: boolean, default: true}}
	              free: {type: object, additionalProperties: true, default: {a: {b: 1}}}
	          status:
	            type: object
	            properties:
	              conditions:
	                type: array
	                x-kubernetes-list-type: map
	                x-kubernetes-list-map-keys: [type]
	                items:
	                  type: object
	                  required: [type]
	                  properties:
	                    type: {type: string}
	                    status: {type: string}
	                    reason: {type: string}
	                    message: {type: string}
	                    lastTransitionTime: {type: string}
END
runs 0 "a definition with defaults" kgen new --from pond.yaml
is "$(jq -c 'select(.object.kind == "FishPond" and .type == "ADDED") |
	.object.spec' fishpond/t/life.jsonl)" \
	'{"depth":1,"fish":[{"food":"worms"}],"free":{"a":{"b":1}},"plants":{"key":{"green":true}},"pump":{"hours":8}}' \
	"... the event of its test has them"
runs 0 "... which passes" make -s -C fishpond test
is "$(spec fishpond | jq -c .spec)" \
	'{"depth":1,"fish":[{}],"plants":{"key":{}}}' \
	"... the example has what a user writes"
ok "our condition is called as the kind is" grep -q '"FishPondOperatorReady"' \
	fishpond/reconcile.jq
runs 0 "in a folder of another name" kgen new my-ponds --from pond.yaml
ok "... it is called as that" grep -q '"MyPondsOperatorReady"' \
	my-ponds/reconcile.jq
runs 0 "... its test" make -s -C my-ponds test
sed '/x-kubernetes-list/d' pond.yaml >atomic.yaml
runs 0 "a list of conditions that has one writer" kgen new alone \
	--from atomic.yaml
ok "... is left to it" grep -q '^  manageStatus: false$' alone/watches.yaml
runs 0 "... --own" kgen new owned --own --from atomic.yaml
ok "... is the operator's" grep -q 'conditions: ' owned/reconcile.jq

jq -n '{apiVersion: "v1", kind: "List", items: $crds}' \
	--argjson crds "$(kgen describe -f mine | jq -c .crds)" >list.json
runs 0 "a List in JSON, from standard input" kgen new listed --from - <list.json
is "$(spec listed)" "$(spec garden)" "... is the same"
runs 0 "kgen add --from" kgen add -f garden --from "$crds" --kind Weather
is "$(jq -c '[[.external[].metadata.name], [.examples[].kind], .crds]' \
	<(kgen describe -f garden))" \
	'[["gardens.park.example.com","weathers.park.example.com"],["Garden","Weather"],[]]' \
	"... adds the kind everywhere"
runs 0 "... make test" make -s -C garden test

# ---- at work ----

start make -C garden run >run.log 2>&1
make=$!
ok "make run: the operator is ready" wait_for 20 grep -q 'kpipe: ready' run.log
export KUBECONFIG=$T/garden/build/kubeconfig
ok "the examples are accepted" kubectl apply -f garden/example.yaml
ok "... our condition is there" kubectl wait --timeout=240s \
	--for=condition=GardenOperatorReady garden/example
ok "... and the other's ConfigMap" kubectl wait --timeout=240s --for=create \
	configmap/weather-today
is "$(kubectl get configmap garden-example -o json | jq -c .data)" \
	'{"settings.json":"{\"owner\":\"owner-aaa-1111\",\"soil\":\"loam\",\"area\":12}"}' \
	"... the ConfigMap has what the program read"
cat >other.json <<-'END'
	{"apiVersion": "park.example.com/v1", "kind": "Garden",
	"metadata": {"name": "example", "namespace": "default"},
	"status": {"phase": "Growing", "conditions": [{"type": "Ready",
	"status": "True", "reason": "Grown", "message": "",
	"lastTransitionTime": "2026-01-01T00:00:00Z"}]}}
END
jq -c . other.json | kstatus --field-manager other
kubectl delete configmap garden-example >/dev/null
ok "the ConfigMap comes back" kubectl wait --timeout=240s --for=create \
	configmap/garden-example
state() {
	kubectl get garden example -o json | jq -c '.status | [.phase,
		([.conditions[] | "\(.type)=\(.status)"] | sort)]'
}
is_shared() {
	[ "$(state)" = '["Growing",["GardenOperatorReady=True","Ready=True"]]' ]
}
ok "... the other controller's status stays beside ours" wait_for 20 is_shared
is "$(kubectl get weather today -o json | jq -c .status)" null \
	"... and none is written where there is no place for it"
kill "$make"
wait "$make"

# ---- the commands of the page ----

mkdir page
cp "$crds" page/crds.yaml
sed -n 's/^    \(kgen\|make\)/\1/p' "$ROOT/doc/existing-kinds.md" >page/commands
ok "doc/existing-kinds.md has commands" test "$(wc -l <page/commands)" -ge 6
runs 0 "... which work" bash -e -c 'cd page && . ./commands'
is "$(cd page && printf '%s\n' *.yaml */deploy */rbac.yaml well* | paste -sd ' ')" \
	"crds.yaml mine/deploy garden/rbac.yaml wells" "... and make what it says"

# ---- bad input ----

# refused WHAT MESSAGE ARGUMENT...: exit 100 with that message, and no new file
refused() {
	local what=$1 message=$2

	shift 2
	runs 100 "$what" kgen "$@"
	is "$(<"$T/err")" "kgen: fatal: $message" "... says why"
	ok "... nothing is made" test ! -e x
}
all="Garden.park.example.com, Weather.park.example.com"
refused "several kinds" \
	"$crds: there are several kinds: choose one by --kind: $all" \
	new x --from "$crds"
refused "a kind that is not there" \
	"$crds: there is no kind Pond; there are $all" \
	new x --from "$crds" --kind Pond
refused "a version that is not there" \
	"$crds: Garden.park.example.com does not serve the version v2, but v1beta1, v1" \
	new x --from "$crds" --kind Garden --api-version v2
refused "v1beta1" \
	"$ROOT/t/cases/7062/old.yaml: the CustomResourceDefinition ponds.park.example.com is of apiextensions.k8s.io/v1beta1, which Kubernetes 1.22 removed: only v1 can be read. A cluster that has it gives it as v1: kubectl get crd ponds.park.example.com -o yaml" \
	new x --from "$ROOT/t/cases/7062/old.yaml"
refused "fields" "a definition has its fields: leave out a: string" \
	new x --from "$crds" --kind Garden 'a: string'
printf "apiVersion: a.b/v1\nkind: C\nmetadata: {name: d}\n" >object.yaml
refused "no definition" "--own is for a CustomResourceDefinition" \
	new x --from object.yaml --own
refused "--own of another command" \
	"--from-cluster and --own are for new and add" rights -f garden --own
echo '[]' >list.yaml
refused "a list" "the example has no apiVersion, kind or metadata.name" \
	new x --from list.yaml
printf 'apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n' \
	>empty.yaml
refused "a definition without a spec" \
	"empty.yaml: the CustomResourceDefinition  lacks spec.group, spec.names.kind, spec.names.plural or spec.versions, or one of them is not a name" \
	new x --from empty.yaml
sed 's/kind: Garden$/kind: "Garden\\n  program: x"/' "$crds" >odd.yaml
refused "a name that would be more than that" \
	"odd.yaml: the CustomResourceDefinition gardens.park.example.com lacks spec.group, spec.names.kind, spec.names.plural or spec.versions, or one of them is not a name" \
	new x --from odd.yaml
sed 's/served: true/served: false/' "$crds" >unserved.yaml
refused "no version is served" \
	"unserved.yaml: no version of Garden.park.example.com is served" \
	new x --from unserved.yaml --kind Garden
sed 's/pattern: ^owner.*/pattern: ^(a|b){2}(?!c)$\n                minLength: 9/' \
	"$crds" >hard.yaml
runs 0 "a pattern that is beyond kgen" kgen new hard --from hard.yaml \
	--kind Garden
is "$(head -n 1 "$T/err")" "kgen: warning: example.yaml: Garden.spec.owner: it does not match ^(a|b){2}(?!c)\$: write a value that fits" \
	"... is said"
sed -i '/^      status: {}/d; /^    subresources:/d' garden/external-crds.yaml
runs 100 "a status without a subresource" kgen describe -f garden
# shellcheck disable=SC2053
like() { [[ $(<"$T/err") = $1 ]]; }
ok "... is named" like "kgen: fatal: garden/external-crds.yaml:*: subresources.status is missing, but the operator writes the status (watches.yaml: manageStatus)"
done_testing
