#!/bin/bash
# ireconcile: while kwatch has not found an optional kind whose definition is new,
# neither that is deleted, nor a Namespace: objects of the kind are not seen.
. "${0%/*}/lib.sh"
. t/ireconcile.sh

cat >"$T/watches.yaml" <<'END'
- group: example.com
  version: v1
  kind: Crate
  program: program.jq
  finalizer: example.com/crate
  dependents:
  - {apiVersion: v1, kind: Namespace, manage: true}
  - {apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, manage: true}
  related:
  - {apiVersion: example.com/v1, kind: Urn, optional: true, namespaces: []}
END
cat >"$T/program.jq" <<'END'
def desired: .primary.spec.items;
def status: null;
END
crate() { # ITEM...
	printf '{"apiVersion":"example.com/v1","kind":"Crate","metadata":{"name":"a","namespace":"ns","uid":"u","resourceVersion":"1","finalizers":["example.com/crate"]},"spec":{"items":[%s]}}' "$1"
}
urns() { # begin, absent or end
	case $1 in
	absent) bookmark kpipe.dev/absent example.com/v1 Urn ;;
	*) "$1" example.com/v1 Urn ;;
	esac
}
ns='{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"q"}}'
# definition [VERSION [SERVED [ESTABLISHED [KIND]]]]
definition() {
	printf '{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"urns.example.com"},"spec":{"group":"example.com","names":{"kind":"%s","plural":"urns"},"versions":[{"name":"v2","served":true},{"name":"%s","served":%s}]},"status":{"conditions":[{"type":"NamesAccepted","status":"True"},{"type":"Established","status":"%s"}]}}' \
		"${4:-Urn}" "${1:-v1}" "${2:-true}" "${3:-True}"
}
urn=$(event ADDED '{"apiVersion":"example.com/v1","kind":"Urn","metadata":{"name":"of-y","namespace":"q","uid":"u-y","resourceVersion":"6","annotations":{"kpipe.dev/instance":"y"}}}')
# The next look, after 10 s.
later=$(tick 00:20)

# deletes ITEMS OTHER LINE...: what the crate deletes that made ITEMS and desires
# nothing; OTHER is an object that is there, too, or empty. The lines come behind
# the initial state, in which there is no kind Urn.
deletes() {
	{
		urns begin
		event ADDED "$(crate "")" 2026-01-01T00:00:00Z
		crate "$1" | ireconcile -f "$T/watches.yaml" --instance=x |
			jq -c '.items[] | .metadata.uid = "u-" + .metadata.name
			| .metadata.resourceVersion = "5"
			| {type: "ADDED", object: .}'
		[ -z "$2" ] || event ADDED "$2"
		urns absent
		urns end
		end example.com/v1 Crate
		end v1 Namespace
		end apiextensions.k8s.io/v1 CustomResourceDefinition
		printf '%s\n' "${@:3}"
	} | ireconcile -f "$T/watches.yaml" --clock=input --instance=x \
		2>"$T/err" | jq -r '.reconcile.delete[]?.kind' | sort -u | xargs
}
crd=$(definition)
is "$(deletes "$crd" "" "$later")" "" \
	"a definition whose kind kwatch has not found: it waits"
says "" "... without a word"
is "$(deletes "$crd" "" "$(urns begin)" "$later")" "" \
	"... also while its objects are listed"
is "$(deletes "$crd" "" "$(urns begin)" "$(urns end)" "$later")" \
	CustomResourceDefinition "... there is none: it goes"
is "$(deletes "$crd" "" "$(urns begin)" "$urn" "$(urns end)" "$later")" "" \
	"... there is one of another instance"
is "$(grep -c "Urn.example.com/q/of-y of another instance of the operator is of its kind" "$T/err")" \
	1 "... which the log names"
is "$(deletes "$(definition v1 true False)" "" "$later")" \
	CustomResourceDefinition "one that is not established has no objects: it goes"
is "$(deletes "$(definition v1 false)" "" "$later")" \
	CustomResourceDefinition \
	"one that does not serve the version that is watched: it goes"
is "$(deletes "$(definition v3)" "" "$later")" CustomResourceDefinition \
	"... nor has it"
is "$(deletes "$crd" "" "$(urns begin)" "$(urns end)" "$(urns absent)" "$later")" \
	"" "... the kind is lost again: it waits"

other=$(definition | jq -c '.metadata += {uid: "u-d", resourceVersion: "4"}')
is "$(deletes "$ns" "$other" "$later")" "" \
	"a Namespace, beside a definition whose kind kwatch has not found"
is "$(deletes "$ns" "$other" "$(urns begin)" "$(urns end)" "$later")" \
	Namespace "... until that is found"
is "$(deletes "$ns" "$other" "$(urns begin)" "$urn" "$(urns end)" "$later")" \
	"" "... unless there is an object of another in it"
is "$(deletes "$ns" "${other/\"Urn\"/\"Vat\"}" "$later")" Namespace \
	"... of another kind: it goes"
is "$(deletes "$ns" "" "$later")" Namespace "... without a definition, too"
done_testing
