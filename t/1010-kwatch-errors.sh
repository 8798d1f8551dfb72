#!/bin/bash
# kwatch and servers that refuse, fail or do not answer: what it says, and how
# it ends.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=kwatch.sh
. "${0%/*}/kwatch.sh"
# shellcheck source=clock/lib.sh
. "${0%/*}/clock/lib.sh"
clock_begin

cm='{"lines": [{"type":"BOOKMARK","object":{"kind":"ConfigMap","apiVersion":"v1","metadata":{"resourceVersion":"2","annotations":{"k8s.io/initial-events-end":"true"}}}}], "end": "hang"}'
forbidden='pods is forbidden: User \"jo\" cannot watch resource \"pods\" in API group \"\" at the cluster scope'

# 403: it says who may not do what; other watches go on.
serve '{"pods": {"initial": [{"code": 403, "body": '"$(status 403 Forbidden "$forbidden")"'}]},
	"configmaps": {"initial": ['"$cm"']}}'
watch pods,cm -A
lines 3
lines 1 err
seen "begin Pod
begin ConfigMap
end ConfigMap" "a forbidden kind does not stop the others"
is "$(<"$T/err")" \
	"kwatch: error: cannot watch pods: pods is forbidden: User \"jo\" cannot watch resource \"pods\" in API group \"\" at the cluster scope" \
	"... and the message names user, verb and resource"
is "$(grep -c '/pods?' "$T/requests")" 1 "... and it is not asked for at once again"

serve '{"pods": {"list": [{"code": 403, "body": '"$(status 403 Forbidden "no list")"'}]},
	"configmaps": {"list": [{"body": {"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"3"},"items":[]}}]}}'
runs 1 "--once ends with 1 if a kind is forbidden" \
	kwatch --server "$url" --once pods cm -A
is "$(short <"$T/out")" "begin Pod
begin ConfigMap
end ConfigMap" "... and prints the others"
is "$(<"$T/err")" "kwatch: error: cannot list pods: no list" \
	"... and says which"

# 401: there are no other credentials to try.
serve '{"pods": {"list": [{"code": 401, "body": '"$(status 401 Unauthorized Unauthorized)"'}]}}'
runs 1 "401" kwatch --server "$url" --once pods -A
is "$(<"$T/err")" "kwatch: error: cannot list pods: Unauthorized" \
	"... is said"

# 429 and 500: tried again later, logged once.
serve '{"pods": {"initial": [
	{"code": 429, "headers": {"Retry-After": "1"}, "body": '"$(status 429 TooManyRequests "storage is (re)initializing")"'},
	{"code": 500, "body": '"$(status 500 InternalError "boom")"'},
	{"code": 500, "body": '"$(status 500 InternalError "boom")"'},
	{"lines": ['"$(mark 5 end)"'], "end": "hang"}]}}'
watch pods -A
lines 2
seen "begin Pod
end Pod" "429 and 500 pass"
is "$(<"$T/err")" \
	"kwatch: warning: cannot watch pods: storage is (re)initializing
kwatch: warning: cannot watch pods: boom
kwatch: watching pods now" "... and are said once each"

# No server listens: it waits and says so once; and again if the server goes
# away later.
serve '{"pods": {"initial": [{"lines": ['"$(mark 5 end)"'], "end": "hang"}],
	"watch": [{"lines": ['"$(ev ADDED a 1 6)"'], "end": "hang"}]}}'
port=$(<"$T/port")
script=$(<"$T/script")
kill_now "$server"
server=
watch pods -A
lines 1 err
serve "$script" "$port"
lines 2
kill_now "$server"
server=
lines 3 err
serve "$script" "$port"
lines 3
seen "begin Pod
end Pod
ADDED a 1 6" "a server that comes later, goes, and comes back"
is "$(sed '3s/warning: .*: waiting/warning: ...: waiting/' "$T/err")" \
	"kwatch: warning: cannot connect to $url: Connection refused: waiting for the API server
kwatch: the API server answers again
kwatch: warning: ...: waiting for the API server
kwatch: the API server answers again" "... each said once"

# An unknown kind: -f waits for it, as an operand it is an error.
serve '{"pods": {"initial": [{"lines": ['"$(mark 5 end)"'], "end": "hang"}],
	"list": [{"body": {"metadata":{"resourceVersion":"3"},"items":[]}}]}}'
