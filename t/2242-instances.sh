#!/bin/bash
# ireconcile: objects that another instance of the operator made are not ours,
# and a primary that it has is left alone.
. "${0%/*}/lib.sh"
. t/ireconcile.sh

entry() { # KEYS: of the entry
	watches "${1:-marks: false}" dependents: \
		'- {apiVersion: v1, kind: ConfigMap, manage: true, namespaces: []}'
}
cat >"$T/program.jq" <<'END'
def desired: [.primary.spec.names[]? | {apiVersion: "v1", kind: "ConfigMap",
	metadata: {name: .}}];
def status: {owned: [.owned.ConfigMap[].metadata.name]};
END
# thing_with NAMES [METADATA]; its status agrees with no member
thing_with() {
	thing a 1 "${2:-}" "\"spec\":{\"names\":$1},\"status\":{\"owned\":[]}"
}
# made NAME INSTANCE [TIME]: a ConfigMap of Thing a; an empty INSTANCE: none
made() {
	object ConfigMap "$1" 5 "$(owner a),\"creationTimestamp\":\"${3:-2026-01-01T00:00:00Z}\"${2:+,\"annotations\":{\"kpipe.dev/instance\":\"$2\"\}}"
}
# gives WHAT WANT OPTIONS DOCUMENT...: each line as the names of its items and of
# what it deletes, the instance, finalizers and status
gives() {
	# shellcheck disable=SC2086
	printf '%s\n' "${@:4}" |
		ireconcile -f "$T/watches.yaml" $3 >"$T/out" 2>"$T/err"
	is "$(jq -c '[([.items[].metadata.name] | join(" ")),
		(.reconcile | ([.delete // [] | .[].name] | join(" ")),
		.instance, .finalizers, .status.owned)]' "$T/out")" "$2" "$1"
}

# ---- what is written ----

entry
gives "a name is written into each item" '["c","","x/y",null,null]' \
	--instance=x/y "$(thing_with '["c"]')"
is "$(jq -c '.items[0].metadata.annotations | del(.["kpipe.dev/paths"])' "$T/out")" \
	'{"kpipe.dev/instance":"x/y"}' "... as an annotation"
paths=$(jq -r '.items[0].metadata.annotations["kpipe.dev/paths"]' "$T/out")
gives "without a name there is none" '["c","",null,null,null]' "" \
	"$(thing_with '["c"]')"
is "$(jq -r '.items[0].metadata.annotations["kpipe.dev/paths"]' "$T/out")" \
	"$paths" "... and the paths are the same"
entry 'instance: of-the-file'
gives "the file's name counts more than the option" \
	'["c","","of-the-file",null,null]' --instance=x/y "$(thing_with '["c"]')"
entry 'operator: {name: landscape, image: i}'
gives "so does operator.name" '["c","","landscape",null,null]' --instance=x/y \
	"$(thing_with '["c"]')"
entry 'operator: {name: "a b"}'
gives "... if it can be one" '["c","","x/y",null,null]' --instance=x/y \
	"$(thing_with '["c"]')"
entry 'instance: "a b"'
runs 100 "a bad name in the file" ireconcile -f "$T/watches.yaml" </dev/null
is "$(grep -c 'watches.yaml:5: instance must be 1 to 253 letters' "$T/err")" 1 \
	"... is named with its line"
entry
runs 100 "a bad name" ireconcile -f "$T/watches.yaml" --instance=a,b </dev/null
runs 100 "a bad former name" ireconcile -f "$T/watches.yaml" \
	--take-over-instance= </dev/null

# ---- members ----

gives "what names none is ours: it gets the name, or goes" \
	'["c","d","x",null,["c","d"]]' --instance=x \
	"$(made c "")" "$(made d "")" "$(thing_with '["c"]')"
is "$(jq -c .reconcile.known "$T/out")" '{"ConfigMap/ns/c":"uid-c"}' \
	"... it is the same object"
gives "what is ours agrees" '["","d","x",null,["c","d"]]' --instance=x \
	"$(made c x | sed "s/\"kpipe.dev\/instance/\"kpipe.dev\/paths\":\"$paths\",&/")" \
	"$(made d x)" "$(thing_with '["c"]')"
