#!/bin/bash
# kapi: the faults are those of the plan, and the journal has all of them.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=kapi.sh
. "${0%/*}/kapi.sh"

maps=/api/v1/namespaces/default/configmaps

# plan LINE...: replaces the plan
plan() {
	ask DELETE /kapi/faults
	ask POST /kapi/faults "$(printf '%s\n' "$@")"
}

cat >"$T/plan" <<'EOF'
{"verb":"create","resource":"configmaps","namespace":"default","nth":2,"code":503}
EOF
kapi_up --faults "$T/plan" --journal "$T/journal"
for name in a b c; do
	ask POST $maps "$(config_map $name)" >/dev/null
	code
done >"$T/codes"
is "$(<"$T/codes")" "201
503
201" "the second create fails, by a plan from a file"
is "$(ask GET /kapi/faults)" "" "... nothing is left of the plan"
is "$(ask GET "$maps?fieldSelector=metadata.name%21%3Dkube-root-ca.crt" |
	jq -c '[.items[].metadata.name]')" '["a","c"]' "... it was not done"

# Every code, with its usual answer.
answers() {
	local c

	for c in 400 401 403 404 409 410 413 422 429 500 503 504 599; do
		plan "{\"path\":\"*/a\",\"code\":$c}"
		ask PUT $maps/a "$(config_map a new)" |
			jq -r '"\(.code) \(.reason) \(.message)"'
	done
}
is "$(answers)" "400 BadRequest a fault of the plan
401 Unauthorized Unauthorized
403 Forbidden forbidden: a fault of the plan
404 NotFound configmaps \"a\" not found
409 Conflict Operation cannot be fulfilled on configmaps \"a\": the object has \
been modified; please apply your changes to the latest version and try again
410 Expired too old resource version: a fault of the plan
413 RequestEntityTooLarge Request entity too large: a fault of the plan
422 Invalid a fault of the plan
429 TooManyRequests Too many requests, please try again later.
500 InternalError Internal error occurred: a fault of the plan
503 ServiceUnavailable the server is currently unable to handle the request
504 Timeout Timeout: request did not complete within the allotted timeout
599 InternalError a fault of the plan" "codes"
is "$(ask GET $maps/a | jq -r .data.k)" v "... nothing was done"

plan '{"verb":"patch","code":429,"retryAfter":7,"message":"not now"}'
is "$(ask PATCH $maps/a '{"data":{"k":"x"}}' application/merge-patch+json)" \
	'{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"not now","reason":"TooManyRequests","details":{"retryAfterSeconds":7},"code":429}' \
	"429 with a wait of its own"
is "$(grep -i '^retry-after' "$T/headers" | tr -d '\r')" "retry-after: 7" \
	"... in the header, too"

plan '{"verb":"update","name":"a","code":504,"after":true}'
ask PUT $maps/a "$(config_map a written)" >/dev/null
is "$(code) $(ask GET $maps/a | jq -r .data.k)" "504 written" "done, then 504"
plan '{"verb":"update","fault":"cut","after":true}'
is "$(ask PUT $maps/a "$(config_map a again)")" \
	"curl: (52) Empty reply from server" "done, then cut"
is "$(ask GET $maps/a | jq -r .data.k)" again "... but done"
plan '{"verb":"update","fault":"cut"}'
is "$(ask PUT $maps/a "$(config_map a never)")" \
	"curl: (52) Empty reply from server" "cut"
is "$(ask GET $maps/a | jq -r .data.k)" again "... and not done"
plan '{"verb":"get","fault":"freeze"}'
is "$(ask GET $maps/a "" "" --max-time 3 | sed 's/ after.*//')" \
	"curl: (28) Operation timed out" "frozen"
is "$(ask GET $maps/a | jq -r .data.k)" again "... others are not"

plan '{"path":"/version","delayMs":3000,"count":2}' \
	'{"path":"/version","nth":2,"delayMs":1,"code":500}'
took=$(ask GET /version "" "" -w '%{time_total} %{http_code}' >/dev/null
	cat "$T/code")
# Clocks are read in whole milliseconds.
is "$(awk '{print ($1 >= 2.998), $2}' <<<"$took")" "1 200" "delayed"
ask GET /version "" "" --max-time 1 >/dev/null
is "$(ask GET /kapi/faults)" '{"line":{"path":"/version","nth":2,"delayMs":1,"code":500},"matched":2,"taken":0}' \
	"every line counts what it matches"
is "$(ask GET /version | jq .code)" 500 "... until it is taken"

plan '{"resource":"configmaps","query":"*limit=*","code":400,"count":2}'
ask GET "$maps?resourceVersion=0" >/dev/null
is "$(code) $(ask GET "$maps?limit=1" | jq .code) $(ask GET "$maps?a=b&limit=%31" |
	jq .code)" "200 400 400" "what a parameter has"

plan '{"path":"/version","fault":"goaway"}'
ask GET /version >/dev/null
is "$(grep -i '^connection' "$T/headers" | tr -d '\r')" "connection: close" \
	"goaway on HTTP/1.1"

