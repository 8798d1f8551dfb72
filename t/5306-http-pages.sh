#!/bin/bash
# kpipe-http: where only this machine gets to it, and it asks for no credential,
# web pages of other sites read nothing; elsewhere any Host will do.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=http.sh
. "${0%/*}/http.sh"

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
	is "$(cat "$T/page")" "403 the Host or Origin of the request is not this \
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
