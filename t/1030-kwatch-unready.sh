#!/bin/bash
# kwatch was ready, and then a kind or the server fails: it reports that, and
# the reader of its lines does not notice.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=kwatch.sh
. "${0%/*}/kwatch.sh"
# shellcheck source=clock/lib.sh
. "${0%/*}/clock/lib.sh"
clock_begin

# Reasons as they were reported, a line for each report; "none" when ready
# again.
unready() {
	jq -rR 'fromjson? | select(.unready).unready |
		to_entries | map("\(.key): \(.value)") | join("; ") |
		if . == "" then "none" else . end' <"$T/report"
}

# reported TEXT: the newest report contains it
reported() {
	unready | tail -n 1 | grep -qF -- "$1"
}

ready_again() {
	reported none
}

first='{"lines": ['"$(ev ADDED a 1 4), $(mark 5 end)"']}'
other='{"lines": [{"type":"BOOKMARK","object":{"kind":"ConfigMap","apiVersion":"v1","metadata":{"resourceVersion":"2","annotations":{"k8s.io/initial-events-end":"true"}}}}], "end": "hang"}'
no='pods is forbidden: User \"jo\" cannot watch resource \"pods\"'

# Rights are taken away, and given back. The watch goes on where it was.
serve '{"pods": {"initial": ['"$first"'], "watch": [
		{"code": 403, "body": '"$(status 403 Forbidden "$no")"'},
		{"code": 403, "body": '"$(status 403 Forbidden "$no")"'},
		{"lines": [], "end": "hang"}]},
	"configmaps": {"initial": ['"$other"']}}'
watch pods,cm -A --report-fd 3 3>"$T/report"
ok "rights are taken away, and given back" wait_for 20 ready_again
stop 0
is "$(unready)" 'Pod: cannot watch pods: pods is forbidden: User "jo" cannot watch resource "pods"
none' "... it is reported when it begins and when it ends"
is "$(short <"$T/out" | sort)" "ADDED a 1 4
begin ConfigMap
begin Pod
end ConfigMap
end Pod" "... and no object is gone"
is "$(<"$T/err")" "kwatch: error: cannot watch pods: pods is forbidden: User \"jo\" cannot watch resource \"pods\"
kwatch: watching pods now" "... and said once"
is "$(grep pods "$T/requests")" "initial /api/v1/pods?watch=1&allowWatchBookmarks=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan
exact /api/v1/namespaces/s/pods?limit=1&resourceVersion=5&resourceVersionMatch=Exact&fieldSelector=metadata.name%3Da
list /api/v1/pods?limit=1&resourceVersion=5&resourceVersionMatch=NotOlderThan
watch /api/v1/pods?watch=1&allowWatchBookmarks=true&resourceVersion=5
watch /api/v1/pods?watch=1&allowWatchBookmarks=true&resourceVersion=5
watch /api/v1/pods?watch=1&allowWatchBookmarks=true&resourceVersion=5" \
	"... and it goes on from the same version"

# From the start: the log says once which primaries wait.
cat >"$T/watches.yaml" <<'END'
- version: v1
  kind: ConfigMap
  program: program.jq
  dependents:
  - {apiVersion: v1, kind: Pod}
END
echo 'def desired: [];' >"$T/program.jq"
refused='{"code": 403, "body": '"$(status 403 Forbidden "$no")"'}'
serve '{"pods": {"initial": ['"$refused, ${refused/jo/joe}, $first"'],
		"watch": [{"lines": [], "end": "hang"}]},
	"configmaps": {"initial": ['"$other"']}}'
watch -f "$T/watches.yaml" -A --report-fd 3 3>"$T/report"
ok "rights are missing, and then given" wait_for 60 grep -q 'watching pods now' \
	"$T/err"
