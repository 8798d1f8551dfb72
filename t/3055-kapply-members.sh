#!/bin/bash
# kapply: proofs show whose member an object is; what is never adopted; which of
# two lines counts.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=writes.sh
. "${0%/*}/writes.sh"

key=0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef
echo "$key" >"$T/key"
# proof ORIGIN: the proof that Namespace n is a member of the Thing t with that
# uid
proof() {
	python3 -c '
import base64, hashlib, hmac, sys
key, *parts = sys.argv[1:]
text = "kpipe.dev/proof v1 " + "".join("%d:%s" % (len(p), p) for p in parts)
code = hmac.new(key.encode(), text.encode(), hashlib.sha256).digest()
print("v1 %s %s" % (parts[1],
    base64.urlsafe_b64encode(code).decode().rstrip("=")))
' "$key" Thing.example.com/default/t "$1" Namespace//n
}
# marked ORIGIN: an answer with that Namespace
marked() {
	jq -cn --arg proof "$(proof "$1")" --arg part \
		"$(printf %s Thing.example.com/default/t | sha256sum | cut -c -32)" '
	{code: 200, body: {apiVersion: "v1", kind: "Namespace", metadata: {
		name: "n", uid: "u8", resourceVersion: "3",
		labels: {"kpipe.dev/part-of": $part}, annotations: {
		"kpipe.dev/member": "Thing.example.com/default/t Namespace//n",
		"kpipe.dev/proof": $proof}}}}'
}
apply() {
	kapply --server "$url" --timeout=20s "$@" <"$T/in"
}
with_key() {
	# shellcheck disable=SC2016
	bash -c 'exec kapply --server "$0" --timeout=20s --marks-key-fd=3 <"$1" 3<"$2"' \
		"$url" "$T/in" "$T/key"
}

# --- the proof of this primary, and that of an earlier primary with its name
set_line '' '"delete":[{"apiVersion":"v1","kind":"Namespace","name":"n","uid":"u8"}]' >"$T/in"
serve "{\"GET /api/v1/namespaces/n\":[$(marked u1)]}"
runs 0 "what is proven to be this primary's" with_key
is "$(requests)" "GET n
DELETE n" "... may be deleted"
serve "{\"GET /api/v1/namespaces/n\":[$(marked u0)]}"
runs 1 "what is proven to be that of an earlier one" with_key
is "$(requests)" "GET n" "... may not"
is "$(cat "$T/err")" \
	"kapply: error: thing.example.com default/t: cannot delete Namespace n: it exists and is not part of Thing.example.com default/t; its marks are of an earlier one of this name" \
	"... and logs it"

# --- the owner reference of a member was removed
set_line "$(cm a 1)" '"known":{"ConfigMap/default/a":null}' >"$T/in"
ownerless() { # ANNOTATIONS [NAMESPACE]
	local at=${CMS/default/${2:-default}}

	serve "{\"PATCH $at/a\":[$(failure 409 Conflict there)],\"GET $at/a\":[{\"code\":200,\"body\":{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"a\",\"namespace\":\"${2:-default}\",\"uid\":\"u7\",\"annotations\":{$1}}}}]}"
}
ownerless '"kpipe.dev/paths":"x"'
runs 1 "a member whose owner reference was removed" apply
is "$(cat "$T/err")" \
	"kapply: error: thing.example.com default/t: cannot apply ConfigMap default/a: it exists and is not part of Thing.example.com default/t; an operator made it, and its owner reference was removed: put that back, or delete the object" \
	"... is refused with what to do"
ownerless ''
runs 1 "an object of other clients" apply
is "$(cat "$T/err")" \
	"kapply: error: thing.example.com default/t: cannot apply ConfigMap default/a: it exists and is not part of Thing.example.com default/t; delete it, or give it a label for \"adopt\" in watches.yaml" \
	"... is refused with both ways"

set_line "$(cm a 1 | jq -c '.metadata.namespace = "far"')" \
	'"known":{"ConfigMap/far/a":null}' >"$T/in"
ownerless '"kpipe.dev/paths":"x"' far
runs 1 "a member elsewhere whose mark was removed" apply
is "$(cat "$T/err")" \
	"kapply: error: thing.example.com default/t: cannot apply ConfigMap far/a: it exists and is not part of Thing.example.com default/t; an operator made it, and its annotation kpipe.dev/member was removed: put that back, or delete the object" \
	"... is refused with what to do"

# --- where the operator lives
serve "{\"PATCH /api/v1/namespaces/home\":[$(failure 409 Conflict there)],\"GET /api/v1/namespaces/home\":[{\"code\":200,\"body\":{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{\"name\":\"home\",\"uid\":\"u7\",\"labels\":{\"instance\":\"t\"}}}}]}"
set_line '{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"home"}}' \
	'"known":{"Namespace//home":null},"adopt":"instance"' >"$T/in"
runs 1 "the operator's own namespace, with the label" apply -n home
is "$(cat "$T/err")" \
	"kapply: error: thing.example.com default/t: cannot apply Namespace home: it exists and is not part of Thing.example.com default/t; it is the operator's own namespace, and never adopted" \
	"... is not adopted"

# --- a newer line: requests in flight of the older line end, the rest is
# dropped
serve "{\"PATCH $CMS/a\":[{\"code\":200,\"body\":{},\"wait\":\"$T/a\"}],\"PATCH $CMS/b\":[{\"code\":200,\"body\":{},\"wait\":\"$T/b\"}]}"
mkfifo "$T/pipe"
apply_pipe() {
	kapply --server "$url" --timeout=20s --max-in-flight=2 -o result \
		<"$T/pipe" >"$T/out" 2>"$T/err"
}
start apply_pipe
applier=$!
exec 7>"$T/pipe"
known='"known":{"ConfigMap/default/a":"u2","ConfigMap/default/b":"u3","ConfigMap/default/c":"u4","ConfigMap/default/d":"u5"}'
set_line "$(cm a 1),$(cm b 1),$(cm c 1)" "$known" >&7
ok "two requests of a line" wait_for 5 requested 2
set_line "$(cm d 1)" "$known" >&7
echo bad >&7 # is reported, when all lines before it were read
ok "... are under way when a newer one comes" wait_for 5 grep -q 'line 3' "$T/err"
touch "$T/b"
ok "one is answered" wait_for 5 grep -q '"name":"b"' "$T/out"
touch "$T/a"
exec 7>&-
wait "$applier"
is "$(requests | sort | xargs)" "PATCH a PATCH b PATCH d" \
	"... what the older line had not begun is not done"
done_testing
