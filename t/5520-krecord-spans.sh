#!/bin/bash
# krecord spans: decisions as traces for OpenTelemetry.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"

# spans [FILTER]: of $T/out, one on a line
spans() {
	jq -c ".resourceSpans[].scopeSpans[].spans[] | ${1-.}" "$T/out"
}
# tree: name, parent's name, milliseconds from and to after 15:00
tree() {
	jq -sr '[.[].resourceSpans[].scopeSpans[].spans[]] as $all |
		(INDEX($all[]; .spanId) | map_values(.name)) as $names |
		def ms: (.[:-6] | tonumber) % 3600000;
		$all[] | "\(.name) < \(if .parentSpanId then
			$names[.parentSpanId] else "-" end): " +
			"\(.startTimeUnixNano | ms) \(.endTimeUnixNano | ms)"' \
		"$T/out"
}
attributes='[.attributes[] | {(.key): .value.stringValue}] | add'

### What happened to one object, as recorded

runs 0 "an incident" krecord spans t/cases/5600/incident.jsonl
is "$(wc -l <"$T/out")" 1 "... is a request"
is "$(tree)" "reconcile Memcached < -: 1000 1020
decide < reconcile Memcached: 1000 1010
apply Deployment < reconcile Memcached: 1010 1020
reconcile Memcached < -: 600000 600020
decide < reconcile Memcached: 600000 600010
apply Deployment < reconcile Memcached: 600010 600020" \
	"... from event to answer, with what is between"
is "$(jq -c '.resourceSpans[1] | [.resource, .scopeSpans[0].scope.name]' \
	"$T/out")" '[{"attributes":[{"key":"service.name","value":{"stringValue":"kpipe-memcached"}}]},"kpipe"]' \
	"... of the operator"
is "$(spans 'select(.name | startswith("apply")) |
	'"$attributes" | tail -n 1)" \
	'{"kpipe.object":"Deployment.apps/default/example","kpipe.result":"configured","kpipe.because":".spec.replicas 7, wanted 3; set by kubectl-scale"}' \
	"... what was written, and why"
is "$(spans '.events[]?' | tail -n 1)" \
	'{"timeUnixNano":"1795792200000000000","name":"MODIFIED Deployment.apps default/example","attributes":[{"key":"kpipe.manager","value":{"stringValue":"kubectl-scale"}},{"key":"kpipe.resource_version","value":{"stringValue":"9"}}]}' \
	"... the events that led to it"
is "$(spans '[(.traceId | test("^[0-9a-f]{32}$")),
	(.spanId | test("^[0-9a-f]{16}$"))]' | sort -u)" "[true,true]" \
	"... identifiers in hex"
is "$(spans .traceId | sort -u | wc -l) $(spans .spanId | sort -u | wc -l)" \
	"2 6" "... a trace for each decision"
mv "$T/out" "$T/whole"
krecord cut --from=2026-11-27T15:05:00Z t/cases/5600/incident.jsonl |
	krecord spans >"$T/out"
is "$(jq -S '.resourceSpans[0]' "$T/out")" \
	"$(jq -S '.resourceSpans[1]' "$T/whole")" \
	"a recording that is cut has the same traces"
runs 0 "--batch" krecord spans --batch=1 t/cases/5600/incident.jsonl
is "$(jq -c '.resourceSpans | length' "$T/out" | xargs)" "1 1" \
	"... a line for each decision"
is "$(jq -sc '{resourceSpans: [.[].resourceSpans[]]}' "$T/out")" \
	"$(jq -c . "$T/whole")" "... the same ones"

### Refusals, statuses, deletes, several primaries

