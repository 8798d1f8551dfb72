#!/bin/bash
# ireconcile: retain(OBJECT), a member without an owner that is never deleted,
# and that the next primary of that name has again.
. "${0%/*}/lib.sh"
. t/ireconcile.sh

watches dependents: \
	'- {apiVersion: v1, kind: ConfigMap, manage: true, namespaces: [], retain: true}' \
	'- {apiVersion: v1, kind: Secret, manage: true}'
cat >"$T/program.jq" <<'END'
include "operator";
def cm: config_map("c"; {}; {k: "v"});
def desired: [.primary.spec // {} | if .no then empty
	elif .usual then cm else retain(cm) end];
def status: {has: [.owned.ConfigMap[].metadata.name]};
END
key=0123456789abcdef0123456789abcdef
other=fedcba9876543210fedcba9876543210
printf '%s\n' "$key" >"$T/keys"
ireconcile() {
	command ireconcile --marks-key-fd=9 "$@" 9<"$T/keys"
}
# Nor is the status of a failure compared here.
hide_paths() {
	sed 's/"kpipe.dev\/paths":"[^"]*"/"kpipe.dev\/paths":"PATHS"/g
		s/"onError":{[^}]*},//' "$@"
}
proof_of() { # KEY ORIGIN
	proof "$1" Thing.example.com/ns/a "$2" ConfigMap/ns/c
}
good=$(proof_of "$key" '*')
# retained PROOF: the marks; an empty one: none
retained() {
	marks ConfigMap/ns/c "" "\"kpipe.dev/paths\":\"PATHS\"${1:+,\"kpipe.dev/proof\":\"$1\"},\"kpipe.dev/retain\":\"true\""
}
item() { # PROOF
	printf '{"apiVersion":"v1","data":{"k":"v"},"kind":"ConfigMap","metadata":{%s,"name":"c","namespace":"ns"}}' \
		"$(retained "$1")"
}
# member PROOF [MORE]: the ConfigMap as it is observed
member() {
	object ConfigMap c 7 "$(retained "$1" | sed "s/PATHS/$paths/")${2:+,$2}" \
		'"data":{"k":"v"}'
}
has() { # NAMES
	printf '"status":{"has":%s}' "$1"
}
# seen SPEC STATUS MEMBER: the Thing a of another uid, and what is observed
seen() {
	{
		event ADDED "$(thing a 9 "" "\"spec\":$1,$(has "$2")" |
			sed s/uid-a/uid-new/)"
		[ -z "$3" ] || event ADDED "$3"
	} >"$T/in"
}
new_line() { # ITEMS [REST]
	line "$@" | sed 's/"name":"a","uid":"uid-a"/"name":"a","uid":"uid-new"/'
}

# ---- what is written ----

thing a 1 "" "$(has '[]')" >"$T/in"
known='"known":{"ConfigMap/ns/c":null}'
line "$(item "$good")" a 1 "$known" >"$T/want"
replay 0 "it has marks with a proof, no owner, and needs no finalizer"
paths=$(sed 's/.*"kpipe.dev\/paths":"\([^"]*\)".*/\1/' "$T/out")
command ireconcile -f "$T/watches.yaml" <"$T/in" | hide_paths >"$T/got"
sed "s@\"kpipe.dev/proof\":\"[^\"]*\",@@" "$T/want" >"$T/plain"
same "$T/got" "$T/plain" "without a key it has marks alone"

# ---- the next primary of that name ----

: >"$T/want"
seen '{}' '["c"]' "$(member "$good")"
replay 0 "another primary of that name has it again: nothing is to be done"
seen '{"no":true}' '["c"]' "$(member "$good")"
replay 0 "what is no longer desired is not deleted, and owned"
event MODIFIED "$(thing a 9 "$dying,\"finalizers\":[\"a/b\"]" |
	sed s/uid-a/uid-new/)" >>"$T/in"
replay 0 "... nor when the primary goes"

# refused WHAT PROOF: it is not ours
refused() {
	seen '{}' '[]' "$(member "$2")"
	new_line "$(item "$good")" a 9 "$known" >"$T/want"
	replay 0 "$1 is not a member"
}
refused "without a proof it" ""
refused "with the proof of another key it" "$(proof_of "$other" '*')"
refused "with the proof of a member that goes it" "$(proof_of "$key" uid-a)"
seen '{}' '[]' "$(member "$good" | sed 's@ConfigMap/ns/c@ConfigMap/ns/d@')"
replay 0 "with the marks of another object it is not a member"

# Only the proof says that a member is retained.
seen '{"no":true}' '["c"]' "$(member "$(proof_of "$key" uid-new)")"
new_line "" a 9 '"delete":[{"apiVersion":"v1","kind":"ConfigMap","namespace":"ns","name":"c","uid":"uid-c"}]' \
	>"$T/want"
