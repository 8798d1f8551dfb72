#!/bin/bash
# kapply: an object that is in the way of an item goes. The item is created with
# the next request, which is not a failure; and at once when reconcile.vacated
# says so, however long its back-off is, which is not forgotten.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=kapply.sh
. "${0%/*}/kapply.sh"
# shellcheck source=clock/lib.sh
. "${0%/*}/clock/lib.sh"
clock_begin

theirs='{"code":200,"body":{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","namespace":"default","uid":"u9"}}}'
missing=$(failure 404 NotFound 'not found')
exists=$(failure 409 Conflict modified)
created='{"code":201,"body":{}}'
known='"known":{"ConfigMap/default/a":null}'
vacated='"vacated":["ConfigMap/default/a"]'
# rival PATCHES GETS REQUESTS [ARGUMENT...]: kapply at work with these answers,
# until so many requests have come
rival() {
	serve "{\"PATCH $CMS/a\":[$1],\"GET $CMS/a\":[$2]}"
	begin --log-level=warning -o result "${@:4}"
	set_line "$(cm a 1)" "$known" >&7
	wait_for 60 requested "$3"
}

rival "$exists,$created" "$theirs,$missing" 4 --fail-after=1s
end
is "$?" 0 "an object that is in the way, and then not"
is "$(sent)" "PATCH a,GET a,GET a,PATCH a" "... is looked at again, and the item is created"
is "$(<"$T/err")" \
	"kapply: error: thing.example.com default/t: cannot apply ConfigMap default/a: it exists and is not part of Thing.example.com default/t; delete it, or give it a label for \"adopt\" in watches.yaml" \
	"... one error, for the object that was there"
both="failed
created"
is "$(jq -r .result "$T/out")" "$both" "... both results"
is "$(grep -c '/events.*came and went' "$T/requests")" 0 \
	"... and no Event about its end"
rival "$exists,$exists,$created" "$theirs,$missing,$missing" 6 --fail-after=1s
end
is "$?" 0 "one that comes and goes once more"
is "$(sent)" "PATCH a,GET a,GET a,PATCH a,GET a,PATCH a" "... is created, too"

# Seven failures: the next try would be after ten minutes.
rival "$exists,$created" "$(printf "$theirs,%.0s" {1..8})$missing" 2
for n in {3..9}; do
	set_line "$(cm a 1)" "$known,$vacated" >&7
	ok "a line says that it went: it is looked at ($n)" \
		wait_for 60 requested "$n" || done_testing
done
set_line "$(cm a 1)" "$known,$vacated" >&7
end
is "$?" 0 "once more, and it did"
is "$(sent)" "PATCH a,$(printf 'GET a,%.0s' {1..9})PATCH a" "... the item is created"
is "$(wc -l <"$T/err")" 1 "... the error is logged once"
is "$(jq -r .result "$T/out")" "$both" "... both results"
done_testing
