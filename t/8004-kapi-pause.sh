#!/bin/bash
# kapi: requests that wait until they are told to go on, answers that are cut in
# the middle, faults for a while, admission that changes objects.
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

# create NAME: in the background; $T/NAME has the status, or why there is none
create() {
	start curl -sS --max-time 60 -A test -o "$T/$1.body" -w '%{http_code}\n' \
		-H "Content-Type: application/json" \
		--data-binary "$(config_map "$1")" "$url$maps" >"$T/$1" 2>&1
	created=$!
}

# waits [JQ]: the paused request of the journal, when it is there
waits() {
	wait_for 10 grep -q '^{"paused"' "$T/journal"
	jq -c "select(.paused) | ${1:-.paused}" "$T/journal"
}

# go_on MEMBERS: of the only request that waits; then it has ended
go_on() {
	ask POST /kapi/continue "{\"paused\":$(waits)$1}"
	wait "$created"
}

# told PLAN NAME MEMBERS: what a create was answered with; whether it was done;
# and what the journal says
told() {
	: >"$T/journal"
	plan "$1"
	create "$2"
	go_on "$3"
	ask GET "$maps/$2" >/dev/null
	sed 's/^000$/cut/; /^curl:/d' "$T/$2"
	code
	jq -r "select(.verb == \"create\" and (.paused | not)) |
		\"\(.code) \(.changed) \(.fault)\"" "$T/journal"
}

kapi_up --journal "$T/journal" --journal-changes

is "$(told '{"verb":"create","pause":true}' a '')" "201
200
201 true pause" "it waits, and goes on"
is "$(told '{"verb":"create","pause":true}' b ',"code":503')" "503
404
503 false 503" "it waits, and is refused"
is "$(told '{"verb":"create","pause":true}' c ',"fault":"cut","after":true')" \
	"cut
200
201 true cut after" "it waits, is done, and cut"
is "$(told '{"verb":"create","pause":true}' d ',"delayMs":1')" "201
200
201 true delay" "it waits, and then a while longer"
is "$(told '{"verb":"create","pause":true,"code":504}' e '')" "504
404
504 false 504" "it waits, and is refused as planned"
is "$(told '{"verb":"create","pause":true,"after":true}' f '')" "201
200
201 true pause after" "it is done, and its answer waits"
is "$(jq -r .metadata.name "$T/f.body")" f "... as a whole"
is "$(told '{"verb":"create","pause":true,"after":true}' g ',"code":500')" \
	"500
200
500 true 500 after" "it is done, and the answer another one"
is "$(told '{"verb":"create","pause":true,"after":true}' h ',"fault":"cut"')" \
	"cut
200
201 true cut after" "it is done, and there is no answer"
is "$(told '{"verb":"create","pause":true,"after":true,"code":409}' i '')" \
	"409
200
409 true 409 after" "it is done, and the answer that of the plan"

# What is seen meanwhile.
: >"$T/journal"
plan '{"verb":"create","pause":true}'
create j
is "$(waits '[.verb, .name, .code, .changed, .fault, .userAgent,
	.number == .paused] | join(" ")')" '"create j 0 false pause test true"' \
	"the journal says what waits"
is "$(ask GET /kapi/faults)" "{\"paused\":$(waits)}" "... and so do the faults"
ask DELETE /kapi/faults
is "$(ask GET /kapi/faults)" "{\"paused\":$(waits)}" \
	"... without a plan, too"
ask GET $maps/j >/dev/null
is "$(code)" 404 "... nothing was done"
go_on ''
: >"$T/journal"
plan '{"verb":"create","pause":true,"after":true}'
create k
is "$(waits '[.name, .code, .changed, .resourceVersion == null] |
	join(" ")')" '"k 201 true false"' "the journal says what was done"
is "$(head -n 2 "$T/journal" | jq -r '.change // .paused')" "ADDED
$(waits)" "... after the change"
is "$(ask POST /kapi/continue "{\"paused\":$(waits),\"delayMs\":5}" |
	jq -r .message)" \
	"request $(waits): its work is done: want code, cut or freeze" \
	"... it cannot wait longer"
kill "$created"
wait_for 10 grep -q '^{"number".*"pause after"' "$T/journal"
is "$(jq -r 'select(.fault and (.paused | not)) | "\(.code) \(.changed)"' \
	"$T/journal") $(ask GET /kapi/faults)" "201 true " "its client has gone"

