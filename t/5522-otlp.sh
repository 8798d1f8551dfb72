#!/bin/bash
# krecord spans --endpoint: decisions are sent as they come; a server that does
# not answer, refuses, or is late; what waits is bounded.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=writes.sh
. "${0%/*}/writes.sh"
# shellcheck source=clock/lib.sh
. "${0%/*}/clock/lib.sh"
clock_begin

incident=t/cases/5600/incident.jsonl
# bodies: what was sent, in the order of arrival
bodies() {
	sed -n 's,^POST /v1/traces ,,p' "$T/requests"
}
names() {
	bodies | jq -r '.resourceSpans[].scopeSpans[].spans[].name'
}
log() {
	sed 's/^krecord: //' "$T/err"
}
send() {
	clock run 1h krecord spans --endpoint="$url" "$@" <"$incident"
}
krecord spans "$incident" >"$T/printed"

serve '{}'
runs 0 "a recording is sent" send
is "$(bodies | jq -Sc .)" "$(jq -Sc . "$T/printed")" "... as it is printed"
is "$(cat "$T/out" "$T/err")" "" "... without a word"
serve '{}'
runs 0 "--batch=1" send --batch=1
is "$(bodies | jq -c '.resourceSpans | length' | xargs)" "1 1" \
	"... a request for each decision"
is "$(bodies | jq -Ssc '[.[].resourceSpans[]]')" \
	"$(jq -Sc .resourceSpans "$T/printed")" "... in their order"
runs 0 "a path behind the address" krecord spans --endpoint="$url/" <"$incident"
is "$(bodies | wc -l)" 3 "... is the same"

### A server that fails

serve '{"POST /v1/traces":[{"code":503,"body":"later"},
	{"code":429,"headers":{"Retry-After":"1"}},{"end":"close"}]}'
runs 0 "503, 429, no answer: sent again" send
is "$(bodies | sort -u | jq -Sc .)" "$(jq -Sc . "$T/printed")" "... the same"
is "$(bodies | wc -l)" 4 "... until it is taken"
is "$(log)" "warning: traces: $url/v1/traces: HTTP 503: later
traces: $url/v1/traces takes them again" "... which is logged once"
serve '{"POST /v1/traces":[{"code":400,"body":"no\nsuch"}]}'
runs 1 "400: not sent again" send --batch=1
is "$(bodies | wc -l)" 2 "... the next one is"
is "$(log)" "warning: traces: $url/v1/traces: HTTP 400: no\\nsuch
warning: traces: $url/v1/traces takes them again; 1 were left out
error: 1 traces were not sent" "... logged, and counted"
serve '{"POST /v1/traces":[{"body":{"partialSuccess":
	{"rejectedSpans":"3","errorMessage":"too\nold"}}},{"body":
	{"partialSuccess":{"rejectedSpans":2}}}]}'
runs 0 "a part is refused" send --batch=1
is "$(log)" "warning: traces: $url/v1/traces refuses 3 spans: too\\nold; further ones are not mentioned" \
	"... said once"
