#!/bin/bash
# kapi: listening, TLS, tokens, and malformed HTTP.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=kapi.sh
. "${0%/*}/kapi.sh"

maps=/api/v1/namespaces/default/configmaps

# Options.
refused() # WHAT MESSAGE OPTION...
{
	local what=$1 message=$2

	shift 2
	runs 100 "$what" timeout 300 kapi "$@"
	is "$(<"$T/err")" "kapi: fatal: $message" "... says why"
}
echo 't0ken,ann,7,"dev,ops"' >"$T/tokens"
echo 't0ken,ann' >"$T/short"
tokens=(--token-auth-file "$T/tokens")
refused "all addresses, without tokens" "option --listen: 0.0.0.0:0 is reached \
from elsewhere: that needs --token-auth-file or --client-ca-file" \
	--listen 0.0.0.0:0
refused "... with tokens in clear text" "option --listen: :0 is reached from \
elsewhere: that needs TLS" --listen :0 "${tokens[@]}" --tls=off
refused "no port" 'option --listen: bad address "127.0.0.1": want HOST:PORT' \
	--listen 127.0.0.1
refused "an address that is not ours" 'option --listen: 192.0.2.1:0 is reached '\
'from elsewhere: that needs --token-auth-file or --client-ca-file' \
	--listen 192.0.2.1:0
refused "... with tokens" "cannot listen on 192.0.2.1:0: Cannot assign \
requested address" --listen 192.0.2.1:0 "${tokens[@]}"
refused "bad tokens" "$T/short:1: want token,user,uid[,\"group1,group2\"], got \
2 columns" --token-auth-file "$T/short"
refused "an operand" 'unexpected operand "x"' x
refused "a kubeconfig that cannot be" "cannot write $T/no/where: No such file \
or directory" --kubeconfig-out "$T/no/where"

start kapi "${tokens[@]}" --tls=off --kubeconfig-out "$T/clear" 2>"$T/err"
ok "tokens in clear text on loopback" wait_for 10 test -s "$T/clear"
kill $!
wait $!
is "$(head -n 1 "$T/err")" "kapi: warning: option --tls: kubectl and the tools of \
kpipe send no token without TLS: they are anonymous" "... are warned of"

# A pipe, a device or a link as output is not replaced.
ln -s "$T/real" "$T/link"
: >"$T/real"
start kapi --kubeconfig-out "$T/link" 2>/dev/null
wait_for 10 grep -q current-context "$T/real"
kill $!
wait $!
is "$(readlink "$T/link") $(stat -c %F "$T/real")" "$T/real regular file" \
	"a kubeconfig through a link"

# Without TLS.
kapi_up --report-fd 5 5>"$T/report"
is "$url" "http://127.0.0.1:${url##*:}" "clear text on loopback"
is "$(stat -c %a "$T/kubeconfig")" 600 "the kubeconfig is for its owner"
is "$(sed 's/127.0.0.1:.*/ADDR/' "$T/kubeconfig")" "apiVersion: v1
kind: Config
clusters:
- name: kapi
  cluster:
    server: http://ADDR
    insecure-skip-tls-verify: true
users:
- name: kapi
  user: {}
contexts:
- name: kapi
  context:
    cluster: kapi
    user: kapi
