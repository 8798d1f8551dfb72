#!/bin/bash
# kapply: what another instance of the operator made is not changed, deleted or
# adopted, and a primary that it has claimed is not claimed again; against a
# scripted server.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=kapply.sh
. "${0%/*}/kapply.sh"

owner='[{"apiVersion":"example.com/v1","kind":"Thing","name":"t","uid":"u1","controller":true}]'
# made INSTANCE: an answer with ConfigMap a of Thing t; empty: it names none
made() {
	jq -cn --arg name "$1" --argjson owner "$owner" '{code: 200, body: {
		apiVersion: "v1", kind: "ConfigMap", metadata: {name: "a",
		namespace: "default", uid: "u2", resourceVersion: "7",
		labels: {app: "t"}, ownerReferences: $owner,
		annotations: (if $name == "" then {}
			else {"kpipe.dev/instance": $name} end)}}}'
}
delete='"delete":[{"apiVersion":"v1","kind":"ConfigMap","namespace":"default","name":"a","uid":"u2"}]'
create='"known":{"ConfigMap/default/a":null}'
# of WHAT MADE-BY MEMBERS CODE REQUESTS: deleted, and created although it exists
of() {
	serve "{\"GET $CMS/a\":[$(made "$2")],\"DELETE $CMS/a\":[{\"code\":200,\"body\":{}}]}"
	set_line '' "$delete${3:+,$3}" >"$T/in"
	runs "$4" "$1: a deletion" apply
	is "$(sent)" "$5" "... its requests"
}
of "our own" x '"instance":"x"' 0 "GET a,DELETE a"
of "one that names none" "" '"instance":"x"' 0 "GET a,DELETE a"
of "one of a former instance" y '"instance":"x","takesOver":["z","y"]' 0 "GET a,DELETE a"
of "one of another instance" y '"instance":"x","takesOver":["z"]' 1 "GET a"
is "$(<"$T/err")" \
	'kapply: error: thing.example.com default/t: cannot delete ConfigMap default/a: it exists and is not part of Thing.example.com default/t; instance "y" of this operator made it: if that is gone for good, or has another name now, start with --take-over-instance=y' \
	"... the error has the remedy"
of "one with a name, by a line without" y "" 1 "GET a"
of "a name that cannot be one" 'a b' '"instance":"x"' 1 "GET a"
is "$(grep -c 'instance "?" of this operator' "$T/err")" 1 "... is not repeated"

serve "{\"PATCH $CMS/a\":[$(failure 409 Conflict there)],\"GET $CMS/a\":[$(made y)]}"
set_line "$(cm a 1)" "$create,\"instance\":\"x\",\"adopt\":\"app\"" >"$T/in"
runs 1 "an item whose name another instance has" apply
is "$(sent)" "PATCH a,GET a" "... is not written, nor adopted"
is "$(grep -c 'instance "y" of this operator made it' "$T/err")" 1 "... it says why"

# ---- the claim ----

# claims WHAT METADATA CODE REQUESTS [PATCH]: adding a finalizer to that Thing
claims() {
	serve "{\"GET $THINGS/t\":[{\"code\":200,\"body\":{\"apiVersion\":\"example.com/v1\",\"kind\":\"Thing\",\"metadata\":{\"name\":\"t\",\"namespace\":\"default\",\"uid\":\"u1\",\"resourceVersion\":\"9\"$2}}}],\"PATCH $THINGS/t\":[{\"code\":200,\"body\":{\"metadata\":{\"uid\":\"u1\",\"resourceVersion\":\"10\"}}}],\"PATCH $CMS/a\":[$(made x)]}"
	set_line "$(cm a 1)" "$create,\"instance\":\"x\",\"takesOver\":[\"z\"],\"finalizers\":{\"add\":[\"e.com/f\"]}" >"$T/in"
	runs "$3" "$1" apply
	is "$(sent)" "$4" "... its requests"
}