# Ours is older, so that the primary is not the other's.
older=2025-12-31T00:00:00Z
gives "what another made is not seen, nor deleted" '["a e","","x",null,["a"]]' \
	--instance=x "$(made a x $older)" "$(made b y)" "$(thing_with '["a","e"]')"
gives "... though its name is desired: kapply says so" \
	'["a b","","x",null,["a"]]' --instance=x \
	"$(made a x $older)" "$(made b y)" "$(thing_with '["a","b"]')"
is "$(jq -c .reconcile.known "$T/out")" \
	'{"ConfigMap/ns/a":"uid-a","ConfigMap/ns/b":null}' "... as another object"
gives "a copied annotation is not written" '["c","","x",null,null]' --instance=x \
	"$(thing a 1 '"annotations":{"kpipe.dev/instance":"y"}' '"spec":{"names":["c"]},"status":{"owned":[]}')"

# ---- a primary of another ----

held() { # WHAT INSTANCE OPTIONS DOCUMENT...
	gives "$1" "" "$3" "${@:4}"
	is "$(grep -c "left alone: instance \"$2\" of this operator has it" "$T/err")" \
		1 "... and it is logged, once"
}
held "the oldest member is the other's: nothing is done" y --instance=x \
	"$(made b y $older)" "$(made a x)" "$(thing_with '["c"]')"
is "$(grep -c -e 'this is "x"; .* --take-over-instance=y$' "$T/err")" 1 \
	"... the log has the remedy"
held "... also in the same second, by name" y --instance=x \
	"$(made b x)" "$(made a y)" "$(thing_with '["c"]')"
gives "... which the other sees as well" '["c","a","y",null,["a"]]' \
	--instance=y "$(made b x)" "$(made a y)" "$(thing_with '["c"]')"
held "... also if this one has no name" y "" \
	"$(made b y)" "$(thing_with '["c"]')"
held "... and though it is being deleted" y --instance=x "$(made b y)" \
	"$(thing_with '["c"]' "$dying")"
gives "a name that nobody can have is not repeated" "" --instance=x \
	"$(made b '\n\"')" "$(thing_with '["c"]')"
is "$(grep -c 'instance "?"' "$T/err")" 1 "... in the log"

given event ADDED "$(thing_with '["c"]')"
and event ADDED "$(made b y)"
and end_all
and event DELETED "$(made b y)"
gives "when its members are gone, this one takes over" \
	'["c","","x",null,null]' --instance=x "$(<"$T/in")"
gives "a former instance is this one" '["c","b","x",null,["b"]]' \
	"--instance=x --take-over-instance=y" \
	"$(made b y)" "$(thing_with '["c"]')"
is "$(jq -c .reconcile.takesOver "$T/out")" '["y"]' "... and kapply knows it"
gives "... what agrees otherwise is applied with the name" \
	'["c","","x",null,["c"]]' "--instance=x --take-over-instance=y" \
	"$(made c y | sed "s/\"kpipe.dev\/instance/\"kpipe.dev\/paths\":\"$paths\",&/")" \
	"$(thing_with '["c"]')"
gives "... of several" '["","b","x",null,["b"]]' \
	"--instance=x --take-over-instance=z --take-over-instance=y" \
	"$(made b y)" "$(thing_with '[]')"

# ---- recordings ----

gives "a replay takes members as they stand" '["c","b",null,null,["b"]]' \
	--clock=input "$(made b y)" "$(thing_with '["c"]')"
gives "... those that agree" '["","",null,null,["c"]]' --clock=input \
	"$(made c y | sed "s/\"kpipe.dev\/instance/\"kpipe.dev\/paths\":\"$paths\",&/")" \
	"$(thing_with '["c"]')"