ok "... kwatch is ready" wait_for 60 grep -q '^$' "$T/report"
stop 0
is "$(jq -rR 'if . == "" then "ready" else fromjson | .unready |
	select(. != null) | .Pod // "none" end' <"$T/report")" \
	'cannot watch pods: pods is forbidden: User "jo" cannot watch resource "pods"
cannot watch pods: pods is forbidden: User "joe" cannot watch resource "pods"
none
ready' "... why it is not yet is told"
is "$(grep 'nothing is' "$T/err")" \
	"kwatch: warning: nothing is decided for ConfigMap until this works: all of Pod must be known" \
	"... what is not decided is said once"

# In one namespace only: which others are listed is told behind their objects,
# and no more once all are. (Each namespace takes the next answer.)
sed -i 's/kind: ConfigMap/kind: ConfigMap\n  namespaces: [s, r, q]/' "$T/watches.yaml"
serve '{"pods": {"initial": ['"$refused, $first, $first, {\"silent\": true}"'],
		"watch": [{"lines": [], "end": "hang"}]},
	"configmaps": {"initial": ['"$other"']}}'
watch -f "$T/watches.yaml" --timestamps
listed() {
	jq -rR 'fromjson? | .object.metadata.annotations //{} |
		."kpipe.dev/listed-namespaces" // empty' <"$T/out"
}
is_listed() {
	[ "$(listed | tr , '\n' | wc -l)" = 2 ]
}
ok "rights are missing in one namespace" wait_for 30 is_listed
stop 0
is "$(listed | tr , '\n' | grep -c '^[sqr]$')" 2 "... the others are named"
is "$(grep 'nothing is' "$T/err")" \
	"kwatch: warning: nothing is decided for ConfigMap until this works, but for those that see nothing there: all of Pod must be known" \
	"... and the log says that only some wait"

# A single refusal does not count: the server may not have read the rules yet.
serve '{"pods": {"initial": ['"$first"'], "watch": [
	{"code": 403, "body": '"$(status 403 Forbidden "$no")"'},
	{"lines": ['"$(ev ADDED b 2 6)"'], "end": "hang"}]}}'
watch pods -A --report-fd 3 3>"$T/report"
lines 4
seen "begin Pod
ADDED a 1 4
end Pod
ADDED b 2 6" "a single refusal after the initial state"
is "$(<"$T/err")$(unready)" "" "... is not worth a word"

# A watch-list that is neither answered nor refused: given up after two minutes,
# and tried again.
serve '{"pods": {"initial": [{"silent": true},
	{"lines": ['"$(ev ADDED a 1 4), $(mark 5 end)"'], "end": "hang"}]}}'
watch pods -A
clock pass 119s
is "$(<"$T/err")" "" "no answer for nearly two minutes: it waits"
clock pass 2s
lines 3
seen "begin Pod
ADDED a 1 4
end Pod" "... for two: asked again"
is "$(<"$T/err")" "kwatch: warning: cannot watch pods: the server does not answer
kwatch: watching pods now" "... and said"

# A transient error counts after 15 s, and so does a server that does not
# answer. Both are tested at once to save time.
serve '{"pods": {"initial": ['"$first"'], "watch": [
		{"code": 500, "body": '"$(status 500 InternalError "boom")"'}]},
	"configmaps": {"initial": ['"$other"']}}'
watch pods,cm -A --report-fd 3 3>"$T/report"
passing=$watcher
wait_for 10 grep -q boom "$T/err"
mv "$T/err" "$T/err.passing"
mv "$T/report" "$T/report.passing"
passing_server=$server
server=
serve '{"pods": {"initial": [{"lines": ['"$(ev ADDED a 1 4), $(mark 5 end)"'], "end": "hang"}],
	"watch": [{"lines": [], "end": "hang"}]}}'
script=$(<"$T/script")
port=$(<"$T/port")
watch pods -A --report-fd 3 3>"$T/report"
lines 3
kill_now "$server"
server=
lines 1 err
is "$(unready)" "" "a server that is away for a moment"
ok "... is reported after a while" \
	wait_for 20 reported "api: the API server does not answer: cannot connect to http://127.0.0.1:$port: Connection refused"