: >"$T/journal"
plan '{"verb":"watch","pause":true,"after":true}'
start curl -sS --max-time 60 "$url$maps?watch=1&timeoutSeconds=1" >"$T/watch"
created=$!
go_on ''
is "$(jq -r .object.metadata.name "$T/watch" | grep -c .)" 10 \
	"a watch waits before it starts"

# Bad words.
for body in '{"paused":0}' '{"code":500}' '{"paused":0,"nth":1}'; do
	ask POST /kapi/continue "$body" | jq -r '"\(.code) \(.message)"'
done >"$T/bad"
ask GET /kapi/continue | jq -r '"\(.code) \(.message)"' >>"$T/bad"
is "$(<"$T/bad")" '404 no such request waits
422 no member "paused"
422 unknown member "nth"
405 want POST on /kapi/continue' "bad words"

# An answer in parts.
part() {
	plan "{\"verb\":\"get\",\"fault\":\"cut\",\"bytes\":$1}"
	exec 5<>"/dev/tcp/127.0.0.1/${url##*:}"
	printf 'GET %s/a HTTP/1.1\r\nHost: localhost\r\n\r\n' "$maps" >&5
	cat <&5
	exec 5>&-
}
is "$(part 12)" "HTTP/1.1 200" "the first bytes of an answer"
part 100000 >"$T/whole"
is "$(tail -n 1 "$T/whole" | jq -r .metadata.name)" a \
	"... all of them, and the end of the connection"
whole=$(stat -c %s "$T/whole")
part $((whole - 1)) >"$T/part"
is "$(stat -c %s "$T/part")" $((whole - 1)) "... all but one"
is "$(jq -r 'select(.fault) | "\(.code) \(.fault)"' "$T/journal" |
	tail -n 1)" "200 cut after" "... in the journal"

plan '{"verb":"watch","fault":"cut","event":2,"bytes":26}'
curl -sS --max-time 60 "$url$maps?watch=1&fieldSelector=metadata.name!%3Da" \
	>"$T/watch" 2>"$T/curl.err"
is "$(wc -l <"$T/watch") $(tail -n 1 "$T/watch")" \
	'1 {"type":"ADDED","object":{' "an event is cut in the middle of its line"

# For a while.
plan '{"verb":"get","resource":"configmaps","code":503,"forMs":600000}'
for _ in 1 2 3; do
	ask GET $maps/a >/dev/null
	code
done >"$T/codes"
is "$(<"$T/codes") $(ask GET /kapi/faults)" '503
503
503 {"line":{"verb":"get","resource":"configmaps","code":503,"forMs":600000},"matched":3,"taken":3}' \
	"for a while, all fail"
plan '{"verb":"get","code":503,"nth":2,"forMs":1}'
ask GET $maps/a >/dev/null
code >"$T/codes"
ask GET $maps/a >/dev/null
code >>"$T/codes"
over() {
	ask GET "$maps/a" >/dev/null
	[ "$(code)" = 200 ]
}
wait_for 10 over
is "$(<"$T/codes") $(ask GET /kapi/faults)" "200
503 " "... from the second on, and then no more"

# Admission.
plan '{"fault":"mutate","count":0,"patch":{"data":{"k":null,"by":"admission"}}}'
ask GET $maps/a >/dev/null
ask POST $maps "$(config_map new)" | jq -c .data >"$T/data"
ask PUT $maps/a "$(config_map a)" | jq -c .data >>"$T/data"
ask PATCH $maps/b '{"data":{"x":"y"}}' application/merge-patch+json >/dev/null
ask PATCH "$maps/a?fieldManager=m" '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"z":"1"}}' \
	application/apply-patch+yaml >"$T/applied"
jq -c .data "$T/applied" >>"$T/data"
is "$(<"$T/data")" '{"by":"admission"}
{"by":"admission"}
{"by":"admission","z":"1"}' "what is written is changed"
is "$(jq -r '[.metadata.managedFields[] | select(.fieldsV1["f:data"]["f:by"])] |
	length' "$T/applied")" 0 "... and has no manager"
is "$(ask GET /kapi/faults | jq .matched)" 4 "... what is read is not"
plan '{"fault":"mutate","patch":{"data":{"n":1}}}'
is "$(ask PUT $maps/a "$(config_map a)" | jq -r .code)" 400 \
	"... it is checked"
kapi_down
done_testing