serve "$(jq -nc '{"POST /v1/traces": [{body: ("x" * 1100000)}]}')"
runs 1 "a huge answer" send
is "$(bodies | wc -l)" 1 "... is an answer"
serve '{"POST /v1/traces":[{"code":307,"headers":{"Location":"/x"}}]}'
runs 1 "a redirection" send
is "$(cut -d" " -f2 "$T/requests")" /v1/traces "... is not followed"
port=${url##*:}
kill_now "$server"
begin() {
	rm -f "$T/lines"
	mkfifo "$T/lines"
	exec 5<>"$T/lines" 6<"$T/lines"
	: >"$T/err"
	start from 6 krecord spans --endpoint="$url" --report-fd=7 5>&- \
		2>"$T/err" 7>"$T/report"
	krecord=$!
	exec 6<&-
	wait_for 20 test -s "$T/report"
}
finish() { # CODE WHAT
	exec 5>&-
	wait "$krecord"
	is "$?" "$1" "$2" || quote <"$T/err"
}
begin
cat "$incident" >&5
ok "nobody listens: said" wait_for 20 grep -q \
	"traces: $url/v1/traces: cannot connect" "$T/err"
rm "$T/port"
echo {} >"$T/script"
: >"$T/requests"
start t/server/fake-writes "$T/script" "$T/port" "$T/requests" "$port" 5>&-
server=$!
disown "$server"
sent() {
	[ "$(names | wc -l)" -ge "$1" ]
}
ok "... sent when somebody does" wait_for 60 sent 6
finish 0 "... it ends with its input"

### As they come

serve '{}'
begin
if [ "${BIN##*/build-sanitize/*}" ]; then
	is "$(awk '/^Seccomp:/ { print $2 }' "/proc/$krecord/status")" 2 \
		"behind a filter of system calls"
fi
sed -n 1,5p "$incident" >&5
ok "a decision that is answered is sent at once" wait_for 20 sent 3
now=$(clock now)
sed -n 4p "$incident" | jq -c --arg now "$now" '.time = $now |
	.line.reconcile.because.events[].time = $now' >&5
ok "one without an answer is when nobody waits any more" wait_for 20 sent 5
is "$(names | tail -n 2)" "reconcile Memcached
decide" "... as far as it came"
jq -c 'select(.metrics)' "$T/report" >"$T/metrics"
has_samples() {
	jq -e 'select(.metrics | keys[] | test("decision_seconds_count")) |
		.metrics | to_entries[] |
		select(.key | test("_count")).value == 2' "$T/report"
}
ok "how long they took is a metric" wait_for 20 has_samples
is "$(jq -c '.metrics // {} | to_entries[] | select(.value | arrays)
	| [(.key | capture("le=\"(?<le>.*)\"").le), .value[1].value]' \
	"$T/report" | head -n 1)" '["0.025",0.02]' "... with an exemplar"
trace=$(bodies | jq -r '.resourceSpans[0].scopeSpans[0].spans[0].traceId' |
	head -n 1)
is "$(jq -r '.metrics // {} | .[] | arrays | .[1].trace_id' "$T/report" |
	head -n 1)" "$trace" "... which names the trace"
echo '{"half' >&5
ok "a bad line is mentioned" wait_for 20 grep -q \
	'standard input:7: .*further ones are not mentioned' "$T/err"
finish 0 "it ends with its input"

serve '{"POST /v1/traces":[{"code":429,"headers":{"Retry-After":"999999"}}]}'
begin
cat "$incident" >&5
ok "the server wants a pause of days" wait_for 20 grep -q 'HTTP 429' "$T/err"
ok "... it gets minutes" wait_for 301 requested 2
finish 0 "... and takes it"

### Many, and large ones

# many N ANSWERS: sets with so many answers of 300 bytes and more
many() {
	sed -n '4,5p' "$incident" | jq -c '.line |
		if .kind == "List" then {record: "set", time: "TIME", line:
			(.items = [range($ARGS.positional[0])] |
			.reconcile.primary.name = "NAME" |
			del(.reconcile.status))}
		else {record: "result", time: "TIME", tool: "kapply", line:
			(.primary = "Memcached.cache.example.com/default/NAME" |
			.because = "b" * 300)} end' --jsonargs "$2" |
		perl -e '($n, $m) = @ARGV; ($set, $answer) = <STDIN>;
			for (0 .. $n - 1) {
				$decision = $set . $answer x $m;
				$time = sprintf "2026-11-27T15:00:02.%06dZ", $_;
				$decision =~ s/TIME/$time/g;
				$decision =~ s/NAME/o$_/g;
				print $decision;
			}' "$1" "$2"
}
# decisions: how many were sent
decisions() {
	bodies | grep -o '"name":"reconcile' | wc -l
}
# As bodies they are 18 MB, of which at most 8 MiB may wait (courier.h).
many 10000 1 >"$T/most"
serve '{}'
runs 0 "a recording of 10000 decisions" krecord spans --endpoint="$url" \
	<"$T/most"
is "$(decisions)" 10000 "... waits for the server"
serve '{"POST /v1/traces":[{},{},{}]}'
many 6 900 >"$T/many"
runs 0 "large decisions" krecord spans --endpoint="$url" <"$T/many"
is "$(bodies | jq -c '.resourceSpans | length' | xargs)" "2 2 2" \
	"... make less of a request"
is "$(krecord spans "$T/many" | jq -c '.resourceSpans | length' | xargs)" \
	"2 2 2" "... and of a line"

### Told to end

serve '{}'
begin
kill -STOP "$krecord"
# Room for more than is read at once, and no process that waits for room.
perl -e 'fcntl(STDIN, 1031, 1 << 20) or die' <&5
many 400 1 >"$T/many"
ok "more waits than is read at once" test "$(stat -c %s "$T/many")" -gt 300000
cat "$T/many" >&5
printf '%s' '{"half' >&5
kill -TERM "$krecord"
kill -CONT "$krecord"
wait "$krecord"
is "$?" 0 "told to end, it reads what has come"
exec 5>&-
is "$(decisions)" 400 "... sends it" || quote <"$T/err"
is "$(log)" "" "... without a word"
serve '{}'
begin
echo '{"record":"gap","time":"2026-11-27T15:00:00.000000Z","stream":"live"}' >&5
echo '{"record":"gap","time":"2026-11-27T15:00:00.000000Z","stream":"live"}' >&5
finish 0 "lines that were lost"
is "$(log)" "warning: traces: lines were lost before they were read, so traces are missing; further ones are not mentioned" \
	"... are mentioned once"