held "... unless it is told who it is" y "--clock=input --instance=x" \
	"$(made b y)" "$(thing_with '["c"]')"

# ---- what else looks at primaries ----

for name in x y; do
	printf '%s\n' "$(made b y)" "$(thing_with '["c"]')" |
		ireconcile -f "$T/watches.yaml" --instance=$name \
			--against="$T/watches.yaml" >"$T/out" 2>"$T/err"
	echo "$name: $?, $(sed -n 's/.* \(primaries compared: [0-9]*\),.*/\1/p' "$T/err")"
done >"$T/got"
is "$(<"$T/got")" "x: 2, primaries compared: 0
y: 0, primaries compared: 1" "--against: what another has is not compared"
is "$(printf '%s\n' "$(made b y)" "$(thing_with '["c"]')" |
	ireconcile -f "$T/watches.yaml" --instance=x \
		--against="$T/watches.yaml" 2>&1 | grep 'no primary')" \
	"ireconcile: warning: no primary of thing.example.com was compared: nothing is decided about those of the input" \
	"... and it is not said that there is none"

# Below a primary that does not exist: only what is ours is an orphan.
entry
left() { # NAME INSTANCE
	where=far object ConfigMap "$1" 2 "$(marks "ConfigMap/far/$1" \
		Thing.example.com/ns/gone "\"kpipe.dev/instance\":\"$2\"")"
}
given initially "$(left p x)" "$(left q y)"
and tick 01:00
for name in x y; do
	ireconcile -f "$T/watches.yaml" --clock=input --instance=$name \
		<"$T/in" 2>&1 | sed -n 's/.*: \(.* is an orphan\):.*/\1/p'
done >"$T/got"
is "$(<"$T/got")" "ConfigMap/far/p is an orphan
ConfigMap/far/q is an orphan" "what another made is not reported as an orphan"

# ---- the claim on the primary ----

entry 'finalizer: example.com/x'
cat >>"$T/program.jq" <<'END'
def finalize: {items: [], delete: .owned.ConfigMap, done: (.owned.ConfigMap == [])};
END
has='"finalizers":["example.com/x"]'
our_claim=$(claim_of example.com/x)
their_claim=$(claim_of example.com/other)
# claim NAME [ANNOTATION]
claim() {
	printf '"annotations":{"%s":"%s"}' "${2:-$our_claim}" "$1"
}
add='{"add":["example.com/x"]}'
gives "it comes with the finalizer" "[\"c\",\"\",\"x\",$add,null]" --instance=x \
	"$(thing_with '["c"]')"
gives "a finalizer without one: it is claimed" "[\"\",\"\",\"x\",$add,null]" \
	--instance=x "$(thing_with '[]' "$has")"
gives "... not without a name" "" "" "$(thing_with '[]' "$has")"
gives "ours" "" --instance=x "$(thing_with '[]' "$has,$(claim x)")"
gives "... counts more than the oldest member" '["c","","x",null,null]' \
	--instance=x "$(made b y)" "$(thing_with '["c"]' "$has,$(claim x)")"
held "another's: nothing is done" y --instance=x \
	"$(thing_with '["c"]' "$has,$(claim y)")"
held "... even if members are ours" y --instance=x "$(made b x)" \
	"$(thing_with '["c"]' "$has,$(claim y)")"
held "... nor when it is being deleted" y --instance=x \
	"$(thing_with '["c"]' "$has,$(claim y),$dying")"
gives "without the finalizer it does not count" \
	"[\"c\",\"\",\"x\",$add,null]" --instance=x \
	"$(thing_with '["c"]' "$(claim y)")"
gives "a former one is replaced" "[\"c\",\"\",\"x\",$add,null]" \
	"--instance=x --take-over-instance=y" \
	"$(thing_with '["c"]' "$has,$(claim y)")"
gives "one for another finalizer is another operator's" \
	"[\"c\",\"\",\"x\",$add,null]" --instance=x \
	"$(thing_with '["c"]' "\"finalizers\":[\"example.com/other\"],$(claim y "$their_claim")")"
