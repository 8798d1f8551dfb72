#!/bin/bash
# kpipe-http: the probes. Where only this machine gets to it, and it asks for no
# credential, web pages of other sites read nothing; elsewhere any Host will do.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=http.sh
. "${0%/*}/http.sh"

# answers PATH CODE TEXT WHAT: TEXT without the last newline
answers() {
	is "$(get "$1"; echo; http_code)" "$3${3:+
}$2" "$4"
}

http_up --health-probe-bind-address 127.0.0.1:0
is "$metrics" "" "one address, for probes"
answers /healthz 200 ok "alive at once"
answers /livez 200 ok "... under the newer name, too"
answers /readyz 500 "[-]kpipe failed: nothing is known yet
healthz check failed
" "not ready before kpipe said anything"
well=$(printf '[+]%s ok\n' ireconcile kapply kpipe kstatus kwatch)$'\nhealthz check passed\n'
tell "$(state running)"
answers /readyz 200 ok "ready: all stages run and are ready"
is "$(<"$T/http.code")" "200 text/plain; charset=utf-8" "... as plain text"
answers '/readyz?verbose' 200 "$well" "?verbose lists the checks"
answers '/readyz/?verbose=false' 200 "$(get '/readyz?verbose')
" "... whatever its value"
answers '/healthz?verbose' 200 "[+]ping ok
healthz check passed
" "alive has one check"
answers /healthz/ping 200 ok "... which can be asked alone"
tell "$(state running '.shadow["shadow-kwatch"] = {running: false, ready: false,
	starts: 3}')"
answers /readyz 200 ok "what runs beside it is not asked for"
answers '/readyz?verbose' 200 "$well" "... nor listed"
tell "$(state running)"
answers /readyz/kapply 200 ok "one check of readiness alone"
answers /readyz/nobody 404 "404 page not found
" "an unknown check"
answers /readyzx 404 "404 page not found
" "an unknown path"
metrics=$probes
answers /metrics 404 "404 page not found
" "no metrics where they were not asked for"

tell "$(state running '.stages.kstatus.ready = false
	| .stages.kapply = {running: false, ready: false, starts: 1}')" \
	'{"tool":"kwatch","unready":{"Secret":"cannot list secrets: forbidden (verb list)","api":"two\nlines \u001b[31m\u202e"}}'
