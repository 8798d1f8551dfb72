#!/bin/bash
# kapply: an item of reconcile.vacated is tried at once, however long its
# back-off is; that is not forgotten.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=writes.sh
. "${0%/*}/writes.sh"
# shellcheck source=clock/lib.sh
. "${0%/*}/clock/lib.sh"
clock_begin

theirs='{"code":200,"body":{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","namespace":"default","uid":"u9"}}}'
missing=$(failure 404 NotFound 'not found')
mkfifo "$T/pipe"
known='"known":{"ConfigMap/default/a":null}'
vacated='"vacated":["ConfigMap/default/a"]'
apply() {
	kapply --server "$url" --log-level=warning -o result \
		<"$T/pipe" >"$T/out" 2>"$T/err"
}

# Seven failures: the next try would be after ten minutes.
serve "{\"PATCH $CMS/a\":[$(failure 409 Conflict modified),{\"code\":201,\"body\":{}}],\"GET $CMS/a\":[$theirs,$theirs,$theirs,$theirs,$theirs,$theirs,$theirs,$theirs,$missing]}"
start apply
applier=$!
exec 7>"$T/pipe"
set_line "$(cm a 1)" "$known" >&7
ok "an object is in the way" wait_for 60 requested 2 || done_testing
for n in {3..9}; do
	set_line "$(cm a 1)" "$known,$vacated" >&7
	ok "a line says that it went: it is looked at ($n)" \
		wait_for 60 requested "$n" || done_testing
done
set_line "$(cm a 1)" "$known,$vacated" >&7
exec 7>&-
wait "$applier"
is "$?" 0 "once more, and it did"
is "$(requests | uniq -c | sed 's/^ *//')" "1 PATCH a
9 GET a
1 PATCH a" "... the item is created"
is "$(wc -l <"$T/err")" 1 "... the error is logged once"
is "$(jq -r .result "$T/out")" "failed
created" "... both results"

set_line "$(cm a 1)" "$known,\"vacated\":\"a\"" >"$T/in"
runs 1 "vacated that is not a list" \
	kapply --server "$url" --timeout=20s <"$T/in"
is "$(cat "$T/err")" "kapply: error: line 1: reconcile.vacated is not a list" \
	"... is refused"
done_testing