runs 100 "an operand that is not a resource" kwatch --server "$url" things
is "$(<"$T/err")" \
	'kwatch: fatal: the server has no resource type "things"' "... is named"
cat >"$T/w.yaml" <<'END'
- group: example.com
  version: v1
  kind: Thing
  program: p.jq
  dependents:
  - {apiVersion: v1, kind: Pod, manage: true}
  related:
  - {apiVersion: example.com/v1, kind: Spare, optional: true}
END
: >"$T/p.jq"
watch -f "$T/w.yaml" --report-fd 3 3>"$T/report"
lines 6
lines 2 err
seen "begin Thing
begin Pod
begin Spare
absent Spare
end Spare
end Pod" "a missing kind stays open, a missing optional one is absent and empty"
is "$(sort "$T/err")" \
	"kwatch: the server has no Spare in example.com/v1: continuing without it until it exists
kwatch: warning: the server has no Thing in example.com/v1: waiting for it" \
	"... both are said"
is "$(<"$T/report")" \
	'{"tool":"kwatch","unready":{"Thing.example.com":"the server has no Thing in example.com/v1"}}' \
	"... kwatch is not ready, and reports why"

runs 1 "--once ends with 1 if a kind is missing" \
	kwatch --server "$url" --once -f "$T/w.yaml"
is "$(grep error: "$T/err")" \
	"kwatch: error: the server has no Thing in example.com/v1" "... says so"

# Ready: a newline, then counters.
serve '{"pods": {"initial": [{"lines": ['"$(ev ADDED a 1 4), $(mark 5 end)"'], "end": "hang"}]}}'
watch pods -A --report-fd 3 3>"$T/report"
wait_for 10 test -s "$T/report"
stop 0
is "$(grep -v '"metrics":' "$T/report")" '
{"tool":"kwatch","counters":{"events":1,"lines":3,"coalesced":0,"synthetic":0,"objects":1,"relists":0,"reconnects":0}}' \
	"ready, and counters"

# How the server is asked.
bad() {
	runs 100 "$1" kwatch "${@:3}"
	is "$(<"$T/err")" "kwatch: fatal: $2" "... says so"
}
bad "nothing to watch" \
	"nothing to watch: name a resource, or a file with -f" --server "$url"
bad "-n with -A" "-n and -A exclude each other" --server "$url" -n x -A pods
bad "--objects with --managers" \
	"--objects and --managers exclude each other" \
	--server "$url" --objects --managers pods
bad "--objects with --timestamps" \
	"--objects and --timestamps exclude each other" \
	--server "$url" --objects --timestamps pods
bad "a name without a resource" '"/x" names an empty resource' \
	--server "$url" /x
bad "an empty name" '"pods/" is not RESOURCE/NAME' --server "$url" pods/
bad "two slashes" '"pods/a/b" is not RESOURCE/NAME' --server "$url" pods/a/b
bad "a list with a name" '"pods,cm/a": a name goes with one resource' \
	--server "$url" pods,cm/a
bad "a file that is not there" \
	"cannot read $T/none.yaml: No such file or directory" \
	--server "$url" -f "$T/none.yaml"

# Names and namespaces.
serve '{"pods": {"list": [{"body": {"metadata":{"resourceVersion":"3"},"items":['"$(pod a 1 2)"']}}]},
	"nodes": {"list": [{"body": {"metadata":{"resourceVersion":"3"},"items":[]}}]}}'
kwatch --server "$url" --once pods/a -n x --field-selector b=c >/dev/null
kwatch --server "$url" --once no -n x >/dev/null
for spelling in Pod pod po pods.v1.; do
	kwatch --server "$url" --once "$spelling" >/dev/null
done
kwatch --server "$url" --once Pod pod po pods.v1. >/dev/null
requests "list /api/v1/namespaces/x/pods?limit=500&fieldSelector=b%3Dc%2Cmetadata.name%3Da
list /api/v1/nodes?limit=500
$(printf 'list /api/v1/namespaces/default/pods?limit=500\n%.0s' 1 2 3 4 5)" \
	"one object, a cluster-scoped kind, spellings"

# The reader goes away: kwatch ends, and says nothing.
serve '{"pods": {"initial": [{"lines": ['"$(mark 5 end)"'], "end": "hang"}]}}'
unread 0 "the reader is gone: exit 0, at once" kwatch --server "$url" pods -A
is "$(<"$T/err")" "" "... silently"

done_testing
