# shellcheck shell=bash disable=SC2154
# A cluster-scoped primary, whose members are in several namespaces, one of them
# the tenant's: she writes ConfigMaps that claim to be its.

section "cluster-scoped primaries"
mkdir "$T/wide"
cat >"$T/wide/watches.yaml" <<'END'
- group: attack.example.com
  version: v1
  kind: Wide
  scope: Cluster
  program: reconcile.jq
  finalizer: attack.example.com/wide
  dependents:
  - {apiVersion: v1, kind: ConfigMap, manage: true}
END
cat >"$T/wide/reconcile.jq" <<'END'
include "operator";
def desired: [.primary.spec.in[] | . as $ns
	| config_map("wide"; {}; {k: "v"}) | in_namespace($ns)];
def finalize: {items: [], delete: .owned.ConfigMap, done: (.owned.ConfigMap == [])};
def status: {phase: (if .error then "Failed" elif .outstanding == [] and
	(.owned.ConfigMap | length) == (.primary.spec.in | length)
	then "Available" else "Processing" end),
	of: (.primary.spec.in | length), reason: .error};
END
sed 's/targets/wides/g; s/Target/Wide/; s/Namespaced/Cluster/' \
	t/attack/operator/crd.yaml | kubectl apply -f - >/dev/null
wait_for 20 kubectl wait --for=condition=Established \
	crd/wides.attack.example.com
wait_for 20 kubectl get wides
may user3 get,list,watch,patch wides.attack.example.com,wides.attack.example.com/status
may user3 get,list,watch,create,patch,delete configmaps
may user3 create,patch events
may user3 get,create secrets ops
start env -u KUBECONFIG POD_NAMESPACE=ops kpipe -f "$T/wide/watches.yaml" \
	--kubeconfig "$(config user3)" 2>>"$T/operator-wide.log"

wides=/apis/attack.example.com/v1/wides
wide() { # NAMESPACES
	printf '{"apiVersion":"attack.example.com/v1","kind":"Wide","metadata":{"name":"w"},"spec":{"in":%s}}' \
		"$1" | kubectl apply -f - >/dev/null
}
phase() {
	[ "$(api "$wides/w" | jq -r .status.phase)" = "$1" ]
}
# claim NAMESPACE NAME [METADATA-MEMBERS]: as mallory, who reads the uid from
# the member in her namespace
claim() {
	as "${4:-mallory}" POST "$(configmaps "$1")" "{\"metadata\":{\"name\":\"$2\"${3:+,$3},
		\"ownerReferences\":[$(as mallory GET "$(configmaps tenant wide)" |
		jq -c '.metadata.ownerReferences[0]')]},\"data\":{\"k\":\"forged\"}}" >/dev/null
}
wide '["tenant","victim","sys"]'
wait_for 40 phase Available || quote <"$T/operator-wide.log"

tries "an owner reference to it, with a finalizer" \
	claim tenant held '"finalizers":["tenant.example/hold"]'
still_available() {
	there "$(configmaps tenant held)" && phase Available
}
gets "its status counts its own members" still_available
claim_many() {
	local i

	for ((i = 0; i < 150; i++)); do
		claim tenant "claim$i"
	done
}
tries "150 such objects, for the prune limit" claim_many
wide '["tenant","victim"]'
gets "what it wants no more is pruned" api_gone "$(configmaps sys wide)"
two_available() {
	phase Available && [ "$(api "$wides/w" | jq -r .status.of)" = 2 ]
}
gets "... and it is Available" two_available
tries "the proof of a member, copied" claim tenant copied "\"annotations\":$(
	as mallory GET "$(configmaps tenant wide)" | jq -c '.metadata.annotations')"
gets "its status counts its own members" phase Available
for value in null '"v1 x AAAA"'; do
	tries "its member's proof, changed to $value" as mallory PATCH \
		"$(configmaps tenant wide)" \
		"{\"metadata\":{\"annotations\":{\"kpipe.dev/proof\":$value}}}" >/dev/null
	gets "it is Available again" phase Available
done
wait_for 40 phase Available
as admin DELETE "$(configmaps sys wide)" >/dev/null
may writer create configmaps sys
tries "a name that it is going to want" claim sys wide '' writer
wide '["tenant","victim","sys"]'
refused_by_name() {
	api "$wides/w" | jq -r .status.reason |
		grep -q 'ConfigMap sys/wide: it exists and is not part of .*lacks the proof'
}
gets "it is Failed, by name" refused_by_name
is "$(api "$(configmaps sys wide)" | jq -r .data.k)" forged \
	"... and nothing is written there"
kubectl delete configmap -n sys wide >/dev/null
as admin DELETE "$wides/w" >/dev/null
tries "all of that, when it is deleted" true
gets "it goes" api_gone "$wides/w"
as mallory PATCH "$(configmaps tenant held)" '{"metadata":{"finalizers":null}}' >/dev/null
