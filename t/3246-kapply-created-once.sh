#!/bin/bash
# kapply --generate-name and answers that are lost: an object is never created
# twice, and what is known is said.
. "${0%/*}/lib.sh"
. "${0%/*}/kapi.sh"
kapi_up
maps=/api/v1/namespaces/default/configmaps

# plan LINE...: replaces the plan of faults
plan() {
	ask DELETE /kapi/faults >/dev/null
	ask POST /kapi/faults "$(printf '%s\n' "$@")" >/dev/null
}
printf '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"namespace":"default","generateName":"g-"},"data":{"k":"v"}}' \
	>"$T/in"
create() { # [ARGUMENT]...
	KUBECONFIG=$T/kubeconfig kapply --timeout=60s --generate-name -o result \
		"$@" "$T/in"
}
there() {
	ask GET $maps | jq -r '.items[].metadata.name | select(test("^g-"))' | sort
}
gone() {
	ask DELETE "$maps" >/dev/null
}
told() { # the names that are told as created
	jq -r 'select(.result == "created") | .metadata.name' "$T/out" | sort
}
cm='"verb":"create","resource":"configmaps"'

for fault in '"fault":"cut","after":true' '"code":500,"after":true' \
	'"code":503,"after":true' '"code":504,"after":true'; do
	gone
	plan "{$cm,$fault}"
	runs 0 "the answer is lost, the object is there: $fault" create
	is "$(there | wc -l)" 1 "... once"
	is "$(told)" "$(there)" "... and told"
done
for fault in '"fault":"cut"' '"code":500' '"code":503'; do
	gone
	plan "{$cm,$fault}"
	runs 1 "no answer, and no object: $fault" create
	is "$(there)" "" "... it is not created then"
	is "$(grep -cE 'error: cannot create ConfigMap default/g-[a-z0-9]{10}: .*; there is no such object now, and it is not created again: it may have come and gone$' "$T/err")" \
		1 "... what is known is said"
done

# It is looked for until that is known.
gone
plan "{$cm,\"fault\":\"cut\",\"after\":true}" \
	'{"verb":"get","resource":"configmaps","code":503,"count":2}'
runs 0 "it cannot be looked for at once" create
is "$(told)" "$(there)" "... it is told when it can be"
gone
plan "{$cm,\"code\":500,\"after\":true}" \
	'{"verb":"get","resource":"configmaps","code":403,"count":0}'
runs 1 "it may not be looked for" create
is "$(grep -c 'cannot create ConfigMap default/g-.*; whether it was created is not known: ' "$T/err")" \
	1 "... which is said"
is "$(there | wc -l)" 1 "... it is there once"

# Refused, so not created: tried again.
for code in 409 429; do
	gone
	plan "{$cm,\"code\":$code,\"reason\":\"Conflict\",\"retryAfter\":0}"
	runs 0 "an answer of $code" create
	is "$(there | wc -l) $(told)" "1 $(there)" "... it is created afterwards"
done
gone
plan "{$cm,\"code\":500,\"after\":true}"
runs 0 "a dry run is tried again" create --dry-run=server
is "$(there)" "" "... and creates nothing"

# Another object of the name, which cannot be by chance.
gone
plan "{$cm,\"code\":409,\"reason\":\"AlreadyExists\"}"
runs 1 "the name is taken, and nothing is there" create
is "$(there)" "" "... nothing is created"

# Many, whose answers are lost now and then.
gone
for n in {1..200}; do
	printf '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"namespace":"default","generateName":"g-"},"data":{"n":"%s"}}\n' "$n"
done >"$T/in"
plan "{$cm,\"nth\":20,\"fault\":\"cut\",\"after\":true}" \
	"{$cm,\"nth\":60,\"code\":504,\"after\":true}" \
	"{$cm,\"nth\":110,\"fault\":\"goaway\"}" \
	"{$cm,\"nth\":150,\"fault\":\"cut\",\"after\":true}"
create >"$T/out" 2>"$T/err"
is "$(ask GET $maps | jq -r '.items[].data.n // empty' | sort | uniq -d)" "" \
	"200 objects: none is there twice"
is "$(told)" "$(there)" "... and those that are there are told"
kapi_down
done_testing