current-context: kapi" "... is whole"
is "$(head -n 1 "$T/report" | wc -c)" 1 "ready by a newline"
port=${url##*:}
runs 100 "a port in use" timeout 300 kapi --listen "127.0.0.1:$port"
is "$(<"$T/err")" "kapi: fatal: cannot listen on 127.0.0.1:$port: Address \
already in use" "... says so"
ask GET /version "" "" --http1.1 >/dev/null
is "$(head -n 1 "$T/headers" | tr -d '\r')" "HTTP/1.1 200 OK" "HTTP/1.1"
ask GET /version "" "" --http2-prior-knowledge >/dev/null
is "$(head -n 1 "$T/headers" | tr -d '\r ')" "HTTP/2200" "HTTP/2"

# Bodies.
head -c 3145729 /dev/zero | tr '\0' ' ' >"$T/large"
too_large='{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"Request entity too large: limit is 3145728","reason":"RequestEntityTooLarge","code":413}'
for version in --http1.1 --http2-prior-knowledge; do
	is "$(ask POST $maps "@$T/large" "" $version)" "$too_large" \
		"a large body $version"
	is "$(ask POST $maps "@$T/large" "" $version \
		-H 'Transfer-Encoding: chunked')" "$too_large" "... in chunks"
done
yes '[' | head -n 20000 | tr -d '\n' >"$T/deep"
is "$(ask POST $maps "@$T/deep" | jq -c '[.code, .reason]')" \
	'[400,"BadRequest"]' "a deep body"
is "$(ask POST $maps "@-" <"$T/deep" | jq -c .code)" 400 "... by a pipe"
is "$(ask POST $maps '{' | jq -c '[.code, .reason]')" '[400,"BadRequest"]' \
	"half a body"

# talk BYTES: sends them; $T/talked is what comes back until the end of the
# connection. One process does it all.
cat >"$T/talk.py" <<'PYTHON'
import socket, sys
def talk(data):
    s = socket.create_connection(("127.0.0.1", int(sys.argv[1])), 10)
    s.sendall(data)
    s.shutdown(socket.SHUT_WR)
    try:
        while more := s.recv(65536):
            yield more
    except ConnectionResetError:
        pass
for line in sys.stdin.buffer:
    with open(sys.argv[2], "wb") as talked:
        talked.writelines(talk(line[:-1].decode("unicode_escape").encode("latin-1")))
    print(flush=True)
PYTHON
mkfifo "$T/said"
exec 9< <(exec python3 "$T/talk.py" "$port" "$T/talked" <"$T/said")
exec 8>"$T/said"
talk() {
	printf '%s\n' "$1" >&8
	read -r <&9
}
# first BYTES WANT WHAT: the first line
first() {
	local line=

	talk "$1"
	IFS= read -r line <"$T/talked"
	is "${line%$'\r'}" "$2" "$3"
}
first 'nothing like it\r\n\r\n' "HTTP/1.1 400 Bad Request" "no HTTP"
first 'GET /version HTTP/1.1\r\nHost: localhost\r\nA' "" "half a head"
first 'POST /version HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\nx' \
	"" "half a body"
first 'GET /version HTTP/1.1\r\n\r\n' "HTTP/1.1 400 Bad Request" "no host"
first "GET /version HTTP/1.1\r\nHost: localhost\r\nA: $(head -c 90000 /dev/zero |
	tr '\0' a)\r\nConnection: close\r\n\r\n" "HTTP/1.1 200 OK" \
	"a header of 90,000 bytes"
talk 'GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\nGET /livez HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n'
is "$(grep -o 'HTTP/1.1 200 OK' "$T/talked" | wc -l)" 2 "two at once"
talk 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\nGET / HTTP/1.1\r\n\r\n'
is "$(xxd -p "$T/talked" | tr -d '\n' |
	grep -c '0700000000000000000000000001')" 1 \
	"HTTP/2 garbage: GOAWAY, PROTOCOL_ERROR"
exec 8>&-
is "$(ask GET /healthz)" ok "all is well after it"

