#!/bin/bash
# kapi: what web pages send. Without credentials it is for this machine only, by
# its Host and its Origin; --cors-allowed-origins names pages that may ask.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=kapi.sh
. "${0%/*}/kapi.sh"
# shellcheck source=stay.sh
. "${0%/*}/stay.sh"

maps=/api/v1/namespaces/default/configmaps
queued=
page="a web page of another site sent the request"
host="the Host of the request is another one"
tail="and kapi without credentials is for this machine only:"

# by HEADER...: the status of a GET with these; the answer is in $T/body
by() {
	local header options=()

	for header; do
		options+=(-H "$header")
	done
	ask GET $maps '' '' "${protocol[@]}" "${options[@]}" >"$T/body"
	code
}
message() {
	jq -r .message "$T/body"
}
good() {
	answers 200 "answered: $*" "$@"
}
bad() {
	answers 403 "refused: $*" "$@"
}
# answers STATUS WHAT HEADER...: at once, or, between together and all_answer,
# with others.
answers() {
	if [ -z "$queued" ]; then
		is "$(by "${@:3}")" "$1" "$2"
		return
	fi
	statuses+=("$1") whats+=("$2")
	{
		printf '%s\n' next silent "url = \"$url$maps\"" 'user-agent = test' \
			'max-time = 20' "${protocol[0]#--}" \
			"output = \"$T/body\"" 'write-out = "%{http_code}\n"'
		printf 'header = "%s"\n' "${@:3}"
	} >>"$T/requests"
}
together() {
	queued=1 statuses=() whats=()
	echo >"$T/requests"
}
all_answer() {
	local i codes

	mapfile -t codes < <(curl -K "$T/requests" 2>&1)
	for i in "${!statuses[@]}"; do
		is "${codes[i]-}" "${statuses[i]}" "${whats[i]}"
	done
	queued=
}

