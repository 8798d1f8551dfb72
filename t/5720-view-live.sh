#!/bin/bash
# The page of kview, live, without a browser: kview --serve alone, then kpipe
# --view-bind-address. Events, reconnecting, clients that do not read, hosts
# that are not this machine; what is killed comes again alone.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=kapi.sh
. "${0%/*}/kapi.sh"
# shellcheck source=recorded.sh
. "${0%/*}/recorded.sh"

# event TYPE NAME VERSION: a line of kwatch
event() {
	printf '{"type":"%s","time":"2026-01-01T00:00:01.000000Z","object":{"apiVersion":"v1","kind":"ConfigMap","metadata":{"namespace":"ns","name":"%s","uid":"u","resourceVersion":"%s"},"data":{"v":"%s"},"status":{"phase":"p%s"}}}\n' "$1" "$2" "$3" "$3" "$3"
}
# shown FILE: its rows, in short
shown() {
	data "$1" | jq -r 'arrays | "\(.[2]) \(.[3])"'
}
# got FILE FILTER: it is true of one of the events
got() {
	jq -Rne '[inputs | select(startswith("data: "))[6:] | fromjson?
		| ('"$2"')?] | any' "$1"
}
# got_late FILE FILTER: of one of the last
got_late() {
	tail -n 30 "$1" >"$T/late"
	got "$T/late" "$2"
}
status() {
	curl -sS -o "$T/body" -w '%{http_code}' --max-time 20 "$@"
}
kill_client() {
	{
		kill_now "$client"
		wait "$client"
	} 2>/dev/null
}

### The page

serve 127.0.0.1:0
is "$(status "$page")" 200 "GET /"
ok "... is the page" grep -q '^{"live":true}$' "$T/body"
curl -sS -D "$T/headers" -o /dev/null "$page"
header() {
	tr -d '\r' <"$T/headers" | sed -n "s/^$1: //ip"
}
is "$(header x-content-type-options)" nosniff "... which is what it says"
is "$(header access-control-allow-origin)" "" "... for no other page"
# hash_of TAG: of what the page has in it
hash_of() {
	perl -MDigest::SHA=sha256_base64 -0777 -ne '
		print "sha256-", sha256_base64($1), "=" if /<'"$1>(.*?)<.$1"'>/s' \
		"$T/body"
}
is "$(header content-security-policy)" \
	"default-src 'none'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; style-src '$(hash_of style)'; script-src '$(hash_of script)'" \
	"... with nothing but its own style and script"
is "$(status "${page}x")" 404 "another path"
is "$(status -X POST "$page")" 405 "another method"
for host in evil.example localhost.evil.example 192.0.2.1 '[::2]' 128.0.0.1 \
	127.0.0.1.evil.example; do
	is "$(status -H "Host: $host:$port" "${page}events")" 403 \
		"a host that is not this machine: $host"
done
for host in localhost 127.0.0.1 127.1.2.3:80 '[::1]:1' LOCALHOST; do
	is "$(status -H "Host: $host" "$page")" 200 "this machine: $host"
done

### Events

event ADDED a 1 >&5
listen "$T/first"
ok "events begin with what there is" wait_for 20 got "$T/first" \
	'arrays | .[4] == "created"'
is "$(grep -m 1 . "$T/first")" "event: reset" "... after a reset"
ok "... a track" got "$T/first" \
	'.kind? == "ConfigMap" and .name == "a" and .there'
ok "... how it is" wait_for 20 got "$T/first" '.standing?.phase == "p1"'
event MODIFIED a 2 >&5
ok "a change comes" wait_for 20 got "$T/first" 'arrays | .[2] == "spec"'
ok "... with what changed" got "$T/first" \
	'arrays | .[5].fields? | tostring | test("data.v")'
ok "... and how it is now" wait_for 20 got "$T/first" '.standing?.phase == "p2"'
echo '{"record":"state","time":"2026-01-01T00:00:02Z","line":{"tool":"kpipe","phase":"running","leader":true,"stages":{"kwatch":{"running":true,"ready":true,"starts":1}}}}' >&5
ok "the state" wait_for 20 got "$T/first" '.state?.leader == true'
echo '{"record":"gap","time":"2026-01-01T00:00:02Z","stream":"events"}' >&5
ok "a gap" wait_for 20 got "$T/first" 'arrays | .[2] == "gap"'
echo '{"record":"shadow","time":"2026-01-01T00:00:02Z","line":{"primary":"Thing.example.com/ns/x","object":"Secret/ns/x","part":"item","change":"differs","differs":[{"path":".data.k","before":"hidden","after":"other"}]}}' >&5
ok "another release" wait_for 20 got "$T/first" 'arrays | .[2] == "shadow"'
is "$(grep -c hidden "$T/first")" 0 "... no value of a Secret"
echo '{"a":' >&5
ok "a bad line" wait_for 20 got "$T/first" 'arrays | .[2] == "bad"'
echo '</script><!--' | jq -Rc '{type: "ADDED", object: {apiVersion: "v1",
	kind: "ConfigMap", metadata: {namespace: "ns", name: .}}}' >&5