answers /readyz 500 "[+]ireconcile ok
[-]kapply failed: it does not run
[+]kpipe ok
[-]kstatus failed: not ready yet
[-]kwatch failed: Secret: cannot list secrets: forbidden (verb list); api: two\nlines \x1b[31m\u202e
healthz check failed
" "each check says why"
tell "$(state running '.stages.kwatch.ready = false')"
answers /readyz/kwatch 500 "internal server error: Secret: cannot list secrets: forbidden (verb list); api: two\nlines \x1b[31m\u202e
" "... before it was ever ready, too"
tell "$(state running '.stages.kstatus.ready = false
	| .stages.kapply = {running: false, ready: false, starts: 1}')"
answers /readyz/kwatch 500 "internal server error: Secret: cannot list secrets: forbidden (verb list); api: two\nlines \x1b[31m\u202e
" "... alone, too"
answers /readyz/ireconcile 200 ok "... and the others are fine"
answers '/readyz?exclude=kwatch&exclude=kapply' 500 "[+]ireconcile ok
[+]kapply excluded: ok
[+]kpipe ok
[-]kstatus failed: not ready yet
[+]kwatch excluded: ok
healthz check failed
" "?exclude leaves checks out"
answers '/readyz?exclude=kwatch&exclude=kapply&exclude=kstatus' 200 ok \
	"... and none may be left that fails"
answers '/readyz?verbose&exclude=x%22%0ay&exclude=kapply&exclude=kwatch&exclude=kstatus&exclude=z' \
	200 "[+]ireconcile ok
[+]kapply excluded: ok
[+]kpipe ok
[+]kstatus excluded: ok
[+]kwatch excluded: ok
warn: some health checks cannot be excluded: no matches for \"x\\\"\\x0ay\",\"z\"
healthz check passed
" "... an unknown one is named, made harmless"
answers /healthz 200 ok "not ready, but alive"

tell '{"tool":"kwatch","unready":{"api":"gone"}}'
answers /readyz/kwatch 500 "internal server error: api: gone
" "the newest reasons count"
tell '{"tool":"kwatch","unready":{}}'
answers /readyz/kwatch 200 ok "... and when there are none, it is ready"
tell '{"tool":"kwatch","unready":{"api":"gone"}}' \
	"$(state running '.stages.kwatch.starts = 2')"
answers /readyz/kwatch 200 ok "a restart makes them void"
for phase in stopping waiting draining; do
	tell "$(state "$phase")"
	answers /readyz/kpipe 500 \
		"internal server error: the pipeline is $phase
" "not ready while it is $phase"
done
tell "$(state running '.leader = false
	| .stages.kelect = {running: true, ready: true, starts: 1}')"
answers '/readyz?verbose' 200 "${well/kapply ok/kapply ok$'\n'[+]kelect ok}" "who stands by is ready"
tell "$(state running '.leader = false
	| .stages.kelect = {running: true, ready: false, starts: 1}')"
answers /readyz/kelect 500 "internal server error: not ready yet
" "... but not before it takes part"

is "$(get /readyz -X POST; echo; http_code)" "405 method not allowed

405" "only GET"
is "$(get /healthz -I | tr -d '\r' | grep -v ^date; http_code)" \
	"HTTP/1.1 200 OK
content-type: text/plain; charset=utf-8
x-content-type-options: nosniff
content-length: 2

200" "... and HEAD"
is "$(get /healthz --http2-prior-knowledge; echo; http_code)" "ok
200" "HTTP/2 as well"

for line in '{}' '[]' '7' 'x' '{"tool":7}' '{"tool":"UP","metrics":{}}' \
	'{"tool":"kpipe","stages":{}}' '{"tool":"kpipe","phase":"no way","stages":{}}' \
	'{"tool":"kpipe","phase":"running","stages":[]}' \
	'{"tool":"kpipe","phase":"running","stages":{"kwatch":7}}' \
	'{"tool":"kpipe","phase":"running","stages":{"kwatch":{"starts":"1"}}}' \
	'{"tool":"kwatch","unready":[]}' '{"tool":"kwatch","metrics":[]}'; do
	tell "$line"
	ok "it outlives the line $line" kill -0 "$http"
done
mentioned='line [0-9]*: .*further ones are not mentioned'
wait_for 20 grep -q "$mentioned" "$T/http.err"
is "$(grep -c "$mentioned" "$T/http.err")" 1 "... and says so once"
tell "$(state running)"
answers /readyz 200 ok "a good line afterwards counts"

# connections N: at least N
connections() {
	[ "$(find "/proc/$http/fd" -lname 'socket:*' | wc -l)" -gt "$1" ]
}

# Clients that hold connections open, or send nothing, do not block others.
python3 - "$probes" <<'END' &
import socket, sys, time
host, port = sys.argv[1].rsplit(":", 1)
all = []
for i in range(300):
    s = socket.create_connection((host, int(port)))
    s.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n")
    all.append(s)
print("there", flush=True)
time.sleep(60)
END
slow=$!
started+=("$slow")
wait_for 10 connections 190
answers /healthz 200 ok "300 connections that never ask block no other"
kill -9 "$slow"
wait "$slow" 2>/dev/null
http_down 0 "it ends with its input"
is "$(grep -c . "$T/http.err")" 2 "... and has said no more than that" ||
	quote <"$T/http.err"

http_up --health-probe-bind-address 127.0.0.1:0
kill -TERM "$http"
http_down 0 "SIGTERM ends it, too"

runs 100 "no address" kpipe-http </dev/null
is "$(<"$T/err")" "kpipe-http: fatal: nothing to serve: --health-probe-bind-address or --metrics-bind-address is missing" \
	"... is an error that says what is missing"
runs 100 "0 is not an address" kpipe-http --metrics-bind-address=0 </dev/null
runs 100 "an address without a port" kpipe-http \
	--metrics-bind-address=127.0.0.1 </dev/null
is "$(<"$T/err")" 'kpipe-http: fatal: option --metrics-bind-address: bad address "127.0.0.1": want HOST:PORT' \
	"... is refused by name"
runs 100 "an invalid port" kpipe-http \
	--health-probe-bind-address=127.0.0.1:99999 </dev/null
is "$(sed 's/":.*/"/' "$T/err")" \
	'kpipe-http: fatal: option --health-probe-bind-address: bad address "127.0.0.1:99999"' \
	"... is refused by name"
http_up --health-probe-bind-address 127.0.0.1:0
refuses \
	"option --health-probe-bind-address: cannot listen on $probes: Address already in use" \
	kpipe-http "--health-probe-bind-address=$probes"
http_down 0 "the one that has it goes on until its end"
runs 100 "an operand" kpipe-http x </dev/null
refuses "option --metrics-secure needs --metrics-bind-address" kpipe-http \
	--metrics-secure --health-probe-bind-address 127.0.0.1:0
refuses "option --metrics-cert-path needs --metrics-secure" kpipe-http \
	--metrics-cert-path . --metrics-bind-address 127.0.0.1:0

# ---- pages of other sites ----

# gives PATH CODE HEADER...
gives() {
	local header options=()

	for header in "${@:3}"; do
		options+=(-H "$header")
	done
	get "$1" "${options[@]}" >"$T/page"
	is "$(http_code)" "$2" "$1: ${*:3}"
}

http_up --health-probe-bind-address 127.0.0.1:0 \
	--metrics-bind-address 127.0.0.1:0
for path in /metrics /healthz; do
	gives $path 200
	gives $path 200 'Host: localhost:8080'
	gives $path 200 'Host: [::1]'
	gives $path 200 'Host: localhost.:8080'
	gives $path 200 'Origin: http://localhost:3000'
	get $path --http1.0 -H 'Host:' >"$T/page" # as probes of HAProxy
	is "$(http_code)" 200 "$path: HTTP/1.0, without a Host"
	gives $path 403 'Host: evil.example'
	is "$(<"$T/page")" "403 the Host or Origin of the request is not this \
machine: use localhost or 127.0.0.1" "... says why"
	gives $path 403 'Origin: null'
	gives $path 403 'Origin: http://evil.example'
	gives $path 403 'Sec-Fetch-Site: cross-site'
done
http_down 0 "its end"

# Probes come by the address of the Pod, Prometheus by any name.
http_up --health-probe-bind-address :0 --metrics-bind-address 0.0.0.0:0
probes=127.0.0.1:${probes##*:} metrics=127.0.0.1:${metrics##*:}
for path in /metrics /healthz; do
	gives $path 200 'Host: 10.1.2.3:8081'
	gives $path 200 'Host: operator-metrics.default.svc'
done
http_down 0 "its end"
done_testing
