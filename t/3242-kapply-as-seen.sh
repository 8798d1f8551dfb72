#!/bin/bash
# kapply: an item of reconcile.asSeen is applied with its resourceVersion, and
# another version is left as it is; against a scripted server.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=writes.sh
. "${0%/*}/writes.sh"

apply() {
	kapply --server "$url" --timeout=20s -o result <"$T/in"
}
sent() { # N: what identifies the object in the request
	sed -n "$1s/^[^{]*//p" "$T/requests" |
		jq -c '[.metadata.uid, .metadata.resourceVersion]'
}
item=$(cm a 1 | jq -c '.metadata += {uid: "u1", resourceVersion: "7"}')
known='"known":{"ConfigMap/default/a":"u2"}'
seen='"asSeen":["ConfigMap/default/a"]'
live='{"code":200,"body":{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","uid":"u2","resourceVersion":"8"},"data":{"k":"1"}}}'
conflict=$(failure 409 Conflict 'the object has been modified')

set_line "$item" "$known,$seen,\"status\":{\"phase\":\"Done\"}" >"$T/in"
serve "{\"PATCH $CMS/a\":[$live]}"
runs 0 "the version that was seen" apply
is "$(requests)" "PATCH a" "... is applied"
is "$(sent 1)" '["u2","7"]' "... as this version"

serve "{\"PATCH $CMS/a\":[$conflict]}"
runs 0 "another version" apply
is "$(requests)" "PATCH a" "... is left as it is: nothing more is sent"
is "$(jq -c .status "$T/out")" "" "... and no status says that it was done"

set_line "$item" "$known" >"$T/in"
serve "{\"PATCH $CMS/a\":[$live]}"
runs 0 "another item" apply
is "$(sent 1)" '["u2",null]' "... is applied whatever its version is"

# A list whose keys are not unique goes as a whole, of this version, too.
duplicate='{"code":422,"body":{"kind":"Status","status":"Failure","reason":"Invalid","message":"invalid","code":422,"details":{"causes":[{"reason":"FieldValueDuplicate","message":"Duplicate value","field":"list[1].name"}]}}}'
set_line "$(jq -c '.list = [{name: "x"}]' <<<"$item")" "$known,$seen" >"$T/in"
serve "{\"PATCH $CMS/a\":[$duplicate,$conflict]}"
apply >/dev/null 2>&1
is "$(sent 2)" '["u2","7"]' "a list that is sent whole"

set_line "$item" "$seen" >"$T/in"
runs 1 "without a uid" apply
is "$(cat "$T/err")" "kapply: error: line 1: items[0] is asSeen: it needs a uid in known and a resourceVersion" \
	"... is refused: it would be created"
set_line "$(cm a 1)" "$known,$seen" >"$T/in"
runs 1 "without a version" apply
is "$(cat "$T/err")" "kapply: error: line 1: items[0] is asSeen: it needs a uid in known and a resourceVersion" \
	"... is refused: it would be any"
set_line "$item" "$known,\"asSeen\":\"a\"" >"$T/in"
runs 1 "asSeen that is not a list" apply
is "$(cat "$T/err")" "kapply: error: line 1: reconcile.asSeen is not a list" \
	"... is refused"
done_testing