kapi_up --journal "$T/journal"
port=${url##*:}
for version in http1.1 http2-prior-knowledge; do
	protocol=("--$version")
	note "$version"
	# curl 7.88 cannot use a connection with HTTP/2 again.
	[ "$version" = http2-prior-knowledge ] || together
	good
	for name in localhost LOCALHOST 127.0.0.1 127.9.9.9 '[::1]' \
		'[0:0:0:0:0:0:0:1]' '[::ffff:127.0.0.1]' localhost. LocalHost.; do
		good "Host: $name:$port"
		good "Host: $name"
		good "Origin: http://$name:3000"
	done
	good "Origin: https://localhost"
	good "Origin: HTTP://localhost/"
	for name in evil.example localhost.evil.example 127.0.0.1.evil.example \
		evil.localhost localhost.. evil.example. 127.1 2130706433 0177.0.0.1 \
		0x7f.0.0.1 0.0.0.0 10.0.0.1 '[::2]' '[::]' \
		'[::ffff:10.0.0.1]' 'localhost:x'; do
		bad "Host: $name"
		bad "Host: $name:$port"
		bad "Origin: http://$name"
		bad "Origin: http://$name:$port"
	done
	for name in 127.0.0.1@evil.example "127.0.0.1@evil.example:$port"; do
		bad "Origin: http://$name"
	done
	for origin in null localhost "//localhost" file:///x "ftp://localhost" \
		"chrome-extension://abcdef" "http:localhost" "http://" \
		"http://localhost http://evil.example" "http://localhost,null"; do
		bad "Origin: $origin"
	done
	bad "Origin: http://localhost" "Origin: http://evil.example"
	bad "Origin: http://evil.example" "Origin: http://localhost"
	bad "Sec-Fetch-Site: cross-site"
	bad "Sec-Fetch-Site: none" "Sec-Fetch-Site: cross-site"
	good "Sec-Fetch-Site: same-site"
	good "Sec-Fetch-Site: same-origin"
	good "Sec-Fetch-Site: none"
	# To a browser localhost and 127.0.0.1 are two sites.
	good "Sec-Fetch-Site: cross-site" "Origin: http://localhost:3000"
	bad "Sec-Fetch-Site: same-origin" "Origin: http://evil.example"
	[ -z "$queued" ] || all_answer
	# In HTTP/2, nghttp2 refuses it from 1.61 on.
	for name in 127.0.0.1@evil.example "127.0.0.1@evil.example:$port"; do
		is "$(by "Host: $name" | sed 's/000/403/')" 403 "refused: Host: $name"
	done
done
protocol=()

bad "Host: evil.example:$port"
is "$(message)" "$host (\"evil.example:$port\"), $tail use localhost, \
127.0.0.1 or [::1]" "... says why"
is "$(jq -c '[.kind, .reason, .code]' "$T/body")" '["Status","Forbidden",403]' \
	"... in a Status"
bad "Origin: http://evil.example"
is "$(message)" "$page (\"http://evil.example\"), $tail \
--cors-allowed-origins names pages that may ask" "... a page as well"
bad "Origin: $(printf '%01000d' 0)"
is "$(message | tr -dc 0 | wc -c)" 200 "... and does not repeat all of it"

# talk HEAD: the first line of the answer to raw bytes, in $line
talk() {
	exec 7<>"/dev/tcp/127.0.0.1/$port"
	printf '%b' "$1\r\n\r\n" >&7
	IFS= read -r -t 60 line <&7
	line=${line%$'\r'}
	exec 7>&-
}
# answered HEAD, refused HEAD
answered() {
	talk "$1"
	[[ $line == *" 200 "* ]]
	tap $? "answered: ${2:-$1}" || note "$line"
}
refused() {
	talk "$1"
	[[ $line == HTTP/1* && $line != *" 200 "* ]]
	tap $? "refused: ${2:-$1}" || note "$line"
}
refused 'GET /version HTTP/1.1\r\nHost: localhost\r\nHost: evil.example' \
	"two hosts, the second another one"
refused 'GET /version HTTP/1.1' "no host"
# A browser always sends one.
for head in 'GET /version HTTP/1.0' 'GET /version HTTP/1.0\r\nHost:' \
	'GET http://localhost/version HTTP/1.0' \
	"GET http://localhost:$port/version HTTP/1.0" \
	'GET http://localhost:80/version HTTP/1.1\r\nHost: localhost' \
	'GET http://localhost/version HTTP/1.1\r\nHost: localhost:80' \
	'GET http://[::1]:80/version HTTP/1.1\r\nHost: [::1]'; do
	answered "$head"
done
for head in 'GET http://evil.example/version HTTP/1.0' \
	'GET http://evil.example/version HTTP/1.0\r\nHost: localhost' \
	'GET http://evil.example/version HTTP/1.1\r\nHost: localhost' \
	'GET http://localhost/version HTTP/1.1' \
	'GET /version HTTP/1.0\r\nHost: evil.example' \
	'GET /version HTTP/1.0\r\nOrigin: http://evil.example' \
	'GET http://localhost@evil.example/version HTTP/1.0' \
	'GET http://user@localhost/version HTTP/1.1\r\nHost: localhost'; do
	refused "$head"
done

# All that a page can send without being asked first.
pages=(-H "Origin: http://evil.example" -H "Sec-Fetch-Site: cross-site")
ask POST $maps "$(config_map c)" '' -H 'Content-Type:' "${pages[@]}" >/dev/null
is "$(code)" 403 "a body without a type"
ask DELETE $maps/c '' '' "${pages[@]}" >/dev/null
is "$(code)" 403 "a deletion"
ask OPTIONS $maps '' '' "${pages[@]}" \
	-H "Access-Control-Request-Method: PUT" >/dev/null
is "$(code) $(grep -ci access-control "$T/headers")" "403 0" "a preflight"
for path in /version /livez /metrics /openapi/v3 / /nothing; do
	ask GET $path '' '' "${pages[@]}" >/dev/null
	is "$(code)" 403 "GET $path"
done
socket() { # ARGUMENT...
	stay t/server/websocket-client -H "Sec-WebSocket-Protocol:" "$@" |
		sed -n 1p | tr -d '\r'
}
watch="http://127.0.0.1:$port$maps?watch=1&timeoutSeconds=1"
is "$(socket -H "Origin: http://evil.example" "$watch")" \
	"HTTP/1.1 403 Forbidden" "a watch as a WebSocket"
is "$(socket -H "Origin: http://localhost:3000" "$watch")" \
	"HTTP/1.1 101 Switching Protocols" "... of a page of this machine"
exec="http://127.0.0.1:$port/api/v1/namespaces/default/pods/p/exec?command=a&stdout=1"
is "$(socket -H "Origin: http://evil.example" "$exec")" \
	"HTTP/1.1 403 Forbidden" "exec as a WebSocket"
talk 'POST /api/v1/namespaces/default/pods/p/exec?command=a&stdout=1 HTTP/1.1\r\nHost: localhost\r\nOrigin: null\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1'
is "$line" "HTTP/1.1 403 Forbidden" "exec as SPDY"
ask GET $maps >"$T/body"
is "$(jq -c '[.items[].metadata.name]' "$T/body")" '["kube-root-ca.crt"]' \
	"nothing was written"
is "$(jq -c 'select(.verb == "create") | [.code, .reason, .changed]' \
	"$T/journal" | sort -u)" '[403,"Forbidden",false]' "the journal has it"
kapi_down

# The name of --listen, which somebody chose.
name=$(hostname)
if getent ahosts "$name" | awk '{print $1}' | grep -qv '^127\|^::1'; then
	note "$name is not loopback"
else
	kapi_up --listen "$name:0"
	good
	good "Origin: http://${name^^}:3000"
	bad "Origin: http://$name.evil.example"
	kapi_down
fi

# With TLS alone it asks for nothing, either; with credentials that is enough.
kapi_up --tls=on
bad "Origin: http://evil.example"
bad "Host: evil.example"
good
kapi_down
echo 't0ken,ann,7' >"$T/tokens"
kapi_up --token-auth-file "$T/tokens" --authorization-mode=RBAC
ask GET $maps '' '' -H 'Authorization: Bearer t0ken' "${pages[@]}" \
	-H 'Host: evil.example' >"$T/body"
is "$(message)" 'configmaps is forbidden: User "ann" cannot list resource '\
'"configmaps" in API group "" in the namespace "default"' \
	"with a token it is a matter of rights"
kapi_down

# Pages that may ask.
cors() {
	grep -i '^access-control' "$T/headers" | tr -d '\r'
}
all() { # ORIGIN
	echo "access-control-allow-origin: $1
access-control-allow-methods: POST, GET, OPTIONS, PUT, DELETE, PATCH
access-control-allow-headers: Content-Type, Content-Length, Accept-Encoding, \
X-CSRF-Token, Authorization, X-Requested-With, If-Modified-Since
access-control-expose-headers: Date
access-control-allow-credentials: true"
}
kapi_up --cors-allowed-origins='//app[.]example(:|$),^http://localhost:3000$'
good "Origin: https://app.example:8443"
is "$(cors)" "$(all https://app.example:8443)" "... which may read the answer"
good "Origin: http://localhost:3000"
is "$(cors)" "$(all http://localhost:3000)" "... another one, too"
good "Origin: http://localhost:3001"
is "$(cors)" "" "a page of this machine that is not named cannot read it"
bad "Origin: https://app.example.evil.example"
is "$(cors)" "" "... nor a page that is refused"
bad "Origin: https://app.example" "Host: evil.example"
good
is "$(cors)" "" "nothing is said to other clients"
ask OPTIONS $maps/c '' '' -H 'Origin: http://app.example' >"$T/body"
is "$(code) $(wc -c <"$T/body")" "204 0" "what a browser asks first"
is "$(cors)" "$(all http://app.example)" "... what a page may send"
ask OPTIONS $maps/c >/dev/null
is "$(code)" 405 "... only for pages"
ask POST $maps "$(config_map c)" '' -H 'Origin: http://app.example' >/dev/null
is "$(code)" 201 "a page that is named writes"
is "$(cors)" "$(all http://app.example)" "... and reads the answer"
ask GET "$maps?watch=1&timeoutSeconds=1" '' '' \
	-H 'Origin: http://app.example' >/dev/null
is "$(cors)" "$(all http://app.example)" "... and watches"
ask GET $maps/none '' '' -H 'Origin: http://app.example' >/dev/null
is "$(code) $(cors)" "404 $(all http://app.example)" "... and reads errors"
is "$(socket -H "Origin: http://app.example" \
	"http://127.0.0.1:${url##*:}$maps?watch=1&timeoutSeconds=1")" \
	"HTTP/1.1 101 Switching Protocols" "... and opens WebSockets"
kapi_down
kapi_up --token-auth-file "$T/tokens" \
	--cors-allowed-origins='^https://app[.]example$'
ask OPTIONS $maps '' '' -H 'Origin: https://app.example' >/dev/null
is "$(code) $(cors)" "204 $(all https://app.example)" \
	"a browser asks first without a credential"
ask GET $maps '' '' -H 'Origin: https://app.example' >/dev/null
is "$(code) $(cors)" "401 $(all https://app.example)" "... and reads a 401"
kapi_down

invalid() # VALUE MESSAGE
{
	runs 100 "a bad value: $1" timeout 60 kapi --cors-allowed-origins="$1"
	is "$(<"$T/err")" "kapi: fatal: option --cors-allowed-origins: $2" \
		"... says why"
}
ends="has to name the start of the host, by ^ or //, and its end, by \$ or (:|\$)"
invalid '' "an expression is empty"
invalid '^http://a$,' "an expression is empty"
invalid 'app.example' "\"app.example\" $ends"
invalid '^http://app.example' "\"^http://app.example\" $ends"
invalid 'app.example$' "\"app.example\$\" $ends"
invalid '//a($' 'error parsing regexp: missing closing ): `//a($`'
done_testing
