#!/bin/bash
# ireconcile: a kind that is complete in some of its namespaces only. A primary
# is decided when everything is known that it may see, and not before.
. "${0%/*}/lib.sh"
. t/ireconcile.sh

# in_ NAMESPACE NAME KIND [APIVERSION [METADATA]]: an object there
in_() {
	printf '{"apiVersion":"%s","kind":"%s","metadata":{"name":"%s","namespace":"%s","uid":"%s-%s","resourceVersion":"1"%s},"spec":{"use":"x"}}' \
		"${4:-v1}" "$3" "$2" "$1" "$1" "$2" "${5:+,$5}"
}
end_in() { # KIND NAMESPACES [APIVERSION]
	event BOOKMARK "{\"apiVersion\":\"${3:-v1}\",\"kind\":\"$1\",\"metadata\":{\"annotations\":{\"kpipe.dev/listed-namespaces\":\"$2\"}}}"
}
things() { # NAMESPACE...
	local ns

	for ns; do
		event ADDED "$(in_ "$ns" t Thing example.com/v1)"
	done
}

# entry [KEY [KIND-KEYS [ROLE]]]: with a ConfigMap that has these keys
entry() {
	cat >"$T/watches.yaml" <<-END
		- group: example.com
		  version: v1
		  kind: Thing
		  program: program.jq
		  namespaces: [a, b]
		  ${1:-optional: false}
		  ${3:-dependents}:
		  - {apiVersion: v1, kind: ConfigMap${2:-}}
	END
}
cat >"$T/program.jq" <<'END'
def desired: [];
def status: {decided: true, seen: [(.owned, .related)[]?[]?.metadata | "\(.namespace)/\(.name)"]};
def finalize: [];
END

# decides NAMESPACES WHAT: of $T/in only primaries in these are decided
decides() {
	runs 1 "$2: the input is not complete" \
		ireconcile -f "$T/watches.yaml" --clock=input <"$T/in"
	is "$(jq -r .reconcile.primary.namespace "$T/out" | sort -u | xargs)" \
		"$1" "... of $2 the primaries of \"$1\" are decided"
}

# by NAMESPACES WHAT [KEY [KIND-KEYS [ROLE]]]: the ConfigMaps of a are listed
by() {
	entry "${@:3}"
	given begin example.com/v1 Thing
	and begin v1 ConfigMap
	and things a b
	and event ADDED "$(in_ a x ConfigMap)"
	and end_in ConfigMap a
	and end example.com/v1 Thing
	decides "$1" "$2"
}
by a "members by owner reference" "" ", manage: true"
by a "what is only observed by it"
by a "what a label maps to" "" ", map: {label: l}"
by a "what a field maps to" "" ", map: {field: spec.use}" related
by a "a field, in an entry with a finalizer" "finalizer: x/y" \
	", map: {field: spec.use}" related
by "" "a label of primaries elsewhere" "" ", map: {label: l, namespace: b}"
by "" "a field of objects elsewhere" "" \
	", map: {field: spec.use, namespace: b}" related
by "" "a field with another that names their namespaces" "" \
	", map: {field: spec.use, namespaceField: spec.in}" related
by "a b" "a field of objects that are listed" "" \
	", map: {field: spec.use, namespace: a}" related
by "a b" "a kind that is only wanted there" "" ", namespaces: [a]" related
by "" "what is to be deleted" "" ", map: {field: spec.use}, delete: true" related
by "" "what is patched" "finalizer: x/y" ", map: {field: spec.use}, patch: true" \
	related
by "" "a jq map" "" ", map: {jq: '[]'}"
by "" "what every primary sees" "" "" related
by "" "what every primary sees in more than one" "" ", namespaces: [a, b]" related
by "" "members that may have marks" "finalizer: x/y" ", manage: true"
by "" "members that are only observed, with marks" "finalizer: x/y"
by "" "such that are found by a label, too" "finalizer: x/y" \
	", manage: true, map: {label: l}"
by "" "members of an earlier version of the file" "retiredFinalizers: [x/y]" \
	", manage: true"
by "" "such that stay when their primary goes" "" ", manage: true, retain: true"
by "" "an entry whose primaries wait for one another" "throttle: {limit: 1}" \
	", manage: true"

by "" "what is watched everywhere" "" ", namespaces: []" related
entry "" "" related
sed -i 's/listed-namespaces":"a"/listed-namespaces":"a,c"/' "$T/in"
decides "" "as many namespaces as it needs, but others,"

# What is listed later, a kind that begins again, and a primary that is only
# listed in one namespace.
entry "" ", manage: true"
given begin example.com/v1 Thing
and begin v1 ConfigMap
and things a b
and end_in ConfigMap a
decides "" "an entry whose primaries are not listed"
end_in Thing b example.com/v1 >>"$T/in"
decides "" "a primary without its members"
end_in ConfigMap c,b >>"$T/in"
decides b "what is listed later"
end_in Thing a example.com/v1 >>"$T/in"
decides "a b" "what is listed last"
given begin example.com/v1 Thing
and begin v1 ConfigMap
and end_in ConfigMap a
and begin v1 ConfigMap
and things a b
and end example.com/v1 Thing
decides "" "a kind that began again"

# No member that may be there is missed, and none that was not seen is gone.
owner_of() { # NAMESPACE
	printf '"ownerReferences":[{"apiVersion":"example.com/v1","controller":true,"kind":"Thing","name":"t","uid":"%s-t"}]' \
		"$1"
}
given begin example.com/v1 Thing
and begin v1 ConfigMap
and things a b
and event ADDED "$(in_ a old ConfigMap v1 "$(owner_of a)")"
and event ADDED "$(in_ b old ConfigMap v1 "$(owner_of b)")"
and end example.com/v1 Thing
and end_in ConfigMap a
decides a "members that are not desired any more"
is "$(jq -c '[.reconcile.delete[]? | "\(.namespace)/\(.name)"]' "$T/out")" \
	'["a/old"]' "... and theirs are deleted"
event ADDED "$(in_ b new ConfigMap v1 "$(owner_of b)")" >>"$T/in"
end v1 ConfigMap >>"$T/in"
decided 0 "the end of all namespaces"
is "$(jq -c '[.reconcile.delete[]? | "\(.namespace)/\(.name)"]' "$T/out")" \
	'["a/old"]
["b/new","b/old"]' "... decides the rest"

# Two programs are compared about what both know.
sed '$d' "$T/in" >"$T/part"
sed 's/seen:/found:/' "$T/program.jq" >"$T/other.jq"
sed 's/program.jq/other.jq/' "$T/watches.yaml" >"$T/other.yaml"
runs 1 "two programs" ireconcile -f "$T/watches.yaml" \
	--against "$T/other.yaml" --clock=input <"$T/part"
is "$(grep -c 'compared: 1, of which' "$T/err")" 1 \
	"... are compared for primaries of which all is known"
done_testing
