#!/bin/bash
# ireconcile: a Namespace is not pruned while an item in it is desired, nor a
# CustomResourceDefinition with an item of its kind.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"

cat >"$T/watches.yaml" <<'END'
- group: example.com
  version: v1
  kind: Crate
  program: program.jq
  finalizer: example.com/crate
  dependents:
  - {apiVersion: v1, kind: Namespace, manage: true}
  - {apiVersion: v1, kind: ConfigMap, manage: true, namespaces: []}
  - {apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, manage: true}
  - {apiVersion: p.example.com/v1, kind: Urn, manage: true}
END
cat >"$T/program.jq" <<'END'
def desired: .primary.spec.items;
def status: {error};
END
ns='{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"q"}}'
cm='{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c","namespace":"q"}}'
crd='{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"urns.p.example.com"},"spec":{"group":"p.example.com","names":{"kind":"Urn","plural":"urns"}}}'
urn='{"apiVersion":"p.example.com/v1","kind":"Urn","metadata":{"name":"u"}}'
crate() { # ITEMS
	printf '{"apiVersion":"example.com/v1","kind":"Crate","metadata":{"name":"a","namespace":"ns","uid":"u1","resourceVersion":"1","finalizers":["example.com/crate"]},"spec":{"items":[%s]}}\n' "$1"
}
# members ITEMS: as the server has them once they were applied
members() {
	crate "$1" | ireconcile -f "$T/watches.yaml" |
		jq -c '.items[] | .metadata.uid = "u-" + .metadata.name
			| .metadata.resourceVersion = "5"'
}
# then ITEMS LATER: what is deleted, and the error, when ITEMS were applied
later() {
	{
		crate "$2"
		members "$1"
	} | ireconcile -f "$T/watches.yaml" 2>/dev/null | jq -c '
		[[.reconcile.delete[]?.kind], [.items[].kind],
		.reconcile.status.error]'
}
is "$(later "$ns,$cm" "$cm")" \
	'[[],[],"Namespace//q is not desired any more, but ConfigMap/q/c is, and would be deleted with it: desire both, or neither"]' \
	"a Namespace with an item that is desired"
is "$(later "$ns,$cm" "${cm/\"q\"/\"p\"}" | jq -c '.[0]')" \
	'["Namespace","ConfigMap"]' "... an item elsewhere does not keep it"
is "$(later "$ns,$cm" "" | jq -c '.[0]')" '["Namespace","ConfigMap"]' \
	"neither is desired: both go"
is "$(later "$ns,$cm" "$ns" | jq -c '.[0]')" '["ConfigMap"]' \
	"the Namespace alone is desired"
# others CHANGE: what is deleted, with a ConfigMap of the Crate b there, too
others() {
	{
		crate ""
		members "$ns,$cm"
		crate "$cm" | sed 's/"name":"a"/"name":"b"/; s/"u1"/"u2"/' |
			ireconcile -f "$T/watches.yaml" | jq -c '.items[]
			| .metadata += {uid: "u-b", resourceVersion: "6",
				name: "d"}
			| .metadata.annotations["kpipe.dev/member"] |= sub("c$"; "d")
			| '"$1"
	} | ireconcile -f "$T/watches.yaml" 2>/dev/null | jq -c '
		[[.reconcile.delete[]?.kind], .reconcile.status.error]'
}
is "$(others . | head -n 1)" \
	'[[],"Namespace//q is not desired any more, but ConfigMap/q/d of another primary is in it, and would be deleted with it: desire it until that is gone"]' \
	"a Namespace with a member of another primary"
is "$(others '.metadata.deletionTimestamp = "2026-01-01T00:00:00Z"' | head -n 1 | jq -c '.[0]')" \
	'["Namespace","ConfigMap"]' "... that is on its way out"
is "$(others 'del(.metadata.labels)' | head -n 1 | jq -c '.[0]')" \
	'["Namespace","ConfigMap"]' "... an object of no primary does not keep it"
is "$(later "$crd,$urn" "$urn")" \
	'[[],[],"CustomResourceDefinition.apiextensions.k8s.io//urns.p.example.com is not desired any more, but Urn.p.example.com/ns/u is, and would be deleted with it: desire both, or neither"]' \
	"a CustomResourceDefinition with an item of its kind"
is "$(later "$crd,$urn" "" | jq -c '.[0] | sort')" \
	'["CustomResourceDefinition","Urn"]' "... goes with it"
done_testing
