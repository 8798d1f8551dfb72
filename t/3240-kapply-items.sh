#!/bin/bash
# kapply: an item of reconcile.exactly is without the keys of others in the end;
# one of reconcile.asSeen is applied with its resourceVersion, and another
# version is left as it is. Against a scripted server.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=kapply.sh
. "${0%/*}/kapply.sh"

# live VERSION DATA: the answer to an apply
live() {
	printf '{"code":200,"body":{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","uid":"u2","resourceVersion":"%s"},"data":%s}}' "$@"
}
# answers ANSWER[,ANSWER]...: of a new server to PATCHes
answers() {
	serve "{\"PATCH $CMS/a\":[$1]}"
}
# refused WHAT MESSAGE: the line
refused() {
	runs 1 "$1" apply
	is "$(<"$T/err")" "kapply: error: line 1: $2" "... is refused"
}
known='"known":{"ConfigMap/default/a":"u2"}'
conflict=$(failure 409 Conflict 'the object has been modified')
ours=$(live 5 '{"k":"1"}') theirs=$(live 5 '{"k":"1","x":"y"}')

# ---- exactly ----

exactly="$known,\"exactly\":[\"ConfigMap/default/a\"]"
set_line "$(cm a 1 | sed 's/"k"/"\\u006b"/')" "$exactly" >"$T/in"
answers "$ours"
runs 0 "our key, spelled with an escape" apply
is "$(sent)" "PATCH a" "... is ours"
set_line "$(cm a 1)" "$exactly" >"$T/in"
answers "$ours"
runs 0 "nothing of others" apply
is "$(sent)" "PATCH a" "... one request"

answers "$theirs,$(live 6 '{"k":"1"}')"
runs 0 "a key of others" apply -o result
is "$(sent)" "PATCH a,PATCH a" "... is removed afterwards"
is "$(jq -r .result "$T/out")" configured "... and it was changed"
is "$(bodies a | tail -n 1)" \
	'{"metadata":{"uid":"u2","resourceVersion":"5"},"data":{"x":null}}' \
	"... by name, of the object as it was answered"
answers "$theirs,$conflict,$(live 6 '{"k":"1","x":"z"}'),$(live 7 '{"k":"1"}')"
runs 0 "it was changed meanwhile" apply
is "$(sent)" "PATCH a,PATCH a,PATCH a,PATCH a" "... applied again, and the key removed"
answers "$theirs"
runs 0 "a dry run" apply --dry-run=server
is "$(sent)" "GET a,PATCH a" "... removes nothing"

set_line "$(cm a 1)" "$known" >"$T/in"
answers "$theirs"
runs 0 "another item" apply
is "$(sent)" "PATCH a" "... keeps what others added"
set_line "$(cm a 1)" "$known,\"exactly\":\"a\"" >"$T/in"
refused "exactly that is not a list" "reconcile.exactly is not a list"

# ---- asSeen ----

identity() { # N: of the object in that request
	bodies a | sed -n "$1p" | jq -c '[.metadata.uid, .metadata.resourceVersion]'
}
item=$(cm a 1 | jq -c '.metadata += {uid: "u1", resourceVersion: "7"}')
seen='"asSeen":["ConfigMap/default/a"]'
set_line "$item" "$known,$seen,\"status\":{\"phase\":\"Done\"}" >"$T/in"
answers "$(live 8 '{"k":"1"}')"
runs 0 "the version that was seen" apply
is "$(sent)" "PATCH a" "... is applied"
is "$(identity 1)" '["u2","7"]' "... as this version"
answers "$conflict"
runs 0 "another version" apply -o result
is "$(sent)" "PATCH a" "... is left as it is: nothing more is sent"
is "$(jq -c .status "$T/out")" "" "... and no status says that it was done"

set_line "$item" "$known" >"$T/in"
answers "$(live 8 '{"k":"1"}')"
runs 0 "another item" apply
is "$(identity 1)" '["u2",null]' "... is applied whatever its version is"

# A list whose keys are not unique goes as a whole, of this version, too.
duplicate=$(failure 422 Invalid invalid ',"details":{"causes":[{"reason":"FieldValueDuplicate","message":"Duplicate value","field":"list[1].name"}]}')
set_line "$(jq -c '.list = [{name: "x"}]' <<<"$item")" "$known,$seen" >"$T/in"
answers "$duplicate,$conflict"
apply >/dev/null 2>&1
is "$(identity 2)" '["u2","7"]' "a list that is sent whole"

needs="items[0] is asSeen: it needs a uid in known and a resourceVersion"
set_line "$item" "$seen" >"$T/in"
refused "without a uid it would be created" "$needs"
set_line "$(cm a 1)" "$known,$seen" >"$T/in"
refused "without a version it would be any" "$needs"
set_line "$item" "$known,\"asSeen\":\"a\"" >"$T/in"
refused "asSeen that is not a list" "reconcile.asSeen is not a list"
done_testing
