#!/bin/bash
# ireconcile: the finalizer of a primary is set with the first object that needs
# cleaning up, and on no primary without one.
. "${0%/*}/lib.sh"
. t/ireconcile.sh

watches 'finalizer: example.com/x' dependents: \
	'- {apiVersion: v1, kind: ConfigMap, manage: true, namespaces: []}'
desires='def desired: [.primary.spec.items[]? | . as $i
	| {apiVersion: "v1", kind: "ConfigMap", metadata: {name: "c"}} | .metadata += $i.meta
	| if $i.if_exists then {"kpipe.dev/if-exists": .}
	elif $i.keep then {"kpipe.dev/keep": .} else . end];'
# gives WHAT WANT DOCUMENT...: each line as the numbers of its items and deletes,
# and its finalizers
gives() {
	printf '%s\n' "${@:3}" |
		ireconcile -f "$T/watches.yaml" >"$T/out" 2>"$T/err"
	is "$(<"$T/err")" "" "$1: no complaint"
	is "$(jq -c '[(.items | length), (.reconcile | .delete // [] | length),
		.reconcile.finalizers]' "$T/out")" "$2" "$1"
}
a() { # ITEMS [METADATA]: the Thing
	thing a 1 "${2:-}" "\"spec\":{\"items\":[$1]}"
}
add='{"add":["example.com/x"]}'
has='"finalizers":["example.com/x"]'
marked=$(where=far object ConfigMap c 1 "$(marks ConfigMap/far/c)")
owned=$(object ConfigMap c 1 "$(owner a)")

echo "$desires" >"$T/program.jq"
gives "nothing is desired" "" "$(a '')"
gives "an item with a controller reference" '[1,0,null]' "$(a '{"meta":{}}')"
gives "one in another namespace" "[1,0,$add]" \
	"$(a '{"meta":{"namespace":"far"}}')"
gives "one with a finalizer of its own" "[1,0,$add]" \
	"$(a '{"meta":{"finalizers":["example.com/own"]}}')"
gives "one that is never created" "" \
	"$(a '{"meta":{"namespace":"far"},"if_exists":true}')"
gives "... nor by keep" "" "$(a '{"meta":{"namespace":"far"},"keep":true}')"
gives "... that is there" "[0,0,$add]" "$marked" \
	"$(a '{"meta":{"namespace":"far"},"keep":true}')"
gives "a marked member that is left" "[0,1,$add]" "$marked" "$(a '')"
gives "an owned member that is left" '[0,1,null]' "$owned" "$(a '')"
gives "what is there stays" "" "$(a '' "$has")"

echo "$desires def finalize: {done: (.owned.ConfigMap == [])};" \
	>"$T/program.jq"
gives "with finalize: nothing is desired" "" "$(a '')"
gives "... any item" "[1,0,$add]" "$(a '{"meta":{}}')"
gives "... any member" "[0,1,$add]" "$owned" "$(a '')"

# It goes, and something is left: that was seen.
echo "$desires def finalize: {done: true};" >"$T/program.jq"
gives "a member that finalize leaves is named" \
	'[0,0,{"remove":["example.com/x"],"seen":["uid-c"]}]' \
	"$owned" "$(object ConfigMap d 1)" "$(a '' "$has,$dying")"
gives "... there may be none" '[0,0,{"remove":["example.com/x"]}]' \
	"$(a '' "$has,$dying")"

# Set with the first item, and not again.
gives "it is there already" '[1,0,null]' "$(a '{"meta":{}}' "$has")"

# What fails sets none; nor does a deleted primary without it.
echo 'def desired: error("no");' >"$T/program.jq"
a '' | ireconcile -f "$T/watches.yaml" >"$T/out" 2>"$T/err"
is "$(<"$T/out")" "" "a program that fails"
echo "$desires" >"$T/program.jq"
gives "a primary that is being deleted" "" \
	"$(a '{"meta":{"namespace":"far"}}' "$dying")"

done_testing