written="GET t,PATCH t,PATCH a"
mark=$(claim_of e.com/f)
path=/metadata/annotations/${mark/\//\~1}
version='{"op":"test","path":"/metadata/uid","value":"u1"},{"op":"test","path":"/metadata/resourceVersion","value":"9"}'
claims "a fresh primary is claimed" "" 0 "$written"
is "$(bodies t)" \
	"[$version,{\"op\":\"add\",\"path\":\"/metadata/finalizers\",\"value\":[\"e.com/f\"]},{\"op\":\"add\",\"path\":\"/metadata/annotations\",\"value\":{}},{\"op\":\"add\",\"path\":\"$path\",\"value\":\"x\"}]" \
	"... by the patch of the finalizer"
has='"finalizers":["e.com/f"]'
claims "one with the finalizer and without a claim" \
	",$has,\"annotations\":{\"a\":\"b\"}" 0 "$written"
is "$(bodies t)" \
	"[$version,{\"op\":\"add\",\"path\":\"$path\",\"value\":\"x\"}]" \
	"... is only marked"
claim() { printf '"annotations":{"%s":"%s"}' "$mark" "$1"; }
old() { printf '"annotations":{"kpipe.dev/instance":"%s"}' "$1"; }
claims "our own claim stays" ",$has,$(claim x)" 0 "GET t,PATCH a"
claims "a former one is replaced" ",$has,$(claim z)" 0 "$written"
claims "one without the finalizer is replaced" ",$(claim y)" 0 "$written"
claims "another instance's: nothing is written" ",$has,$(claim y)" 0 "GET t"
claims "nor if it is an older version's" ",$has,$(old y)" 0 "GET t"
claims "an older version's own is moved over" ",$has,$(old x)" 0 "$written"
is "$(grep -c 'default/t: wrote the marks of finalizer e.com/f$' "$T/err")" 1 \
	"... it is not said that a finalizer was added"
is "$(bodies t)" \
	"[$version,{\"op\":\"add\",\"path\":\"$path\",\"value\":\"x\"},{\"op\":\"remove\",\"path\":\"/metadata/annotations/kpipe.dev~1instance\"}]" \
	"... in one patch"
claims "... of another operator stays" \
	",\"finalizers\":[\"e.com/other\"],$(old y)" 0 "$written"
is "$(bodies t | grep -c kpipe.dev~1instance\")" 0 "... as it is"
claims "... what made the primary itself does not count" \
	",$has,\"annotations\":{\"kpipe.dev/instance\":\"x\",\"kpipe.dev/paths\":\"p\"}" \
	0 "$written"
is "$(bodies t)" "[$version,{\"op\":\"add\",\"path\":\"$path\",\"value\":\"x\"}]" \
	"... and stays"

# ends WHAT METADATA REQUESTS: removing the finalizer from that Thing
ends() {
	serve "{\"GET $THINGS/t\":[{\"code\":200,\"body\":{\"metadata\":{\"uid\":\"u1\",\"resourceVersion\":\"9\"$2}}}],\"PATCH $THINGS/t\":[{\"code\":200,\"body\":{\"metadata\":{\"uid\":\"u1\"}}}]}"
	set_line '' '"instance":"x","finalizers":{"remove":["e.com/f"]}' >"$T/in"
	runs 0 "$1" apply
	is "$(sent)" "$3" "... its requests"
}
ends "a finalizer goes with its claim" ",$has,$(claim x)" "GET t,PATCH t"
is "$(bodies t)" \
	"[$version,{\"op\":\"add\",\"path\":\"/metadata/finalizers\",\"value\":[]},{\"op\":\"remove\",\"path\":\"$path\"}]" \
	"... in one patch"
ends "not what another instance has claimed" ",$has,$(claim y)" "GET t"
ends "... nor did it as an older version" ",$has,$(old y)" "GET t"

done_testing
