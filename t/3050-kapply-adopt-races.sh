#!/bin/bash
# kapply adopts exactly the object that it read: one that is terminating, or
# that changed between the read and the patch, is left alone.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=kapply.sh
. "${0%/*}/kapply.sh"

# theirs VERSION [METADATA]: an answer with an object of another operator
theirs() {
	printf '{"code":200,"body":{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","namespace":"default","uid":"u3","resourceVersion":"%s","labels":{"instance":"t"},"managedFields":[{"manager":"former","operation":"Update","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{"f:data":{}}}]%s}}}' \
		"$1" "${2:+,$2}"
}
# patches: the bodies of the JSON patches
patches() {
	bodies a | grep '^\['
}
exists=$(failure 409 Conflict 'the object has been modified')
set_line "$(cm a 1)" '"known":{"ConfigMap/default/a":null},"adopt":"instance"' >"$T/in"

# --- a terminating object is neither patched nor applied
# often ANSWER: twenty of it
often() {
	local list=

	for _ in {1..20}; do
		list+=,$1
	done
	echo "${list:1}"
}
serve "{\"PATCH $CMS/a\":[$(often "$exists")],\"GET $CMS/a\":[$(often \
	"$(theirs 7 '"deletionTimestamp":"2026-01-01T00:00:00Z"')")]}"
runs 1 "what is being deleted is not adopted" \
	kapply --server "$url" --timeout=1s < <(in_until requested 3)
is "$(<"$T/err")" \
	"kapply: error: thing.example.com default/t: cannot apply ConfigMap default/a: it exists and is not part of Thing.example.com default/t; it is being deleted" \
	"... it is named"
is "$(patches)" "" "... and nothing of it taken over"

# --- the patch names the version that was read
serve "{\"PATCH $CMS/a\":[$exists],\"GET $CMS/a\":[$(theirs 7)]}"
runs 0 "what was looked at is adopted" apply
is "$(patches | jq -c '.[:2]')" \
	'[{"op":"test","path":"/metadata/uid","value":"u3"},{"op":"test","path":"/metadata/resourceVersion","value":"7"}]' \
	"... of this uid and version only"
is "$(sent)" "PATCH a,GET a,PATCH a,PATCH a" "... before it is applied to"

# --- another client was faster: the object is read again, and left alone
stale=$(failure 422 Invalid 'the server rejected our request due to an error in our request')
serve "{\"PATCH $CMS/a\":[$exists,$stale],\"GET $CMS/a\":[$(theirs 7),$(
	theirs 8 '"ownerReferences":[{"apiVersion":"example.com/v1","kind":"Thing","name":"u","uid":"u9","controller":true}]')]}"
runs 1 "what changed since the look" apply
is "$(sent)" "PATCH a,GET a,PATCH a,GET a" "... is looked at again, not applied to"
ok "... and whose it is now is named" grep -q 'but of Thing u$' "$T/err"

serve "{\"PATCH $CMS/a\":[$exists,$stale],\"GET $CMS/a\":[$(theirs 7),$(theirs 8)]}"
runs 0 "what only changed" apply
is "$(patches | jq -r '.[1].value' | xargs)" "7 8" \
	"... is adopted as it is now"
done_testing