### A server that never answers

mkfifo "$T/go" # no process that looks for it
serve "{\"POST /v1/traces\":[{\"wait\":\"$T/go\"}]}"
begin
cat "$incident" >&5
ok "a request is under way" wait_for 20 requested 1
kill -TERM "$krecord"
wait "$krecord"
is "$?" 1 "told to end, it does not wait for long"
exec 5>&-
is "$(log)" "error: 2 traces were not sent" "... and says what is lost"

serve "{\"POST /v1/traces\":[{\"wait\":\"$T/go\"}]}"
begin
head -n 3 "$incident" >&5
clock run 10m cat "$T/most" >&5
exec 5>&-
ok "too much waits: the oldest is left out" wait_for 60 grep -q \
	'too much waits to be sent' "$T/err"
memory=$(awk '/^VmHWM:/ { print $2 }' "/proc/$krecord/status")
: >"$T/go"
wait "$krecord"
is "$?" 1 "... the others are sent"
[ -n "${BIN##*/build-sanitize/*}" ] || memory=0
ok "... in bounded memory ($memory KiB)" test "$memory" -lt 24000
lost=$(sed -n 's/.*error: \([0-9]*\) traces were not sent/\1/p' "$T/err")
is "$(($(decisions) + lost))" 10000 "... each was counted"

### Without the state

{
	printf '{"type":"%s","object":{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","resourceVersion":"1"}}}\n' \
		ADDED
} >"$T/events"
runs 0 "krecord write --flow-fd" sh -c "krecord write --flow-fd=1 \
	--events-fd=4 4<'$T/events'"
is "$(grep . "$T/out" | jq -r '.record // .type' | xargs)" "segment ADDED" \
	"... has no state"
is "$(<"$T/err")" "" "... without a word"
yes "$(<"$T/events")" | head -n 3000 >"$T/many"
mkfifo "$T/unread"
exec 8<>"$T/unread"
runs 0 "one that nobody reads" sh -c "krecord write --flow-fd=8 \
	--events-fd=4 4<'$T/many'"
exec 8>&-
is "$(log)" "warning: nothing reads the descriptor 8: its last lines are lost" \
	"... is mentioned at the end"

### Refusals

for wrong in collector:4318 http:// http:///x 'http://a b' 'ftp://a' \
	'http://a/?x' ''; do
	runs 100 "--endpoint=$wrong" krecord spans --endpoint="$wrong" </dev/null
	is "$(log)" "fatal: option --endpoint: $wrong is not a URL like http://collector:4318" \
		"... says so"
done
runs 100 "a password" krecord spans --endpoint=http://u:hunter2@h </dev/null
is "$(log)" "fatal: option --endpoint: a URL with a name or password is not supported" \
	"... is not repeated"
cat >"$T/watches.yaml" <<'END'
- {version: v1, kind: ConfigMap, program: program.jq}
END
echo 'def desired: []; def status: {};' >"$T/program.jq"
runs 100 "kpipe refuses it before it starts" kpipe -f "$T/watches.yaml" \
	--otlp-endpoint=http://u:hunter2@h
is "$(<"$T/err")" "kpipe: fatal: option --otlp-endpoint: a URL with a name or password is not supported" \
	"... too"
runs 100 "... and what is not a URL" kpipe -f "$T/watches.yaml" \
	--otlp-endpoint=collector:4318
is "$(<"$T/err")" "kpipe: fatal: option --otlp-endpoint: collector:4318 is not a URL like http://collector:4318" \
	"... says so"
runs 100 "a file" krecord spans --endpoint="$url" "$incident"
is "$(log)" "fatal: option --endpoint reads standard input, not $incident: krecord cat $incident | krecord spans --endpoint=$url" \
	"... says how"
runs 100 "another command" krecord cut --endpoint="$url" "$incident"
is "$(log)" "fatal: option --endpoint belongs to krecord spans" "... says so"
runs 100 "--flow-fd" krecord cut --flow-fd=1 "$incident"
is "$(log)" "fatal: option --flow-fd belongs to krecord write" "... says so"
done_testing