kapi_down
kapi_up --report-fd 5 5>"$T/report" # its memory has shrunk again
port=${url##*:}

# 10,000 idle connections, or as many as the limit allows.
cat >"$T/idle.py" <<'PYTHON'
import resource, socket, sys
port, pid = int(sys.argv[1]), sys.argv[2]
hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
many = min(10000, hard - 200)
def rss():
    for line in open("/proc/%s/status" % pid):
        if line.startswith("VmRSS"):
            return int(line.split()[1])
def ask(s):
    s.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
    return s.recv(65536).split(b"\r\n")[0].decode()
ask(socket.create_connection(("127.0.0.1", port), 10))
before = rss()
them = [socket.create_connection(("127.0.0.1", port), 10) for i in range(many)]
print(ask(socket.create_connection(("127.0.0.1", port), 10)))
print("# %d connections, %d kB" % (many, rss() - before), file=sys.stderr)
print("small" if rss() - before < many else "large")
print(ask(them[0]), ask(them[-1]))
PYTHON
runs 0 "10,000 idle connections" python3 "$T/idle.py" "$port" "$kapi"
cat "$T/err"
is "$(<"$T/out")" "HTTP/1.1 200 OK
small
HTTP/1.1 200 OK HTTP/1.1 200 OK" "... below 1 kB each, and others are served"
is "$(ask GET /healthz)" ok "... and when they are gone"

# At the end HTTP/2 clients are told, and streams end.
curl -sSN --http2-prior-knowledge --max-time 20 "$url$maps?watch=1" \
	>"$T/watch2" 2>&1 &
watch2=$!
curl -sSN --max-time 20 "$url$maps?watch=1" >"$T/watch1" 2>&1 &
watch1=$!
wait_for 10 grep -q kube-root-ca.crt "$T/watch2"
wait_for 10 grep -q kube-root-ca.crt "$T/watch1"
kapi_down
wait "$watch2"
is "$?" 0 "a watch over HTTP/2 ends cleanly with the server"
is "$(grep -c ADDED "$T/watch2")" 1 "... and had shown what there was"
wait "$watch1"
is "$?" 0 "... and so does one over HTTP/1.1"
is "$(grep -c ADDED "$T/watch1")" 1 "... and had shown the same"
is "$(tail -n 1 "$T/report" | jq -c '[.tool, .counters.objects > 5]')" \
	'["kapi",true]' "counters at the end"

# TLS, and tokens.
kapi_up "${tokens[@]}"
is "$url" "https://127.0.0.1:${url##*:}" "TLS where there are tokens"
is "$(sed -n 's/.*token: //p' "$T/kubeconfig")" '"t0ken"' "... in the kubeconfig"
auth=(-H 'Authorization: Bearer t0ken')
unauthorized='{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"Unauthorized","reason":"Unauthorized","code":401}'
is "$(ask GET $maps "" "" "${auth[@]}" | jq -r .kind)" ConfigMapList "a token"
is "$(head -n 1 "$T/headers" | tr -d '\r ')" "HTTP/2200" "ALPN chooses HTTP/2"
ask GET $maps "" "" "${auth[@]}" --http1.1 >/dev/null
is "$(head -n 1 "$T/headers" | tr -d '\r')" "HTTP/1.1 200 OK" "... or HTTP/1.1"
is "$(ask GET $maps)" "$unauthorized" "no token"
is "$(ask GET $maps "" "" -H 'Authorization: Bearer other')" "$unauthorized" \
	"another token"
is "$(ask GET /healthz)" ok "probes need none"
is "$(ask POST /apis/authentication.k8s.io/v1/selfsubjectreviews \
	'{"apiVersion":"authentication.k8s.io/v1","kind":"SelfSubjectReview"}' \
	"" "${auth[@]}" | jq -c .status.userInfo)" \
	'{"username":"ann","uid":"7","groups":["dev","ops","system:authenticated"]}' \
	"who that is"
as() { # ARGUMENT...: of curl, with the headers
	ask POST /apis/authentication.k8s.io/v1/selfsubjectreviews \
		'{"apiVersion":"authentication.k8s.io/v1","kind":"SelfSubjectReview"}' \
		"" "${auth[@]}" "$@" | jq -c '.message // .status.userInfo'
}
is "$(as -H 'Impersonate-User: joe' -H 'Impersonate-Group: g' \
	-H 'Impersonate-Extra-A%2FB: c' -H 'Impersonate-Uid: 8')" \
	'{"username":"joe","uid":"8","groups":["g","system:authenticated"],"extra":{"a/b":["c"]}}' \
	"ann acts as another user"
is "$(as -H 'Impersonate-User: system:serviceaccount:ns:sa')" \
	'{"username":"system:serviceaccount:ns:sa","groups":["system:serviceaccounts","system:serviceaccounts:ns","system:authenticated"]}' \
	"... as a service account"
is "$(as -H 'Impersonate-Group: g')" \
	'"requested &user.DefaultInfo{Name:\"\", UID:\"\", Groups:[]string{\"g\"}, Extra:map[string][]string(nil)} without impersonating a user name"' \
	"... as nobody in particular, which is refused"
is "$(ask GET $maps "" "" -H 'Impersonate-User: joe')" "$unauthorized" \
	"... with a token only"
is "$(curl -sS --cacert "$T/ca.pem" "https://localhost:${url##*:}/healthz")" \
	ok "by the name localhost"
is "$(curl -sS --cacert "$T/ca.pem" --resolve "kapi.test:${url##*:}:127.0.0.1" \
	"https://kapi.test:${url##*:}/healthz" 2>&1 | grep -c 'curl: (60)')" 1 \
	"... by no other"
is "$(curl -sS "http://127.0.0.1:${url##*:}/healthz")" \
	"Client sent an HTTP request to an HTTPS server." "clear text to it"
is "$(ask GET /healthz)" ok "... harms no other"
kapi_down
is "$(tail -n 1 "$T/kapi.err")" "kapi: listening on $url" "nothing else was said"

kapi_up --tls=on
is "$(sed -n 's/^ *token: //p' "$T/kubeconfig")" none \
	"TLS without tokens: kubectl does not ask who you are"
is "$(ask GET $maps | jq -r .kind)" ConfigMapList "... nor does kapi"
kapi_down
done_testing