others='"finalizers":["example.com/other"]'
gives "... which has made the oldest member: it does not hold the primary" \
	"[\"c\",\"\",\"x\",$add,null]" --instance=x "$(made b y $older)" \
	"$(thing_with '["c"]' "$others,$(claim y "$their_claim")")"
held "... another instance of ours does, which made the next one" z \
	--instance=x "$(made b y $older)" "$(made d z)" \
	"$(thing_with '["c"]' "$others,$(claim y "$their_claim")")"
held "... and so does it without its finalizer" y --instance=x \
	"$(made b y $older)" \
	"$(thing_with '["c"]' "$(claim y "$their_claim")")"
held "the other's with another finalizer of ours beside it" y --instance=x \
	"$(thing_with '["c"]' "\"finalizers\":[\"example.com/x\",\"example.com/other\"],$(claim y)")"
gives "a torn primary of another is left to it" "" --instance=x \
	"$(event ADDED "$(made c x)")" "$(end_all)" \
	"$(event DELETED "$(thing_with '["c"]' "$has,$(claim y)")")"
says "" "... and not kept here"

# Before, the claim was of every finalizer.
old() { printf '"annotations":{"kpipe.dev/instance":"%s"}' "$1"; }
held "an older version's claim counts" y --instance=x \
	"$(thing_with '["c"]' "$has,$(old y)")"
gives "... not without our finalizer" "[\"c\",\"\",\"x\",$add,null]" \
	--instance=x "$(thing_with '["c"]' "$(old y)")"
gives "... ours is moved over" "[\"\",\"\",\"x\",$add,null]" --instance=x \
	"$(thing_with '[]' "$has,$(old x)")"
both() { printf '"annotations":{"%s":"%s","kpipe.dev/instance":"%s"}' "$our_claim" "$@"; }
gives "... removed beside a newer one" "[\"\",\"\",\"x\",$add,null]" \
	--instance=x "$(thing_with '[]' "$has,$(both x x)")"
gives "... another operator's is left alone" "" --instance=x \
	"$(thing_with '[]' "$has,$(both x y)")"
gives "... a former one's, too, is moved over" "[\"\",\"\",\"x\",$add,null]" \
	"--instance=x --take-over-instance=y" "$(thing_with '[]' "$has,$(both x y)")"
member='"annotations":{"kpipe.dev/instance":"y","kpipe.dev/paths":"p"}'
gives "what made the primary itself has not claimed it" \
	"[\"c\",\"\",\"x\",$add,null]" --instance=x \
	"$(thing_with '["c"]' "$has,$member")"

# ---- finalizers of earlier versions ----

entry 'retiredFinalizers: [example.com/x]'
gives "a retired finalizer goes with our claim" \
	'["c","","x",{"remove":["example.com/x"]},null]' --instance=x \
	"$(thing_with '["c"]' "$has,$(claim x)")"
held "one that another instance has set is its own" y --instance=x \
	"$(thing_with '["c"]' "$has,$(claim y)")"
held "... also when it is being deleted" y --instance=x \
	"$(thing_with '["c"]' "$has,$(claim y),$dying")"
held "... by an older version" y --instance=x \
	"$(thing_with '["c"]' "$has,$(old y)")"
gives "one that nobody has claimed goes" \
	'["c","","x",{"remove":["example.com/x"]},null]' --instance=x \
	"$(thing_with '["c"]' "$has")"
entry 'finalizer: example.com/new
  retiredFinalizers: [example.com/x]'
gives "a renamed finalizer is claimed, and the old one goes" \
	'["c","","x",{"add":["example.com/new"],"remove":["example.com/x"]},null]' \
	--instance=x "$(made d y $older)" \
	"$(thing_with '["c"]' "$has,$(claim x)")"
held "... not while another instance has claimed it for the old one" y \
	--instance=x "$(made d x $older)" \
	"$(thing_with '["c"]' "\"finalizers\":[\"example.com/x\",\"example.com/new\"],\"annotations\":{\"$our_claim\":\"y\",\"$(claim_of example.com/new)\":\"x\"}")"
