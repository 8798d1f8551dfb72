#!/bin/bash
# ireconcile: retiredFinalizers are removed from every primary.
. "${0%/*}/lib.sh"
. t/ireconcile.sh

entry() { # [FINALIZER]
	watches "${1:+finalizer: $1}" \
		'retiredFinalizers: [example.com/old, example.com/older]' \
		'dependents: [{apiVersion: v1, kind: ConfigMap, manage: true}]'
}
cat >"$T/program.jq" <<'END'
def desired: if .primary.spec.fail then error("no") else
	[range(.primary.spec.n // 0) | {apiVersion: "v1", kind: "ConfigMap",
		metadata: {name: "c\(.)"}}] end;
def finalize: {items: [], delete: .owned.ConfigMap, done: (.owned.ConfigMap == [])};
END
# gives WHAT WANT DOCUMENT...: each line as its numbers of items and deletes, and
# its finalizers
gives() {
	printf '%s\n' "${@:3}" |
		ireconcile -f "$T/watches.yaml" >"$T/out" 2>"$T/err"
	is "$(jq -c '[(.items | length), (.reconcile | .delete // [] | length),
		.reconcile.finalizers]' "$T/out")" "$2" "$1"
}
a() { # FINALIZERS [SPEC] [METADATA]
	thing a 1 "\"finalizers\":[$1]${3:+,$3}" "\"spec\":${2:-{\}}"
}
old='"example.com/old"'
member=$(object ConfigMap c0 1 "$(owner a)")

entry
gives "a primary that has one" "[0,0,{\"remove\":[$old]}]" "$(a "$old")"
gives "... among others" "[0,0,{\"remove\":[$old,\"example.com/older\"]}]" \
	"$(a "\"example.org/x\",\"example.com/older\",$old")"
gives "... and none" "" "$(a '"example.org/x"')"
gives "one that fails" "" "$(a "$old" '{"fail":true}')"
gives "one that is being deleted: first its members" '[0,1,null]' \
	"$member" "$(a "$old" '{}' "$dying")"
gives "... then that" "[0,0,{\"remove\":[$old]}]" "$(a "$old" '{}' "$dying")"
gives "... held by another one" "" "$(a '"example.org/x"' '{}' "$dying")"

entry example.com/new
gives "the new one comes as the old one goes" \
	"[1,0,{\"add\":[\"example.com/new\"],\"remove\":[$old]}]" \
	"$(a "$old" '{"n":1}')"
gives "both, at the end" \
	"[0,0,{\"remove\":[\"example.com/new\",$old]}]" \
	"$(a "$old,\"example.com/new\"" '{}' "$dying")"

done_testing
