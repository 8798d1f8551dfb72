#!/bin/bash
# ireconcile with a key, below a cluster-scoped primary: an owner reference
# counts only with the proof that the operator made the object.
. "${0%/*}/lib.sh"
. t/ireconcile.sh

cat >"$T/watches.yaml" <<'END'
- group: example.com
  version: v1
  kind: Wide
  scope: Cluster
  program: program.jq
  finalizer: example.com/cleaner
  dependents:
  - {apiVersion: v1, kind: ConfigMap, manage: true}
  - {apiVersion: v1, kind: Pod}
END
cat >"$T/program.jq" <<'END'
include "operator";
def desired: [.primary.spec.names[]? | config_map(.; {}; {a: "new", b: "b"})
	| in_namespace("n") | immutable(.data.a)];
def finalize: {items: [], delete: .owned.ConfigMap, done: (.owned.ConfigMap == [])};
def status: {owned: [.owned[][].metadata.name]};
END
key=0123456789abcdef0123456789abcdef
old=fedcba9876543210fedcba9876543210
lost="lost lost lost lost lost lost lost"
printf '%s\n%s\n' "$key" "$old" >"$T/keys"
with_key() {
	ireconcile --marks-key-fd=9 "$@" 9<"$T/keys"
}
w=Wide.example.com//w
ours() { # NAME: the proof of that ConfigMap
	proof "$key" $w u1 "ConfigMap/n/$1" "${@:2}"
}
# wide NAMES [METADATA]
wide() {
	jq -cn --argjson names "$1" --argjson more "${2:-{\}}" '{apiVersion:
		"example.com/v1", kind: "Wide", metadata: ({name: "w", uid: "u1",
		resourceVersion: "1"} + $more), spec: {$names}}'
}
# made NAME PROOF [METADATA] [KIND]: owned by w; an empty PROOF: none
made() {
	jq -cn --arg name "$1" --arg proof "$2" --argjson more "${3:-{\}}" \
		--arg kind "${4:-ConfigMap}" '{apiVersion: "v1", $kind,
		metadata: ({$name, namespace: "n", uid: "uid-\($name)",
			resourceVersion: "5", ownerReferences: [{apiVersion:
			"example.com/v1", kind: "Wide", name: "w", uid: "u1",
			controller: true}], annotations: (if $proof == "" then {}
			else {"kpipe.dev/proof": $proof} end)} * $more),
		data: {a: "old"}}'
}
# gives WHAT WANT OPTIONS DOCUMENT...: of the line what is known of each item,
# what goes, the finalizers that are removed, and the status
gives() {
	# shellcheck disable=SC2086
	printf '%s\n' "${@:4}" | with_key -f "$T/watches.yaml" $3 \
		>"$T/out" 2>"$T/err"
	is "$(jq -c '.reconcile | [.known // {}, [.delete // [] | .[].name],
		.finalizers.remove, (.status.owned // [] | join(" "))]' "$T/out")" \
		"$2" "$1"
}

# ---- what is written ----

gives "an item gets a proof" '[{"ConfigMap/n/c":null},[],null,""]' "" \
	"$(wide '["c"]')"
annotations='.items[0].metadata.annotations'
is "$(jq -c "$annotations | del(.[\"kpipe.dev/paths\"])" "$T/out")" \
	"{\"kpipe.dev/proof\":\"$(ours c)\"}" "... beside the owner reference"
is "$(jq -c '.items[0].metadata | [.labels, .ownerReferences[0].uid]' "$T/out")" \
	'[null,"u1"]' "... and no mark"
paths=$(jq -r "${annotations}[\"kpipe.dev/paths\"]" "$T/out")
gives "a primary that was restored" '[{"ConfigMap/n/c":null},[],null,""]' "" \
	"$(wide '["c"]' '{"annotations":{"kpipe.dev/origin":"u0"}}')"
is "$(jq -r "${annotations}[\"kpipe.dev/proof\"]" "$T/out")" "$(ours c)" \
	"... is proven by its uid, as it owns by that"
gives "an instance" '[{"ConfigMap/n/c":null},[],null,""]' --instance=x \
	"$(wide '["c"]')"
is "$(jq -r "${annotations}[\"kpipe.dev/proof\"]" "$T/out")" "$(ours c x)" \
	"... is in the proof"
wide '["c"]' | ireconcile -f "$T/watches.yaml" >"$T/out"
is "$(jq -c "$annotations" "$T/out")" "{\"kpipe.dev/paths\":\"$paths\"}" \
	"without a key there is none, and the paths are the same"

# ---- what counts ----

gives "members with a proof" '[{},["d"],null,"d"]' "" "$(wide '[]')" \
	"$(made d "$(ours d)")"
gives "... by the key before" '[{},["d"],null,"d"]' "" "$(wide '[]')" \
	"$(made d "$(proof "$old" $w u1 ConfigMap/n/d)")"
gives "... of an instance" '[{},["d"],null,"d"]' --instance=x "$(wide '[]')" \
	"$(made d "$(ours d x)" '{"annotations":{"kpipe.dev/instance":"x"}}')"
# foreign WHAT PROOF [METADATA]
foreign() {
	gives "no member: $1" '[{},[],null,""]' "" "$(wide '[]')" \
		"$(made d "${@:2}")"
}
foreign "no proof" ""
left="ireconcile: warning: wide.example.com w: ConfigMap/n/d: left alone: not desired, and without the proof that this operator made it; if an older version did, or the key was lost, start once with --accept-unproven-marks"
says "$left" "... which is told"
is "$(jq -c '.reconcile.events' "$T/out")" \
	"[{\"message\":\"${left##*wide.example.com w: }\",\"reason\":\"Unproven\",\"type\":\"Warning\"}]" \
	"... in an Event, too"
foreign "a proof by another key" "$(proof "$lost" $w u1 ConfigMap/n/d)"
foreign "that of a sibling" "$(ours c)"
foreign "that of another primary" \
	"$(proof "$key" Wide.example.com//v u1 ConfigMap/n/d)"
foreign "that of an earlier primary" "$(proof "$key" $w u0 ConfigMap/n/d)"
foreign "that of something retained" "$(proof "$key" $w '*' ConfigMap/n/d)"
gives "no member, nor told: one of another instance" "" "" "$(wide '[]')" \
	"$(made d "$(ours d)" '{"annotations":{"kpipe.dev/instance":"x"}}')"
says "" "... not in the log either"
gives "several" '[{"ConfigMap/n/f":"uid-f"},[],null,"f"]' "" \
	"$(wide '["f"]')" "$(made e "")" "$(made d "")" "$(made f "$(ours f)")"
says "${left/: left/ and 1 more: left}" "... are counted"
gives "what is only observed is shown by its owner" '[{},[],null,"p"]' "" \
	"$(wide '[]')" "$(made p "" '{}' Pod)"
gives "--accept-unproven-marks: all count" '[{},["d"],null,"d"]' \
	--accept-unproven-marks "$(wide '[]')" "$(made d "")"
says "ireconcile: warning: 1 objects have marks without a proof; what is desired gets it as it is applied again, what is not is deleted" \
	"... and are counted"
printf '%s\n' "$(wide '[]')" "$(made d "")" |
	ireconcile -f "$T/watches.yaml" >"$T/out" 2>"$T/err"
is "$(jq -c '[.reconcile.delete[].name]' "$T/out")" '["d"]' \
	"without a key all count, too"

# ---- what has the name of an item ----

gives "a claimant with the name of an item" \
	'[{"ConfigMap/n/c":null},[],null,""]' "" "$(wide '["c"]')" "$(made c "")"
is "$(jq -c '.items[0].data' "$T/out")" '{"a":"old","b":"b"}' \
	"... is asked for with what is immutable of it"
says "" "... and is kapply's to judge"
gives "... another instance's" '[{"ConfigMap/n/c":null},[],null,""]' "" \
	"$(wide '["c"]')" \
	"$(made c "" '{"annotations":{"kpipe.dev/instance":"x"}}')"
is "$(jq -c '.items[0].data' "$T/out")" '{"a":"new","b":"b"}' \
	"... gives nothing"

# ---- who holds the primary ----

named='"annotations":{"kpipe.dev/instance":"x"}'
sed -i '/finalizer/d' "$T/watches.yaml"
gives "the oldest member of another instance" "" "" "$(wide '["c"]')" \
	"$(made d "$(ours d x)" "{$named,\"creationTimestamp\":\"2026-01-01T00:00:00Z\"}")"
is "$(grep -c 'left alone: instance "x"' "$T/err")" 1 "... holds it"
gives "one without a proof" '[{"ConfigMap/n/c":null},[],null,""]' "" \
	"$(wide '["c"]')" \
	"$(made d "" "{$named,\"creationTimestamp\":\"2026-01-01T00:00:00Z\"}")"
is "$(grep -c 'left alone' "$T/err")" 0 "... holds nothing"

# ---- the end ----

sed -i 's/^  program.*/&\n  finalizer: example.com\/cleaner/' "$T/watches.yaml"
dying='{"finalizers":["example.com/cleaner"],"deletionTimestamp":"2026-01-01T00:00:00Z"}'
gives "the deletion waits for a member" '[{},["d"],null,"d"]' "" \
	"$(wide '[]' "$dying")" "$(made d "$(ours d)")"
gives "... not for a claimant" \
	'[{},[],["example.com/cleaner"],""]' "" "$(wide '[]' "$dying")" \
	"$(made d "" '{"finalizers":["tenant.example/hold"]}')"
done_testing