serve "$script" "$port"
ok "... until it is back" wait_for 20 ready_again
stop 0
is "$(unready | wc -l)" 2 "... and nothing else"
is "$(short <"$T/out")" "begin Pod
ADDED a 1 4
end Pod" "... and no object is gone"

watcher=$passing
mv "$T/report.passing" "$T/report"
ok "what fails again and again is reported" \
	wait_for 20 reported "Pod: cannot watch pods: boom"
is "$(unready | wc -l) $(<"$T/err.passing")" \
	"1 kwatch: warning: cannot watch pods: boom" "... and said once"
stop 0
kill_now "$passing_server"

# Streams that end before their first event: the list says why.
bad='conversion webhook for example.com/v1, Kind=Pod failed: connection refused'
serve '{"pods": {"initial": [{"lines": []}], "list": [
		{"code": 500, "body": '"$(status 500 InternalError "$bad")"'},
		{"body": {"metadata":{"resourceVersion":"3"},"items":[]}}],
	"watch": [{"lines": [], "end": "hang"}]}}'
watch pods -A --report-fd 3 3>"$T/report"
ok "a watch-list that ends too early, again and again" \
	wait_for 30 grep -q now "$T/err"
stop 0
is "$(<"$T/err")" "kwatch: warning: cannot watch pods: the stream ends before the initial state is there
kwatch: warning: cannot list pods: $bad
kwatch: watching pods now" "... is listed instead, which says why"
is "$(cut -d' ' -f1 "$T/requests")" "initial
initial
list
list
watch" "... after two of them"

there='{"body": {"metadata":{"resourceVersion":"5"},"items":[]}}'
serve '{"pods": {"initial": ['"$first"'], "list": ['"$there, $there"',
		{"code": 500, "body": '"$(status 500 InternalError "$bad")"'}],
	"watch": [{"lines": []}]}}'
watch pods -A
lines 2 err
seen "begin Pod
ADDED a 1 4
end Pod" "a watch that ends at once, again and again"
is "$(<"$T/err")" "kwatch: warning: cannot watch pods: the server ends the stream at once
kwatch: warning: cannot list pods: $bad" "... is listed, too"
serve '{"pods": {"initial": ['"$first"'], "list": [
		{"code": 500, "body": '"$(status 500 InternalError "$bad")"'}],
	"watch": [{"lines": []}]}}'
watch pods -A
lines 1 err
stop 0
is "$(<"$T/err")" "kwatch: warning: cannot watch pods: $bad" \
	"... or what is asked before says why"

# A stream that worked loses its connection: it is opened again at once, and
# only a failure of that is reported.
mkfifo "$T/cut"
serve '{"pods": {"initial": [{"lines": ['"$(mark 5 end)"'], "wait": "'"$T/cut"'", "end": "cut"}],
	"watch": [{"lines": ['"$(ev ADDED a 1 6)"'], "end": "hang"}]}}'
watch pods -A
lines 2
clock pass 1s
: >"$T/cut"
lines 3
seen "begin Pod
end Pod
ADDED a 1 6" "a connection is lost"
is "$(<"$T/err")" "" "... without a word"

# A kind that is removed, and defined again.
serve '{"pods": {"initial": ['"$first"', {"lines": ['"$(ev ADDED b 2 7), $(mark 8 end)"'], "end": "hang"}],
	"watch": [{"code": 404, "body": "404 page not found"}]}}'
watch pods -A --report-fd 3 3>"$T/report"
lines 5
seen "begin Pod
ADDED a 1 4
end Pod
ADDED b 2 7
DELETED a 1 - synthetic" "a path that is gone for a moment: differences"
is "$(unready)" "" "... and is not a reason yet"
is "$(<"$T/err")" "" "... nor worth a word"
done_testing
