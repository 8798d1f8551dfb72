#!/bin/bash
# Deletes with always wait until no item is left to try; against a scripted
# server.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=writes.sh
. "${0%/*}/writes.sh"

member='{"code":200,"body":{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"d","namespace":"default","uid":"u4","resourceVersion":"4","ownerReferences":[{"apiVersion":"example.com/v1","kind":"Thing","name":"t","uid":"u1","controller":true}]}}}'
set_line "$(cm a 1),$(cm b 1)" '"known":{"ConfigMap/default/a":"u2","ConfigMap/default/b":"u3"},"delete":[{"apiVersion":"v1","kind":"ConfigMap","namespace":"default","name":"d","uid":"u4","always":true}]' >"$T/in"

serve "{\"PATCH $CMS/a\":[$(failure 422 Invalid no)],
	\"PATCH $CMS/b\":[$(failure 500 InternalError 'come again')],
	\"GET $CMS/d\":[$member]}"
runs 1 "an item fails for good, another in passing" \
	kapply --server "$url" --timeout=20s -o result <"$T/in"
is "$(requests | tail -n 3)" "PATCH b
GET d
DELETE d" "... which is tried again before anything is deleted"

# One that is out of date: a newer line decides.
serve "{\"PATCH $CMS/a\":[$(failure 422 Invalid no)],
	\"PATCH $CMS/b\":[$(failure 409 Conflict 'Precondition failed: UID in precondition: u3')]}"
runs 1 "an item fails, another is out of date" \
	kapply --server "$url" --timeout=20s -o result <"$T/in"
is "$(requests | sort)" "PATCH a
PATCH b" "... nothing is deleted"
done_testing
