#!/bin/bash
# kapply: a retained member is that of any primary of its name, and is never
# deleted. Against a scripted server.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=writes.sh
. "${0%/*}/writes.sh"

key=0123456789abcdef0123456789abcdef
echo "$key" >"$T/key"
part=$(printf %s Thing.example.com/default/t | sha256sum | cut -c -32)
# proof ORIGIN [KEY]: of ConfigMap a and the Thing t
proof() {
	python3 -c '
import base64, hashlib, hmac, sys
key, *parts = sys.argv[1:]
text = "kpipe.dev/proof v1 " + "".join("%d:%s" % (len(p), p) for p in parts)
code = hmac.new(key.encode(), text.encode(), hashlib.sha256).digest()
print("v1 %s %s" % (parts[1],
    base64.urlsafe_b64encode(code).decode().rstrip("=")))
' "${2:-$key}" Thing.example.com/default/t "$1" ConfigMap/default/a
}
# marked PROOF: ConfigMap a; an empty PROOF: none
marked() {
	cm a 1 | jq -c --arg proof "$1" --arg part "$part" '.metadata += {
		uid: "u8", resourceVersion: "3",
		labels: {"kpipe.dev/part-of": $part}, annotations: ({
		"kpipe.dev/member": "Thing.example.com/default/t ConfigMap/default/a",
		"kpipe.dev/retain": "true"} + if $proof == "" then {} else
		{"kpipe.dev/proof": $proof} end)}'
}
answer() { # OBJECT
	printf '{"code":200,"body":%s}' "$1"
}
# owned OBJECT: it has the Thing t for its controller, too
owned() {
	jq -c '.metadata.ownerReferences = [{apiVersion: "example.com/v1",
		kind: "Thing", name: "t", uid: "u1", controller: true}]' <<<"$1"
}
with_key() {
	# shellcheck disable=SC2016
	bash -c 'exec kapply --server "$0" --timeout=20s --marks-key-fd=3 <"$1" 3<"$2"' \
		"$url" "$T/in" "$T/key"
}
without() {
	kapply --server "$url" --timeout=20s <"$T/in"
}
good=$(marked "$(proof '*')")

# ---- it exists, of an earlier primary of that name ----

set_line "$(marked "$(proof '*')" | jq -c 'del(.metadata.uid, .metadata.resourceVersion)')" \
	'"known":{"ConfigMap/default/a":null}' >"$T/in"
# exists OBJECT: it is in the way of the first apply
exists() {
	serve "{\"PATCH $CMS/a\":[$(failure 409 Conflict there),$(answer "$1")],\"GET $CMS/a\":[$(answer "$1")]}"
}
exists "$good"
runs 0 "a retained member that exists" with_key
is "$(requests)" "PATCH a
GET a
PATCH a" "... is applied"
# foreign WHAT PROOF
foreign() {
	exists "$(marked "$2")"
	runs 1 "$1" with_key
	is "$(requests)" "PATCH a
GET a" "... is not ours"
}
foreign "one without a proof" ""
foreign "with the proof of another key" \
	"$(proof '*' fedcba9876543210fedcba9876543210)"
foreign "with that of a member of an earlier primary" "$(proof u0)"

# ---- it is not deleted ----

set_line '' '"delete":[{"apiVersion":"v1","kind":"ConfigMap","namespace":"default","name":"a","uid":"u8"}]' \
	>"$T/in"
doomed() { # OBJECT
	serve "{\"GET $CMS/a\":[$(answer "$1")]}"
}
kept="kapply: error: thing.example.com default/t: cannot delete ConfigMap default/a: it is retained, and never deleted"
doomed "$good"
runs 1 "to delete it" with_key
is "$(requests)" "GET a" "... is refused"
is "$(cat "$T/err")" "$kept" "... and logged"
doomed "$good"
runs 1 "without a key" without
is "$(requests)" "GET a" "... the annotation counts"
doomed "$(owned "$(marked "")")"
runs 0 "with a key that annotation alone" with_key
is "$(requests)" "GET a
DELETE a" "... keeps no member"
doomed "$(owned "$(marked "$(proof '*' fedcba9876543210fedcba9876543210)")")"
runs 0 "nor does the proof of another key" with_key
is "$(requests)" "GET a
DELETE a" "... it is deleted"
done_testing