replay 0 "the annotation alone keeps no member of a primary"
seen '{"no":true}' '["c"]' \
	"$(member "$good" | sed 's/,"kpipe.dev\/retain":"true"//')"
silent 0 "... and without it a retained one stays"

# ---- from one to the other ----

seen '{}' '["c"]' "$(object ConfigMap c 7 \
	"\"annotations\":{\"kpipe.dev/paths\":\"x\"},$(owner a)" '"data":{"k":"v"}' |
	sed s/uid-a/uid-new/)"
known='"known":{"ConfigMap/ns/c":"uid-c"}'
new_line "$(item "$good")" a 9 "$known,\"because\":{\"items\":{\"ConfigMap/ns/c\":{\"differs\":[{\"path\":\".metadata.labels\"}],\"version\":\"7\"}}}" \
	>"$T/want"
replay 0 "a member that is retained from now on loses its owner"
seen '{"usual":true}' '["c"]' "$(member "$good")"
ireconcile -f "$T/watches.yaml" <"$T/in" >"$T/out"
is "$(jq -c '[.items[].metadata | .ownerReferences[].uid, .labels,
	.annotations["kpipe.dev/retain"]], .reconcile.known' "$T/out")" \
	'["uid-new",null,null]
{"ConfigMap/ns/c":"uid-c"}' "one that is not any more gets one"

# ---- the annotation, copied from an object of a user ----

cp "$T/program.jq" "$T/kept.jq"
sed -i 's/^def cm: .*/def cm: config_map("c"; {}; {k: "v"}) | .metadata.annotations = {"kpipe.dev\/retain": "true", mine: "yes"};/' \
	"$T/program.jq"
thing a 1 "" '"spec":{"usual":true}' >"$T/in"
is "$(ireconcile -f "$T/watches.yaml" <"$T/in" | jq -c '.items[].metadata
	| .annotations | del(.["kpipe.dev/paths"])')" '{"mine":"yes"}' \
	"an item is retained by retain alone"
mv "$T/kept.jq" "$T/program.jq"

# ---- an owner that another client has written ----

thing a 9 "" "$(has '["c"]')" >"$T/in"
member "$good" "$(owner a)" >>"$T/in"
ireconcile -f "$T/watches.yaml" <"$T/in" 2>"$T/err"
is "$(sed 's/.*: Conf/Conf/' "$T/err")" \
	"ConfigMap/ns/c is retained, but another client has written a into its ownerReferences: remove that, or the garbage collector deletes it with its owner" \
	"an owner that an apply does not remove is an error"
sed s/uid-a/uid-old/g <"$T/in" | sed '1s/uid-old/uid-a/' >"$T/old"
ireconcile -f "$T/watches.yaml" <"$T/old" 2>"$T/err"
is "$(grep -c retained "$T/err")" 0 "... but not of another primary"

# ---- when the primary is being deleted ----

sed -i 's/^  program/  finalizer: a\/b\n&/' "$T/watches.yaml"
going="$dying,\"finalizers\":[\"a/b\"]"
there "$(thing a 9 "$going" "$(has '["c"]')")" "$(member "$good")" >"$T/in"
line "" a 9 '"finalizers":{"remove":["a/b"]},"deleting":true' >"$T/want"
replay 0 "a finalizer of the primary goes, it stays"
cat >>"$T/program.jq" <<'END'
def finalize: {delete: .owned.ConfigMap, done: (.outstanding == [])};
END
replay 0 "... also if finalize would delete it"
sed -i '/^def finalize/d' "$T/program.jq"
event DELETED "$(thing a 9 "$going")" >>"$T/in"
tick 59:00 >>"$T/in"
silent 0 "without a primary"
says "" "... it is not reported as an orphan"

# ---- what is refused ----

# error ITEM: the status of the Thing
error() {
	sed -i "s/^def desired.*/def desired: [$1];/" "$T/program.jq"
	sed -i '/elif/d; s/^def status.*/def status: {error};/' "$T/program.jq"
	thing a 1 | ireconcile -f "$T/watches.yaml" 2>"$T/err" |
		jq -r .reconcile.status.error
}
is "$(error 'retain(cm | .metadata.ownerReferences = [])')" \
	"ConfigMap/ns/c is retained and has ownerReferences: the garbage collector would delete it with its owner" \
	"an owner in the item is an error"
is "$(error 'keep(retain(cm))')" \
	"program.jq:3: desired: item 0 (ConfigMap c) is keep and something else, too" "... and keep"
is "$(error 'retain(cm | .kind = "Secret")')" \
	"Secret/ns/c cannot be retained: write \"retain: true\" into the dependent at $T/watches.yaml:8" \
	"... and a kind that watches.yaml does not allow"
is "$(error 'once(retain(cm)), retain(exactly(cm | .metadata.name = "d"))')" \
	null "once and exactly may be combined with it"
done_testing
