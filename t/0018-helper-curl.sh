#!/bin/bash
# t/helpers/curl.c, the curl that the shell tests call, does what curl does: the
# requests, output, files, messages and exit codes are the same. What it does
# not have it leaves to curl.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"

helper=$ROOT/build/t/bin/curl
real=$(PATH=${PATH//"$ROOT/build/t/bin:"/} command -v curl)
[ -x "$helper" ] || skip_all "make unit-tests builds the helper"

# It answers with the request.
cat >"$T/server.py" <<'END'
import http.server
import sys
import time


class Echo(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        n = int(self.headers.get("Content-Length", 0))
        got = self.rfile.read(n)
        if self.path == "/hangs":
            time.sleep(3)
        name = self.path[1:]
        body = b"" if name == "204" else str(n).encode() \
            if name == "length" else self.requestline.encode() \
            + b"\n" + bytes(self.headers) + got
        self.send_response_only(int(name) if name.isdigit() else 200)
        if name != "204":
            self.send_header("Content-Length",
                             str(len(body) + (name == "cut")))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)
        self.close_connection = name == "cut"

    do_HEAD = do_PUT = do_POST = do_PATCH = do_DELETE = do_GET


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Echo)
print("http://127.0.0.1:%d" % server.server_port, flush=True)
server.serve_forever()
END
start python3 "$T/server.py" >"$T/url" 2>"$T/server.err"
wait_for 60 test -s "$T/url"
read -r url <"$T/url"

# curl ARGUMENT...: the one in $curl; its exit code as well
# shellcheck disable=SC2317
curl() {
	(exec -a curl "$curl" "$@")
	echo "exit code $?" >&2
}

# called CURL: what it gives and writes for $line
called() {
	local curl=$1

	rm -f "$T/body" "$T/headers" "$T/none"
	(
		trap - EXIT
		eval "$line"
	) >"$T/out" 2>"$T/err" </dev/null
	# How long it took is not the same.
	sed -i -E 's/after [0-9]+ (ms|milliseconds)/after N ms/' "$T/err"
	tail -n +1 "$T/out" "$T/err" "$T/body" "$T/headers" 2>&1
}

while IFS= read -r -u 7 line; do
	called "$real" >"$T/want"
	called "$helper" >"$T/got"
	same "$T/got" "$T/want" "${line:0:72}"
done 7<t/cases/0018/calls

openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes \
	-subj /CN=kapi -addext subjectAltName=IP:127.0.0.1 -days 2 \
	-keyout "$T/key" -out "$T/crt" 2>/dev/null
start kapi --kubeconfig-out "$T/kubeconfig" --tls-cert-file "$T/crt" \
	--tls-private-key-file "$T/key" 2>"$T/kapi.err"
wait_for 20 test -s "$T/kubeconfig"
url=$(sed -n 's/.*server: *//p' "$T/kubeconfig")
for line in 'curl -sS --cacert "$T/crt" "$url/version"' \
	'curl -sS "$url/version"' 'curl -sk -w "%{http_code}" "$url/none"' \
	'curl -sk --http2-prior-knowledge "$url/version"' \
	'curl -sk --http1.1 "$url/version"'; do
	called "$real" >"$T/want"
	called "$helper" >"$T/got"
	same "$T/got" "$T/want" "TLS: $line"
done

# The result comes as it is sent.
mkfifo "$T/watched"
exec 6<>"$T/watched"
start "$helper" -sN --cacert "$T/crt" \
	"$url/api/v1/namespaces?watch=true" >&6
read -r -t 60 event <&6
is "${event:0:15}" '{"type":"ADDED"' "the first line of a watch, before its end"
done_testing
