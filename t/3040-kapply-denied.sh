#!/bin/bash
# kapply without a right: it is not ready, says why, and is ready again when it
# has the right.
# check-all: long faults
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=kapply.sh
. "${0%/*}/kapply.sh"
# shellcheck source=clock/lib.sh
. "${0%/*}/clock/lib.sh"
clock_begin

# may_not VERB RESOURCE: the server's answer, about an object x
may_not() {
	failure 403 Forbidden "$2 \\\"x\\\" is forbidden: User \\\"jo\\\" cannot $1 resource \\\"$2\\\" in API group \\\"\\\" in the namespace \\\"default\\\""
}
# sentence VERB RESOURCE: what kapply reports
sentence() {
	printf 'User \\"jo\\" cannot %s resource \\"%s\\" in API group \\"\\" in the namespace \\"default\\"' "$@"
}
secret() {
	cm "$@" | sed 's/ConfigMap/Secret/;s/"data"/"stringData"/'
}
unready() {
	grep unready "$T/report"
}
# unready_is LINES...: these are all reports of it
unready_is() {
	local want

	want=$(printf '{"tool":"kapply","unready":{%s}}\n' "$@")
	wait_for 20 test_unready "$want" || {
		unready | quote
		return 1
	}
}
test_unready() {
	[ "$(unready)" = "$1" ]
}
SECRETS=/api/v1/namespaces/default/secrets
no_secret="\"Secret\":\"$(sentence patch secrets)\""
no_cm="\"ConfigMap\":\"$(sentence create configmaps)\""
p=$(may_not patch secrets)
c=$(may_not create configmaps)

# Two Secrets and a ConfigMap of two primaries are denied, each until it is
# tried again (after 5 to 10 s); the plain object beside
# them is written.
serve "{\"PATCH $SECRETS/a\":[$p],\"PATCH $SECRETS/b\":[$p],\"PATCH $CMS/c\":[$c]}"
begin --report-fd 5 -o none
set_line "$(secret a hunter2),$(secret b hunter2)" >&7
ok "a right is missing: not ready, once for both objects" \
	unready_is "$no_secret"
set_line "$(cm c 1)" '' u >&7
ok "... another kind has its own reason" \
	unready_is "$no_secret" "$no_cm,$no_secret"
set_line "$(cm d 1)" '' v >&7
ok "... others go on" wait_for 5 grep -q "PATCH $CMS/d" "$T/requests"
set_line '' '' u >&7
ok "... a line that does not ask for it any more ends the reason" \
	unready_is "$no_secret" "$no_cm,$no_secret" "$no_secret"
clock pass 11s
ok "... so does what could be written at last" \
	unready_is "$no_secret" "$no_cm,$no_secret" "$no_secret" ''
is "$(requests | sort | paste -sd,)" \
	"PATCH a,PATCH a,PATCH b,PATCH b,PATCH c,PATCH d" "... and it was"
end
is "$? $(grep -c hunter2 "$T/report" "$T/err" | tr '\n' ' ')" \
	"0 $T/report:0 $T/err:0 " "no values are said"

# A changed line is tried at once; meanwhile kapply does not report that it is
# ready.
thing='{"code":200,"body":{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"t","uid":"u1"}}}'
serve "{\"GET $THINGS/t\":[$thing],\"PATCH $SECRETS/a\":[$p,$p,$(failure 503 x x)]}"
begin --report-fd 5 -o none
set_line "$(secret a 1)" >&7
wait_for 5 unready_is "$no_secret"
set_line "$(secret a 2)" >&7
wait_for 5 requested 2
set_line "$(secret a 3)" >&7
ok "a changed line, denied again, and a failure that passes: one reason" \
	unready_is "$no_secret" ''
is "$(requests | grep -c a)" 4 "... for all tries"
end

# A read before a deletion, then the deletion itself.
serve "{\"GET $CMS/a\":[$(may_not get configmaps),{\"body\":{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"a\",\"namespace\":\"default\",\"uid\":\"ua\",\"ownerReferences\":[{\"apiVersion\":\"example.com/v1\",\"kind\":\"Thing\",\"name\":\"t\",\"controller\":true,\"uid\":\"u1\"}]}}}],\"DELETE $CMS/a\":[$(may_not delete configmaps)]}"
begin --report-fd 5 -o none
set_line '' '"delete":[{"apiVersion":"v1","kind":"ConfigMap","namespace":"default","name":"a"}]' >&7
ok "the verb that is missing is named" unready_is "\"ConfigMap\":\"$(sentence get configmaps)\""
ok "... and the next one" unready_is \
	"\"ConfigMap\":\"$(sentence get configmaps)\"" \
	"\"ConfigMap\":\"$(sentence delete configmaps)\""
end

# 403 for other reasons than a missing right, and for an Event.
serve "{\"PATCH $SECRETS/a\":[$(failure 403 Forbidden 'secrets \"a\" is forbidden: exceeded quota: q')],
	\"PATCH $CMS/b\":[$(failure 403 Forbidden 'admission webhook \"w\" denied the request: no')],
	\"POST /api/v1/namespaces/default/events\":[$(may_not create events),$(may_not create events)]}"
begin --report-fd 5 -o none
set_line "$(secret a 1)" >&7
set_line "$(cm b 1)" '' u >&7
# The server refuses no more: both are written.
wait_for 20 requested 4
wait_for 5 grep -q "Event was refused" "$T/err"
end
is "$? $(unready)" "0 " "a quota, a webhook and Events do not count"
is "$(grep -c 'Event was refused' "$T/err")" 1 "... Events are logged once"
done_testing
