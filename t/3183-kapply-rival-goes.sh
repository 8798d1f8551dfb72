#!/bin/bash
# An object that is in the way of an item goes: the item is created with the next
# request, which is not a failure.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=writes.sh
. "${0%/*}/writes.sh"

theirs='{"code":200,"body":{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","namespace":"default","uid":"u9"}}}'
missing='{"code":404,"body":{"kind":"Status","status":"Failure","code":404,"reason":"NotFound","message":"not found"}}'
exists='{"code":409,"body":{"kind":"Status","status":"Failure","code":409,"reason":"Conflict","message":"modified"}}'
mkfifo "$T/pipe"
# rival PATCHES GETS REQUESTS: kapply at work with these answers, its input open
# until so many requests have come
rival() {
	serve "{\"PATCH $CMS/a\":[$1],\"GET $CMS/a\":[$2]}"
	rm -f "$T/out" "$T/err"
	start apply
	applier=$!
	exec 7>"$T/pipe"
	set_line "$(cm a 1)" '"known":{"ConfigMap/default/a":null}' >&7
	wait_for 60 requested "$3"
	exec 7>&-
	wait "$applier"
}
apply() {
	kapply --server "$url" --fail-after=1s --log-level=warning -o result \
		<"$T/pipe" >"$T/out" 2>"$T/err"
}
rival "$exists,{\"code\":201,\"body\":{}}" "$theirs,$missing" 4
is "$?" 0 "an object that is in the way, and then not"
is "$(requests)" "PATCH a
GET a
GET a
PATCH a" "... is looked at again, and the item is created"
is "$(cat "$T/err")" \
	"kapply: error: thing.example.com default/t: cannot apply ConfigMap default/a: it exists and is not part of Thing.example.com default/t; delete it, or give it a label for \"adopt\" in watches.yaml" \
	"... one error, for the object that was there"
is "$(jq -r .result "$T/out")" "failed
created" "... both results"
is "$(grep -c '/events.*came and went' "$T/requests")" 0 \
	"... and no Event about its end"
rival "$exists,$exists,{\"code\":201,\"body\":{}}" \
	"$theirs,$missing,$missing" 6
is "$?" 0 "one that comes and goes once more"
is "$(requests)" "PATCH a
GET a
GET a
PATCH a
GET a
PATCH a" "... is created, too"
done_testing
