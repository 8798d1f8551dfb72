#!/bin/bash
# ireconcile: `when` of an entry says which primaries are its business; one that
# no longer is, is cleaned up.
. "${0%/*}/lib.sh"
. t/ireconcile.sh

entry() { # WHEN
	watches 'finalizer: example.com/x' "when: $1" dependents: \
		'- {apiVersion: v1, kind: ConfigMap, manage: true, namespaces: []}'
}
entry '.metadata.labels.team == "a"'
desires='def desired: [{apiVersion: "v1", kind: "ConfigMap",
	metadata: {name: "c", namespace: "far"}}];
	def status: {n: 1};
	def events: [{type: "Normal", reason: "R", message: "m"}];'
echo "$desires" >"$T/program.jq"
member=$(where=far object ConfigMap c 1 "$(marks ConfigMap/far/c)")
has='"finalizers":["example.com/x"]'
a() { # TEAM [METADATA] [RV]
	thing a "${3:-1}" "\"labels\":{\"team\":\"$1\"}${2:+,$2}"
}
# gives WHAT WANT DOCUMENT...: each line as its numbers of items, deletes and
# events, its finalizers and its status
gives() {
	printf '%s\n' "${@:3}" |
		ireconcile -f "$T/watches.yaml" --clock=input >"$T/out" 2>"$T/err"
	is "$(jq -c '[(.items | length), (.reconcile | (.delete, .events
		| . // [] | length), .finalizers, .status)]' "$T/out")" "$2" "$1"
}
add='{"add":["example.com/x"]}' remove='{"remove":["example.com/x"]}'

gives "true" "[1,0,1,$add,{\"n\":1}]" "$(a a)"
gives "false" "" "$(a b)"
gives "false, with a finalizer of another operator" "" \
	"$(a b '"finalizers":["example.org/y"]')"
gives "false, with a member and our finalizer" '[0,1,0,null,null]' \
	"$member" "$(a b "$has")"
gives "... with our finalizer alone" "[0,0,0,$remove,null]" "$(a b "$has")"
gives "... with a member alone" '[0,1,0,null,null]' "$member" "$(a b)"
gives "false, and deleted" "[0,0,1,$remove,{\"n\":1}]" \
	"$(a b "$has,$dying")"

# It turns false, and true again.
mapfile -t life < <(
	initially
	event ADDED "$(a a "" 1)"
	event MODIFIED "$(a a "$has" 2)"
	event ADDED "$member"
	event MODIFIED "$(a b "$has" 3)"
	event DELETED "$member"
	event MODIFIED "$(a b "" 4)"
	event MODIFIED "$(a a "" 5)"
)
gives "true, false and true again" "[1,0,1,$add,{\"n\":1}]
[0,1,0,null,null]
[0,0,0,$remove,null]
[1,0,1,$add,{\"n\":1}]" "${life[@]}"

# finalize is asked, and sees that the primary is not being deleted.
echo "$desires def finalize: {items: [], delete: .owned.ConfigMap,
	done: (.owned.ConfigMap == [] and (.primary.metadata | has(\"deletionTimestamp\") | not))};" \
	>"$T/program.jq"
gives "finalize says what is deleted" '[0,1,0,null,null]' "$member" "$(a b "$has")"
gives "... and when it is over" "[0,0,0,$remove,null]" "$(a b "$has")"
gives "... but is not called for what never was ours" "" "$(a b)"
echo "$desires" >"$T/program.jq"

# ---- errors ----

entry '.metadata.labels.team'
gives "neither true nor false" "" "$(a a)"
says "ireconcile: error: thing.example.com ns/a: watches.yaml:6: when gives neither true nor false" \
	"... is said"
entry '.metadata.name.x == 1'
gives "an error" "" "$member" "$(a a "$has")"
says 'ireconcile: error: thing.example.com ns/a: watches.yaml:6:1: when: Cannot index string with string "x" at .metadata.name' \
	"... is said, and nothing is deleted"
for bad in 'now > 1|now is not pure: use .now' '. as $x|syntax'; do
	entry "${bad%|*}"
	runs 100 "refused: ${bad%|*}" ireconcile -f "$T/watches.yaml" </dev/null
	ok "... with file and line" grep -qF "watches.yaml:6:1: " "$T/err"
done

done_testing