ok "markup in a name" wait_for 20 got "$T/first" '.name? == "</script><!--"'
# Its row is the last of all that came, behind its track.
rows() {
	[ "$(shown "$1" | grep -c "^$2 ")" -eq "$3" ]
}
ok "... as a row" wait_for 20 rows "$T/first" appeared 2
is "$(grep -c '</script' "$T/first")" 0 "... is not markup"

### Reconnecting

last=$(sed -n 's/^id: //p' "$T/first" | tail -n 1)
kill_client
event MODIFIED a 3 >&5
listen "$T/second" -H "Last-Event-ID: $last"
ok "reconnected: what came since" wait_for 20 got "$T/second" \
	'arrays | .[5].version == "3"'
is "$(grep -c reset "$T/second")" 0 "... without a reset"
is "$(shown "$T/second" | wc -l)" 1 "... and nothing else"
kill_client
for id in 00000000-3 "${last%-*}-999999999" "${last%-*}-99999999999999999999" x ''; do
	listen "$T/third" -H "Last-Event-ID: $id"
	ok "an id that is not known ($id): a reset" wait_for 20 grep -q \
		'^event: reset' "$T/third"
	ok "... and all" wait_for 20 got "$T/third" \
		'arrays | .[5].version == "3"'
	kill_client
done

### A client that does not read; what is kept