# Lists and watches.
version=$(ask GET $maps/a | jq -r .metadata.resourceVersion)
plan '{"verb":"list","resource":"configmaps","fault":"stale"}'
ask PUT $maps/a "$(config_map a newer)" >/dev/null
stale=$(ask GET $maps | jq -c '[.metadata.resourceVersion,
	(.items[] | select(.metadata.name == "a") | .data.k)]')
is "$stale" "[\"$version\",\"again\"]" "a stale list"
is "$(ask GET $maps | jq -r '.items[] | select(.metadata.name == "a").data.k')" \
	newer "... once"

plan '{"verb":"watch","fault":"compact"}'
is "$(ask GET "$maps?watch=1&timeoutSeconds=1&resourceVersion=$version" |
	jq -c '[.type, .object.code, .object.reason]')" '["ERROR",410,"Expired"]' \
	"history is forgotten"

# watch PLAN SECONDS: what a watch of three changes shows, and how it ends
watched() {
	local from pid

	plan "$1"
	from=$(ask GET $maps | jq -r .metadata.resourceVersion)
	for i in 1 2 3; do
		ask PUT $maps/c "$(config_map c "$RANDOM$i")" >/dev/null
	done
	curl -sS --max-time 10 "$url$maps?watch=1&resourceVersion=$from&timeoutSeconds=$2" \
		2>"$T/curl.err" | jq -r '.type + " " + ((.object.data.k // "")[-1:]) +
		(.object.reason // "")'
	sed 's/^curl: /curl /; s/ with .*//' "$T/curl.err"
}
is "$(watched '{"verb":"watch","code":410,"event":2}' 2)" "MODIFIED 1
ERROR Expired" "410 in the place of the second event"
is "$(watched '{"verb":"watch","fault":"cut","event":3}' 2)" "MODIFIED 1
MODIFIED 2
curl (18) transfer closed" "cut at the third"
is "$(watched '{"verb":"watch","fault":"duplicate","event":2}' 3)" "MODIFIED 1
MODIFIED 2
MODIFIED 2
MODIFIED 3" "the second twice"
is "$(watched '{"verb":"watch","fault":"end","event":2}' 3)" "MODIFIED 1" \
	"ended in good order"
is "$(watched '{"verb":"watch","fault":"hold","event":2}' 3)" "MODIFIED 1" \
	"held back for ever"
is "$(watched '{"verb":"watch","fault":"hold","event":2,"delayMs":300}' 5)" \
	"MODIFIED 1
MODIFIED 2
MODIFIED 3" "held back for a while, in order"

# Bad plans.
is "$(ask POST /kapi/faults '{"code":500}
{"verb":"put","code":500}' | jq -r '"\(.code) \(.message)"')" \
	'422 plan:2: member "verb": no verb matches "put"' "a bad line"
is "$(ask GET /kapi/faults)" "" "... nothing of that plan is kept"
is "$(ask PATCH /kapi/faults x | jq -r '"\(.code) \(.message)"')" \
	"405 want GET, POST or DELETE on /kapi/faults" "a bad method"
kapi_down

printf '\n{"code":500}\n{"cod":500}\n' >"$T/plan"
runs 100 "a file with a bad line" timeout 300 kapi --faults "$T/plan"
is "$(<"$T/err")" "kapi: fatal: $T/plan:3: unknown member \"cod\"" \
	"... is named"
runs 100 "no file" timeout 300 kapi --faults "$T/none"
is "$(<"$T/err")" \
	"kapi: fatal: cannot read $T/none: No such file or directory" \
	"... is named"
runs 100 "a journal that cannot be" timeout 300 kapi --journal "$T/no/where"
is "$(<"$T/err")" \
	"kapi: fatal: cannot open $T/no/where: No such file or directory" \
	"... is named"

# The journal: some of the entries for the requests above; then all of a short
# exchange.
is "$(jq -r 'select(.fault and .verb != "update") |
	"\(.verb // "-") \(.code) \(.fault)"' "$T/journal" | sort | uniq -c |
	awk '{$1=$1; print}')" "1 - 0 delay
1 - 200 delay
1 - 200 goaway
1 - 500 500
1 create 503 503
1 get 0 freeze
1 list 200 stale
2 list 400 400
1 patch 429 429
1 watch 200 410
1 watch 200 compact
1 watch 200 cut
1 watch 200 duplicate
1 watch 200 end
2 watch 200 hold" "faults are in the journal"
is "$(jq -r 'select(.fault and .verb == "update") |
	"\(.code) \(.fault) \(.changed)"' "$T/journal" | tail -n 3)" \
	"504 504 after true
200 cut after true
0 cut false" "... with what was done"

