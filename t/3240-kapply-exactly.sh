#!/bin/bash
# kapply: an item of reconcile.exactly is without the keys of others in the end;
# against a scripted server.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=writes.sh
. "${0%/*}/writes.sh"

apply() {
	kapply --server "$url" --timeout=20s -o result "$@" <"$T/in"
}
# live VERSION DATA: the answer to an apply
live() {
	printf '{"code":200,"body":{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","uid":"u2","resourceVersion":"%s"},"data":%s}}' "$@"
}
known='"known":{"ConfigMap/default/a":"u2"}'
set_line "$(cm a 1)" "$known,\"exactly\":[\"ConfigMap/default/a\"]" >"$T/in"

serve "{\"PATCH $CMS/a\":[$(live 5 '{"k":"1"}')]}"
runs 0 "nothing of others" apply
is "$(requests)" "PATCH a" "... one request"

serve "{\"PATCH $CMS/a\":[$(live 5 '{"k":"1","x":"y"}'),$(live 6 '{"k":"1"}')]}"
runs 0 "a key of others" apply
is "$(requests)" "PATCH a
PATCH a" "... is removed afterwards"
is "$(jq -r .result "$T/out")" configured "... and it was changed"
is "$(sed -n '2s/^[^{]*//p' "$T/requests")" \
	'{"metadata":{"uid":"u2","resourceVersion":"5"},"data":{"x":null}}' \
	"... by name, of the object as it was answered"

set_line "$(cm a 1 | sed 's/"k"/"\\u006b"/')" \
	"$known,\"exactly\":[\"ConfigMap/default/a\"]" >"$T/in"
serve "{\"PATCH $CMS/a\":[$(live 5 '{"k":"1"}')]}"
runs 0 "our key, spelled with an escape" apply
is "$(requests)" "PATCH a" "... is ours"
set_line "$(cm a 1)" "$known,\"exactly\":[\"ConfigMap/default/a\"]" >"$T/in"

serve "{\"PATCH $CMS/a\":[$(live 5 '{"k":"1","x":"y"}'),$(failure 409 Conflict 'the object has been modified'),$(live 6 '{"k":"1","x":"z"}'),$(live 7 '{"k":"1"}')]}"
runs 0 "it was changed meanwhile" apply
is "$(requests)" "PATCH a
PATCH a
PATCH a
PATCH a" "... applied again, and the key removed"

serve "{\"PATCH $CMS/a\":[$(live 5 '{"k":"1","x":"y"}')]}"
runs 0 "a dry run" apply --dry-run=server
is "$(requests)" "GET a
PATCH a" "... removes nothing"

set_line "$(cm a 1)" "$known" >"$T/in"
serve "{\"PATCH $CMS/a\":[$(live 5 '{"k":"1","x":"y"}')]}"
runs 0 "another item" apply
is "$(requests)" "PATCH a" "... keeps what others added"
set_line "$(cm a 1)" "$known,\"exactly\":\"a\"" >"$T/in"
runs 1 "exactly that is not a list" apply
is "$(cat "$T/err")" "kapply: error: line 1: reconcile.exactly is not a list" \
	"... is refused"
done_testing