exec 7<>"/dev/tcp/127.0.0.1/$port"
printf 'GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n' >&7
listen "$T/reads"
wait_for 20 got "$T/reads" 'arrays | .[5].version == "3"'
message=$(head -c 16000 /dev/zero | tr '\0' x)
# keeps_up N: it has N of them. It is the speed of this machine otherwise whether
# a client that reads is cut as well.
keeps_up() {
	[ "$(stat -c %s "$T/reads")" -ge $(($1 * ${#message})) ]
}
yes '{"record":"result","time":"2026-01-01T00:00:03Z","tool":"kapply","line":{"apiVersion":"v1","kind":"ConfigMap","metadata":{"namespace":"ns","name":"a"},"result":"failed","message":"'"$message"'"}}' |
	head -n 250 >"$T/failures"
for ((i = 250; i <= 3000; i += 250)); do
	cat "$T/failures" >&5
	wait_for 20 keeps_up "$i"
done
ok "48 MB: a client that does not read is cut" wait_for 60 grep -q \
	'a client that does not read was cut' "$T/err"
event MODIFIED a 4 >&5
ok "... one that reads gets all" wait_for 60 got_late "$T/reads" \
	'arrays | .[5].version == "4"'
is "$(grep -c '^data: \[[0-9]*,[0-9]*,"failure"' "$T/reads")" 3000 "... each event"
exec 7>&-
kill_client
rm -f "$T/reads"
listen "$T/bound"
ok "a new client" wait_for 60 got_late "$T/bound" 'arrays | .[5].version == "4"'
ok "... gets the newest 16 MiB" test \
	"$(stat -c %s "$T/bound")" -lt $((17 * 1024 * 1024))
kill_client
listen "$T/third" -H "Last-Event-ID: ${last%-*}-1"
ok "an id that is gone: a reset" wait_for 20 grep -q '^event: reset' "$T/third"
kill_client

### The end of the input

event DELETED a 5 >&5
listen "$T/last"
exec 5>&-
ok "the input ends" wait_for 20 got_late "$T/last" '.ended? == true'
kill_client
is "$(status "$page")" 200 "... the page stays"
told_to_end "$kview" "a signal ends it"
sed -n '/the page is at/d; /does not read/d; p' "$T/err" >"$T/rest"
is "$(<"$T/rest")" \
	"kview: warning: standard input:6: text is cut short at byte 6; further ones are not mentioned
kview: the input has ended; the page stays" "its log"

### Attached: in a pipe in which others have written before

serve 127.0.0.1:0 --attached
{
	echo '"},"half of a line'
	event MODIFIED old 1
	printf '{"record":"sta'
	echo
	echo '{"record":"segment","version":1,"time":"2026-01-01T00:00:00Z","sequence":1,"tool":"kpipe"}'
	event ADDED new 2
} >&5
listen "$T/attached"
ok "attached: it begins at a segment" wait_for 20 rows "$T/attached" appeared 1
is "$(data "$T/attached" | jq -r '.name? // empty' | xargs)" new \
	"... without what was before"
is "$(shown "$T/attached" | cut -d ' ' -f 1 | xargs)" appeared "... nothing bad"
kill_client
exec 5>&-
wait "$kview"
is "$?" 0 "... ends with its input"

### Refusals

for address in 0.0.0.0:0 :8082 192.0.2.1:80 example.com:80 '[::]:0' 127.0.0.1 ''; do
	runs 100 "refused: $address" kview --serve="$address" </dev/null
	is "$(<"$T/err")" "kview: fatal: option --serve=$address: without --secure the page is for this machine only: 127.0.0.1:PORT, [::1]:PORT or localhost:PORT, which kubectl port-forward and ssh -L reach from elsewhere" \
		"... with what to do"
done
serve 127.0.0.1:0
runs 100 "a port that is in use" kview --serve="127.0.0.1:$port" </dev/null
ok "... says so" grep -q "option --serve: .*127.0.0.1:$port.*in use" "$T/err"
exec 5>&-
kill_now "$kview"
runs 100 "a file" kview --serve=127.0.0.1:0 x.jsonl
is "$(<"$T/err")" "kview: fatal: option --serve reads standard input, not x.jsonl: krecord cat x.jsonl | kview --serve=127.0.0.1:0" \
	"... says how"
for other in --term --object=Pod/a/b; do
	runs 100 "$other" kview --serve=127.0.0.1:0 "$other"
	ok "... is refused" grep -q "options --serve and ${other%%=*} exclude each other" "$T/err"
done
for other in --attached --report-fd=1; do
	refuses "option ${other%%=*} needs --serve" kview "$other"
done

### kpipe

copies
kapi_up
export KUBECONFIG=$T/kubeconfig
# stage NAME...: the pids of those of kpipe
stage() {
	local name pid

	for pid in $(<"/proc/$kpipe/task/$kpipe/children"); do
		read -r name <"/proc/$pid/comm"
		[[ " $* " != *" $name "* ]] || echo "$pid"
	done 2>/dev/null
}
stages() {
	stage kwatch ireconcile kapply kstatus krecord
}
deployment a 1
start kpipe -f "$T/watches.yaml" -A --view-bind-address=127.0.0.1:0 2>"$T/log"
kpipe=$!
find_page "$T/log"
listen "$T/live"
ok "kpipe: a primary" wait_for 30 got "$T/live" \
	'.kind? == "Deployment.apps" and .name == "a"'
ok "... its decision, and why" wait_for 30 got "$T/live" \
	'arrays | .[2] == "decision" and (.[4] | test("1 item.*; b"))'
ok "... a write" wait_for 30 got "$T/live" 'arrays | .[2] == "write"'
ok "... the stages" wait_for 30 got "$T/live" \
	'.state?.stages?.krecord?.ready == true'
deployment a 2
ok "a change comes" wait_for 30 got "$T/live" \
	'arrays | .[2] == "spec" and (.[4] | test("replicas 1 -> 2"))'
is "$(grep -c SECRET "$T/live")" 0 "no secret is in it"
is "$(find "$T" -name '*.zst')" "" "nothing was written to disk"

before=$(stages)
kill -9 "$(stage kview)"
ok "kview is killed: started again" wait_for 30 grep -q \
	'starting kview again' "$T/log"
two_pages() {
	[ "$(grep -c 'the page is at' "$T/log")" -eq 2 ]
}
ok "... it serves" wait_for 60 two_pages
find_page "$T/log"
listen "$T/again"
# With .there if it was told before the client came, else in a row behind it.
ok "... and knows what there is" wait_for 30 got "$T/again" \
	'.kind? == "Deployment.apps" and .name == "a"'
ok "... with the stages" wait_for 30 got "$T/again" \
	'.state?.stages?.kapply?.ready == true'
deployment b 1
ok "... and what comes" wait_for 30 got "$T/again" \
	'.kind? == "Deployment.apps" and .name == "b"'
is "$(shown "$T/again" | grep -c bad)" 0 "... nothing is bad"
is "$(stages)" "$before" "... the stages are the same"

kill -9 "$(stage krecord)"
all_again() {
	mapfile -t now < <(stages)
	[ "${#now[@]}" -eq 5 ] && [ "${now[*]}" != "${before//$'\n'/ }" ]
}
ok "krecord is killed: the pipeline starts again" wait_for 60 all_again
deployment c 1
ok "... the same page goes on" wait_for 60 got "$T/again" \
	'.kind? == "Deployment.apps" and .name == "c"'
told_to_end "$kpipe" "told to end"
ok "... kview, too" wait_for 30 test -z "$(stage kview)"

serve 127.0.0.1:0
start kpipe -f "$T/watches.yaml" -A --view-bind-address="127.0.0.1:$port" \
	5>&- 2>"$T/log"
kpipe=$!
ok "a port that is in use: said" wait_for 30 grep -q \
	"option --serve: .*127.0.0.1:$port.*in use" "$T/log"
deployment d 1
made() {
	ask GET /api/v1/namespaces/default/secrets/d | grep -q '"kind":"Secret"'
}
ok "... the operator works" wait_for 30 made
{
	kill_now "$kview"
	wait "$kview"
} 2>/dev/null
exec 5>&-
ok "... there is a page when the port is free" wait_for 60 grep -q \
	'the page is at' "$T/log"
kill "$kpipe"
wait "$kpipe"
kapi_down

refuses "options --dry-run and --view-bind-address exclude each other" kpipe \
	-f "$T/watches.yaml" --dry-run --view-bind-address=127.0.0.1:8082
done_testing