# set SECOND NAME ITEMS [MORE]; result SECOND NAME KIND RESULT [MORE]
set_line() {
	printf '{"record":"set","time":"2026-11-27T15:00:%s.000000Z","line":{"apiVersion":"v1","kind":"List","items":%s,"reconcile":{"primary":{"apiVersion":"example.com/v1","kind":"Thing","namespace":"ns","name":"%s"},"manager":"kpipe-thing"%s}}}\n' \
		"$1" "$3" "$2" "${4-}"
}
result() {
	printf '{"record":"result","time":"2026-11-27T15:00:%s.000000Z","tool":"kapply","line":{"apiVersion":"v1","kind":"%s","metadata":{"namespace":"ns","name":"x"},"result":"%s","primary":"Thing.example.com/ns/%s"%s}}\n' \
		"$1" "$3" "$4" "$2" "${5-}"
}
status() {
	printf '{"record":"status","time":"2026-11-27T15:00:%s.000000Z","line":{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"namespace":"ns","name":"%s"},"status":{}}}\n' "$1" "$2"
}
written() {
	printf '{"record":"result","time":"2026-11-27T15:00:%s.000000Z","tool":"kstatus","line":{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"namespace":"ns","name":"%s"},"result":"written"}}\n' "$1" "$2"
}
{
	set_line 01 a '[{},{}]' ',"status":{"ok":true},"delete":[{}]'
	set_line 02 b '[{}]' ',"because":{"events":[{"timer":"a deadline"}],"moreEvents":3}'
	result 03 a ConfigMap created
	result 03 b Secret failed ',"message":"say \"no\""'
	result 04 a ConfigMap unchanged
	result 05 a Secret deleted
	status 05 a
	written 07 a
	result 08 a ConfigMap created # of nobody: that set is over
	set_line 09 b '[{}]'
} >"$T/recording"
runs 0 "several primaries" krecord spans "$T/recording"
is "$(tree)" "reconcile Thing < -: 1000 7000
decide < reconcile Thing: 1000 1000
apply ConfigMap < reconcile Thing: 1000 3000
apply ConfigMap < reconcile Thing: 1000 4000
delete Secret < reconcile Thing: 1000 5000
status Thing < reconcile Thing: 5000 7000
reconcile Thing < -: 2000 3000
decide < reconcile Thing: 2000 2000
apply Secret < reconcile Thing: 2000 3000
reconcile Thing < -: 9000 9000
decide < reconcile Thing: 9000 9000" "... each by itself"
is "$(spans 'select(.status) | [.name, .status]')" \
	'["reconcile Thing",{"code":2}]
["apply Secret",{"code":2,"message":"say \"no\""}]' "... a refusal is an error"
is "$(spans 'select(.droppedEventsCount) |
	[.droppedEventsCount, .events[0].name]')" '[3,"a deadline"]' \
	"... a deadline is an event, and how many there were besides"
is "$(spans 'select(.name == "reconcile Thing") | [.attributes[] |
	select(.key | endswith("ed")).value.intValue]' | head -n 2 | xargs)" \
	"[4,4] [1,1]" "... what was asked for, and answered"

### An end that does not come

{
	set_line 01 a '[{},{}]'
	result 02 a ConfigMap created
	result 40 a ConfigMap created
} >"$T/recording"
runs 0 "an answer that is late" krecord spans "$T/recording"
is "$(tree | head -n 1)" "reconcile Thing < -: 1000 2000" \
	"... belongs to nothing any more"
{
	set_line 01 a "[$(seq -s, 1200)]"
	for ((i = 0; i < 1100; i++)); do result 02 a ConfigMap created; done
} >"$T/recording"
runs 0 "a thousand answers are enough" krecord spans "$T/recording"
is "$(tree | grep -c '^apply')" 1000 "... in one trace"
is "$(spans 'select(.parentSpanId | not) | .attributes[] |
	select(.key == "kpipe.answered").value.intValue')" '"1100"' \
	"... the rest is counted"

### While it is written, and faults

mkfifo "$T/live"
krecord spans --batch=1 <"$T/live" >"$T/out" &
krecord=$!
exec 4>"$T/live"
{
	set_line 01 a '[{}]'
	result 02 a ConfigMap created
} >&4
has_trace() {
	[ "$(wc -l <"$T/out")" = 1 ]
}
ok "a decision that is over is printed at once" wait_for 10 has_trace
exec 4>&-
ok "... and the end is the end" wait "$krecord"
runs 0 "nothing recorded" krecord spans /dev/null
is "$(<"$T/out")" "" "... nothing printed"
refuses "option --batch: 0 is not a number of decisions" krecord spans \
	--batch=0 t/cases/5600/incident.jsonl
refuses "option --batch belongs to krecord spans" krecord cat --batch=2 \
	t/cases/5600/incident.jsonl
{
	echo nonsense
	cat t/cases/5600/incident.jsonl
} >"$T/recording"
runs 1 "a bad line" krecord spans "$T/recording"
is "$(<"$T/err")" \
	"krecord: error: $T/recording:1: unexpected byte at byte 2" "... is named"
is "$(jq -c '.resourceSpans | length' "$T/out")" 2 "... the rest is there"
runs 111 "a full disk" sh -c \
	'krecord spans t/cases/5600/incident.jsonl >/dev/full'
done_testing