rm "$T/journal"
printf 't1,ann,1,dev\n' >"$T/tokens"
kapi_up --journal "$T/journal" --token-auth-file "$T/tokens"
ann=(-H 'Authorization: Bearer t1')
ask POST $maps "$(config_map j)" "" "${ann[@]}" >/dev/null
ask PUT "$maps/j?fieldManager=me" "$(config_map j)" "" "${ann[@]}" >/dev/null
ask PATCH "$maps/j?fieldManager=me" 'kind: ConfigMap
apiVersion: v1
metadata: {name: j}
data: {k: w}' application/apply-patch+yaml "${ann[@]}" >/dev/null
ask POST /api/v1/namespaces/default/secrets '{"apiVersion":"v1","kind":"Secret",
	"metadata":{"name":"s","annotations":{
	"kubectl.kubernetes.io/last-applied-configuration":"{\"data\":{\"p\":1}}"}},
	"data":{"p":"aGlkZGVu"},"stringData":{"q":"hidden"}}' "" "${ann[@]}" >/dev/null
ask PATCH /api/v1/namespaces/default/secrets/s '[{"op":"replace",
	"path":"/data/p","value":"aGlkZGVuCg=="}]' application/json-patch+json \
	"${ann[@]}" >/dev/null
ask DELETE $maps/j "" "" "${ann[@]}" >/dev/null
ask GET $maps/j "" "" "${ann[@]}" >/dev/null
ask GET $maps >/dev/null
kapi_down
# times and versions differ
jq -c 'if .time | test("^20..-..-..T..:..:..\\.[0-9]{6}Z$") then . else error end |
	if .resourceVersion then .resourceVersion = "V" else . end |
	del(.time)' "$T/journal" >"$T/got"
cat >"$T/want" <<'EOF'
{"number":1,"user":"ann","userAgent":"test","verb":"create","method":"POST","path":"/api/v1/namespaces/default/configmaps","version":"v1","resource":"configmaps","namespace":"default","name":"j","code":201,"contentType":"application/json","body":{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"j"},"data":{"k":"v"}},"resourceVersion":"V","changed":true}
{"number":2,"user":"ann","userAgent":"test","verb":"update","method":"PUT","path":"/api/v1/namespaces/default/configmaps/j","query":"fieldManager=me","version":"v1","resource":"configmaps","namespace":"default","name":"j","code":200,"fieldManager":"me","contentType":"application/json","body":{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"j"},"data":{"k":"v"}},"resourceVersion":"V","changed":false}
{"number":3,"user":"ann","userAgent":"test","verb":"patch","method":"PATCH","path":"/api/v1/namespaces/default/configmaps/j","query":"fieldManager=me","version":"v1","resource":"configmaps","namespace":"default","name":"j","code":409,"reason":"Conflict","fieldManager":"me","contentType":"application/apply-patch+yaml","body":{"apiVersion":"v1","data":{"k":"w"},"kind":"ConfigMap","metadata":{"name":"j"}},"changed":false}
{"number":4,"user":"ann","userAgent":"test","verb":"create","method":"POST","path":"/api/v1/namespaces/default/secrets","version":"v1","resource":"secrets","namespace":"default","name":"s","code":201,"contentType":"application/json","body":{"apiVersion":"v1","kind":"Secret","metadata":{"name":"s","annotations":{"kubectl.kubernetes.io/last-applied-configuration":"(redacted)"}},"data":{"p":"(redacted)"},"stringData":{"q":"(redacted)"}},"resourceVersion":"V","changed":true}
{"number":5,"user":"ann","userAgent":"test","verb":"patch","method":"PATCH","path":"/api/v1/namespaces/default/secrets/s","version":"v1","resource":"secrets","namespace":"default","name":"s","code":200,"contentType":"application/json-patch+json","body":[{"op":"replace","path":"/data/p","value":"(redacted)"}],"resourceVersion":"V","changed":true}
{"number":6,"user":"ann","userAgent":"test","verb":"delete","method":"DELETE","path":"/api/v1/namespaces/default/configmaps/j","version":"v1","resource":"configmaps","namespace":"default","name":"j","code":200,"changed":true}
{"number":7,"user":"ann","userAgent":"test","verb":"get","method":"GET","path":"/api/v1/namespaces/default/configmaps/j","version":"v1","resource":"configmaps","namespace":"default","name":"j","code":404,"reason":"NotFound"}
{"number":8,"userAgent":"test","verb":"list","method":"GET","path":"/api/v1/namespaces/default/configmaps","version":"v1","resource":"configmaps","namespace":"default","code":401,"reason":"Unauthorized"}
EOF
same "$T/got" "$T/want" "the journal of a talk"
is "$(stat -c %a "$T/journal")" 600 "... is for its owner only"

# Of two refusals only one is for want of a right.
rm "$T/journal"
printf 'root-t0ken,root,1,system:masters\n' >>"$T/tokens"
echo '{"user":"root","resource":"configmaps","code":403}' >"$T/plan"
kapi_up --journal "$T/journal" --token-auth-file "$T/tokens" \
	--authorization-mode=RBAC --faults "$T/plan"
ask GET $maps "" "" "${ann[@]}" >/dev/null
ask GET $maps "" "" -H "Authorization: Bearer root-t0ken" >/dev/null
kapi_down
is "$(jq -r '"\(.user) \(.code) \(.reason) \(.decision)"' "$T/journal")" \
	"ann 403 Forbidden forbid
root 403 Forbidden null" "the journal tells a missing right"
done_testing
