#!/bin/bash
# kapply: a line that makes again what has gone is for a primary that is there,
# which is looked at first; nothing of it is done for one that is gone. The same
# goes for a creation whose end is not known.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=kapply.sh
. "${0%/*}/kapply.sh"

missing=$(failure 404 NotFound 'things \"t\" not found')
denied=$(failure 403 Forbidden 'things \"t\" is forbidden: User \"x\" cannot get resource \"things\" in API group \"example.com\" in the namespace \"default\"')
# primary UID [METADATA]: the answer
primary() {
	printf '{"code":200,"body":{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"t","namespace":"default","uid":"%s","resourceVersion":"9"%s}}}' \
		"$1" "${2:+,$2}"
}
# again [MEMBERS]: the line
again() {
	set_line "$(cm a 1),$(cm b 1)" \
		"\"known\":{\"ConfigMap/default/a\":null,\"ConfigMap/default/b\":null},\"status\":{\"phase\":\"Done\"},\"again\":true${1:+,$1}"
}

# in_order: the requests as a line; what comes together in the order of names
in_order() {
	requests | sort | paste -sd,
}

serve "{\"GET $THINGS/t\":[$(primary u1)]}"
again >"$T/in"
runs 0 "the primary is there, in another version" apply
is "$(in_order)" "GET t,PATCH a,PATCH b" "... one look, and all is made again"
is "$(<"$T/out")" "$(wrote '{"phase":"Done"}')" "... and the status"

# gone ANSWER WHAT
gone() {
	serve "{\"GET $THINGS/t\":[$1]}"
	runs 0 "$2" apply
	is "$(sent)" "GET t" "... nothing is made"
	is "$(cat "$T/out" "$T/err")" "" "... nor said"
}
gone "$missing" "it is gone"
gone "$(primary u2)" "another one has its name"
gone "$(primary u1 '"deletionTimestamp":"2026-01-01T00:00:00Z"')" "it is leaving"
again '"delete":[{"apiVersion":"v1","kind":"ConfigMap","namespace":"default","name":"c","uid":"u3"}]' >"$T/in"
gone "$missing" "it is gone, and something is to be deleted"

again >"$T/in"
serve "{\"GET $THINGS/t\":[{\"code\":503},$(primary u1)]}"
runs 0 "it cannot be seen at once" apply
is "$(in_order)" "GET t,GET t,PATCH a,PATCH b" "... nothing is made before"
serve "{\"GET $THINGS/t\":[$denied]}"
{
	again
	again | sed 's/"name":"t"/"name":"u"/'
} >"$T/in"
serve "{\"GET $THINGS/t\":[$denied],\"GET $THINGS/u\":[$denied]}"
runs 0 "there is no right to look" apply
is "$(requests | grep -c PATCH)" 4 "... it is made"
is "$(grep warning "$T/err")" 'kapply: warning: what went is made again even if its primary is gone, because that cannot be seen: things "t" is forbidden: User "x" cannot get resource "things" in API group "example.com" in the namespace "default"' \
	"... which is said once"

# What was true before is not believed: the line is still at work.
serve "{\"GET $THINGS/t\":[$(primary u1),$missing],\"PATCH $CMS/b\":[{\"code\":503}]}"
begin --timeout=60s
again >&7
wait_for 5 requested 3
again >&7
wait_for 5 eval '[ "$(requests | grep -c "GET t")" -eq 2 ]'
end
is "$? $(requests | grep -c GET) $(requests | tail -n 1)" "0 2 GET t" \
	"each line looks, and nothing follows"

# Whether a creation has come through is not known: the server may have come back
# with an older state, in which the primary is not there.
created='"known":{"ConfigMap/default/a":null}'
set_line "$(cm a 1)" "$created" >"$T/in"
# open ANSWER: the one to the creation
open() {
	serve "{\"GET $THINGS/t\":[$1],\"PATCH $CMS/a\":[$2]}"
}
for answer in '{"end":"close"}' '{"code":504}'; do
	open "$(primary u1)" "$answer"
	runs 0 "a creation ends with $answer" apply
	is "$(sent)" "PATCH a,GET t,PATCH a" "... it is repeated after a look"
	for other in "$missing" "$(primary u2)" \
		"$(primary u1 '"deletionTimestamp":"2026-01-01T00:00:00Z"')"; do
		open "$other" "$answer"
		runs 0 "$answer, and the primary is ${other:8:40}" apply
		is "$(sent)$(<"$T/err")" "PATCH a,GET t" "... it is not repeated"
	done
	open "$denied" "$answer"
	runs 0 "$answer, and there is no right to look" apply
	is "$(sent)" "PATCH a,GET t,PATCH a" "... it is repeated"
done
open "$(primary u1)" "$(failure 429 TooManyRequests wait)"
runs 0 "a creation was refused" apply
is "$(sent)" "PATCH a,PATCH a" "... nobody looks"
set_line "$(cm a 1)" "$created,\"deleting\":true" >"$T/in"
open "$(primary u1 '"deletionTimestamp":"2026-01-01T00:00:00Z"')" '{"end":"close"}'
runs 0 "a creation for a primary that is leaving" apply
is "$(sent)" "PATCH a,GET t,PATCH a" "... is repeated"
set_line "$(cm a 1)" '"known":{"ConfigMap/default/a":"u3"}' >"$T/in"
open "$(primary u1)" '{"end":"close"}'
runs 0 "what was there is applied" apply
is "$(sent)" "PATCH a,PATCH a" "... again, and nobody looks"
set_line '{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"n"}}' \
	'"known":{"Namespace//n":null},"once":["Namespace//n"]' >"$T/in"
serve "{\"GET $THINGS/t\":[$(primary u1)]}"
runs 0 "what is of the whole cluster is created once" apply
is "$(sent)" "GET t" "... for a primary as the line says"
done_testing