entry 'finalizer: example.com/x'

# Those in work have slots from the start, another's have none: a does not wait
# for it.
cp "$T/program.jq" "$T/program"
echo 'def settled: false;' >>"$T/program.jq"
entry 'finalizer: example.com/x
  throttle: {limit: 2}'
slots() { # INSTANCE: the order of the primaries; b, which that has, and c are begun
	local spec='"spec":{"names":["new"]}'

	{
		thing a 1 "" "$spec"
		thing b 1 "$has,$(claim "$1")" "$spec"
		thing c 1 "$has,$(claim x)" "$spec"
	} | ireconcile -f "$T/watches.yaml" --clock=input --instance=x \
		2>"$T/err" | jq -rj .reconcile.primary.name
}
is "$(slots x) $(slots y)" "bc ac" \
	"a primary that another has takes no slot at the start"
cp "$T/program" "$T/program.jq"
entry 'finalizer: example.com/x'

# ---- proofs ----

# Members in another namespace, by marks: as ireconcile itself makes them.
cat >"$T/program.jq" <<'END'
def desired: [.primary.spec.names[]? | {apiVersion: "v1", kind: "ConfigMap",
	metadata: {name: ., namespace: "far"}}];
def status: {owned: [.owned.ConfigMap[].metadata.name]};
END
echo 0123456789abcdef0123456789abcdef >"$T/key"
ireconcile() {
	command ireconcile --marks-key-fd=9 "$@" 9<"$T/key"
}
origin='"kpipe.dev/origin":"uid-a"'
marked() { # INSTANCE: c, as that instance makes it
	thing_with '["c"]' | ireconcile -f "$T/watches.yaml" ${1:+--instance="$1"} |
		jq -c '.items[0] | .metadata += {uid: "uid-c", resourceVersion: "5",
			creationTimestamp: "2026-01-01T00:00:00Z"}'
}
calls_itself() { # INSTANCE
	jq -c --arg name "$1" '.metadata.annotations["kpipe.dev/instance"] = $name'
}
proof() { jq -r '.metadata.annotations["kpipe.dev/proof"] | .[:9]'; }
is "$(marked "" | proof) $(marked x | proof)" "v1 uid-a  v2 uid-a " \
	"the proof is of another version with a name"
mine="$has,\"annotations\":{\"$our_claim\":\"x\",$origin}"
free="$has,\"annotations\":{$origin}"
gives "what is proven as ours agrees" '["","","x",null,["c"]]' --instance=x \
	"$(marked x)" "$(thing_with '["c"]' "$mine")"
gives "one that names none, too: it gets the name" '["c","","x",null,["c"]]' \
	--instance=x "$(marked "")" "$(thing_with '["c"]' "$mine")"
is "$(jq -c .reconcile.known "$T/out")" '{"ConfigMap/far/c":"uid-c"}' \
	"... as the same object"
for name in x y; do
	gives "a name $name that was added proves nothing" \
		"[\"c\",\"\",\"x\",$add,null]" --instance=x \
		"$(marked "" | calls_itself $name)" "$(thing_with '["c"]' "$free")"
done
gives "nor does our name on another's" '["c","","x",null,null]' --instance=x \
	"$(marked y | calls_itself x)" "$(thing_with '["c"]' "$mine")"
gives "nor its removal" '["c","","x",null,null]' --instance=x \
	"$(marked x | jq -c 'del(.metadata.annotations["kpipe.dev/instance"])')" \
	"$(thing_with '["c"]' "$mine")"
gives "another name on ours does not hold the primary" \
	"[\"c\",\"\",\"x\",$add,null]" --instance=x \
	"$(marked x | calls_itself y)" "$(thing_with '["c"]' "$free")"
held "what another has proven holds it" y --instance=x \
	"$(marked y)" "$(thing_with '["c"]' "$free")"

done_testing
