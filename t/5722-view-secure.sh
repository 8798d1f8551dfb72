#!/bin/bash
# kview --serve --secure: TLS, and the right to get /view, of a bearer token or
# of the password that a browser asks for. A right that is taken away ends what
# is shown. kpipe gives it that for an address that is not this machine's alone.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=kapi.sh
. "${0%/*}/kapi.sh"
# shellcheck source=clock/lib.sh
. "${0%/*}/clock/lib.sh"
# shellcheck source=certificate.sh
. "${0%/*}/certificate.sh"
# shellcheck source=recorded.sh
. "${0%/*}/recorded.sh"
clock_begin

cat >"$T/tokens" <<'END'
admin-t0ken,admin,u0,"system:masters"
operator-t0ken,system:serviceaccount:ops:operator,u1
reader-t0ken,jane,u2
metrics-t0ken,prometheus,u3
END
kapi_up --token-auth-file "$T/tokens" --authorization-mode=RBAC \
	--journal "$T/journal"
kubeconfig() {
	sed "s/token: .*/token: $1-t0ken/" "$T/kubeconfig"
}
kubeconfig admin >"$T/admin"
kubeconfig operator >"$T/operator"
# bound NAME USER RULES
bound() {
	jq -cn --arg name "$1" --arg user "$2" --argjson rules "$3" \
		'{apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRole",
		metadata: {$name}, $rules},
		{apiVersion: "rbac.authorization.k8s.io/v1",
		kind: "ClusterRoleBinding", metadata: {$name},
		roleRef: {apiGroup: "rbac.authorization.k8s.io",
		kind: "ClusterRole", $name},
		subjects: [{apiGroup: "rbac.authorization.k8s.io",
		kind: "User", name: $user}]}'
}
{
	bound viewer jane '[{"nonResourceURLs": ["/view"], "verbs": ["get"]}]'
	bound metrics prometheus \
		'[{"nonResourceURLs": ["/metrics"], "verbs": ["get"]}]'
} | kapply --kubeconfig "$T/admin" -o none
# The role of doc/monitoring.md.
reviews='[{"apiGroups": ["authentication.k8s.io"],
	"resources": ["tokenreviews"], "verbs": ["create"]},
	{"apiGroups": ["authorization.k8s.io"],
	"resources": ["subjectaccessreviews"], "verbs": ["create"]}]'

event() {
	printf '{"type":"%s","object":{"apiVersion":"v1","kind":"ConfigMap","metadata":{"namespace":"ns","name":"%s","resourceVersion":"%s"}}}\n' "$@"
}
finish() {
	exec 5>&-
	told_to_end "$kview" "it ends"
}
# status CURL-OPTION...: of the page
status() {
	curl -sSk -D "$T/headers" -o "$T/body" -w '%{http_code}' --max-time 20 \
		"$@" "$page"
}
bearer() {
	status -H "Authorization: Bearer $1"
}
header() {
	tr -d '\r' <"$T/headers" | sed -n "s/^$1: //ip"
}
# secured [OPTION]...
secured() {
	serve 0.0.0.0:0 --secure --kubeconfig "$T/operator" "$@"
}
shows() {
	data "$1" | jq -e --arg name "$2" \
		'objects | .name == $name' | grep -q true
}

### Who may not ask the API server

secured
is "$(openssl s_client -connect "${page:8:-1}" </dev/null 2>/dev/null |
	openssl x509 -noout -subject | sed 's/ = /=/')" "subject=CN=kview" \
	"a certificate of its own"
ok "its address" grep -qE '^https://0\.0\.0\.0:[0-9]+/$' <<<"$address"
is "$(bearer reader-t0ken)" 500 "the operator may not ask who may look"
is "$(<"$T/body")" "Authentication failed" "... says so"
ok "... the log says what is missing" grep -q \
	'cannot ask who may read /view: TokenReview: .*cannot create' "$T/err"
bound reviews system:serviceaccount:ops:operator "$reviews" |
	kapply --kubeconfig "$T/admin" -o none
may_ask() {
	[ "$(bearer reader-t0ken)" = 200 ]
}
ok "... until it may" wait_for 20 may_ask

### Users

ok "with the right to get /view: the page" grep -q '^{"live":true}$' "$T/body"
ok "... with its policy" grep -q "default-src 'none'" \
	<<<"$(header content-security-policy)"
is "$(status -u "jane:reader-t0ken")" 200 "as a password"
is "$(status -u ":reader-t0ken")" 200 "... with any name"
is "$(status -u "any:one:reader-t0ken")" 401 "... which ends at the first colon"
is "$(bearer metrics-t0ken)" 403 "with that to get /metrics only"
is "$(<"$T/body")" "Authorization denied for user prometheus" "... says so"
is "$(header www-authenticate)" "" "... a browser need not ask again"
is "$(status -u x:metrics-t0ken)" 403 "... as a password"
is "$(status)" 401 "no token"
is "$(header www-authenticate)" 'Basic realm="the password is a token"' \
	"... a browser asks for it"
is "$(<"$T/body")" Unauthorized "... the page is not shown"
for wrong in "Bearer wrong" "Bearer " "Basic $(printf 'x:wrong' | base64)" \
	"Basic $(printf reader-t0ken | base64)" "Basic %%%" "Basic " Basic \
	"Digest reader-t0ken" reader-t0ken; do
	is "$(status --http1.1 -H "Authorization: $wrong")" 401 "refused: $wrong"
done
is "$(status -X POST -H 'Authorization: Bearer reader-t0ken')" 405 \
	"another method"
is "$(status --http1.1 -H 'Authorization: bearer  reader-t0ken')" 401 \
	"two blanks, as for servers in Go"
is "$(status --http1.1 -H 'Host: operator.example.com' \
	-H 'Authorization: bearer reader-t0ken')" 200 "by another name of it"
is "$(page=${page/https/http} status)" 400 "without TLS"
is "$(page=${page}x bearer reader-t0ken)" 404 "another path"

### Events

event ADDED a 1 >&5
listen "$T/denied" -u x:metrics-t0ken
wait "$client"
is "$(<"$T/denied")" "Authorization denied for user prometheus" \
	"events are not for one without the right"
listen "$T/one" -u x:reader-t0ken
ok "... but for one with it" wait_for 20 shows "$T/one" a
event ADDED b 2 >&5
ok "... as they come" wait_for 20 shows "$T/one" b
last=$(sed -n 's/^id: //p' "$T/one" | tail -n 1)
clock pass 299s
event ADDED c 3 >&5
ok "after nearly five minutes, too" wait_for 20 shows "$T/one" c
clock pass 21s
wait "$client"
is "$?" 0 "after five minutes they end" || quote <"$T/one.err"
listen "$T/two" -u x:reader-t0ken -H "Last-Event-ID: $last"
ok "... and go on with the next request" wait_for 20 shows "$T/two" c
is "$(grep -c reset "$T/two")" 0 "... without what was sent"
ask DELETE /apis/rbac.authorization.k8s.io/v1/clusterrolebindings/viewer '' '' \
	-H 'Authorization: Bearer admin-t0ken' >/dev/null
clock pass 340s
wait "$client"
is "$(bearer reader-t0ken)" 403 "a right that was taken away ends"
is "$(grep -c t0ken "$T/err")" 0 "no token in the log"
finish

### The certificate

trusted() {
	[ "$(curl -sS --cacert "$T/tls/tls.crt" -o /dev/null -w '%{http_code}' \
		-m 20 "$page" 2>/dev/null)" = 401 ]
}
certificate one
sandbox=required filter=2
! nm -D "$BIN/kview" | grep -q __asan_init || sandbox=auto filter=0
secured --cert-path "$T/tls" --sandbox=$sandbox
ok "a given certificate" trusted
is "$(awk '/^Seccomp:/ { print $2 }' "/proc/$kview/status")" "$filter" \
	"... behind the filter of system calls, unless there are sanitizers"
certificate two
ok "a new one is used" wait_for 20 trusted
finish

### Refusals

runs 100 "a folder without a certificate" kview --serve=0.0.0.0:0 --secure \
	--kubeconfig "$T/operator" --cert-path "$T/none" </dev/null
ok "... is named" grep -q \
	"fatal: option --cert-path: cannot read $T/none/tls.crt" "$T/err"
runs 100 "no API server" env KUBECONFIG="$T/nothing" kview --serve=0.0.0.0:0 \
	--secure </dev/null
ok "... says so" grep -q "fatal: .*$T/nothing" "$T/err"
refuses "option --cert-path needs --secure" kview --serve=127.0.0.1:0 \
	--cert-path="$T/tls"
refuses "option --secure needs --serve" kview --secure

### kpipe

cat >"$T/watches.yaml" <<'END'
- group: apps
  version: v1
  kind: Deployment
  program: program.jq
END
echo 'def desired: [];' >"$T/program.jq"
{
	bound viewer jane '[{"nonResourceURLs": ["/view"], "verbs": ["get"]}]'
	bound reads admin2 '[{"apiGroups": ["*"], "resources": ["*"],
		"verbs": ["*"]}]'
} | kapply --kubeconfig "$T/admin" -o none
start kpipe -f "$T/watches.yaml" -A --view-bind-address=0.0.0.0:0 \
	--kubeconfig "$T/admin" --http-kubeconfig "$T/operator" 2>"$T/log"
kpipe=$!
find_page "$T/log"
ok "kpipe, not for this machine alone" grep -q '^https:' <<<"$address"
is "$(bearer metrics-t0ken)" 403 "... to one without the right"
is "$(bearer reader-t0ken)" 200 "... to one with it"
is "$(jq -r 'select(.path | endswith("/tokenreviews")) | .user' "$T/journal" |
	sort -u)" "system:serviceaccount:ops:operator" \
	"... which the server's own credential asks"
listen "$T/live" -u :reader-t0ken
ok "... the pipeline" wait_for 30 grep -q '"stages"' "$T/live"
told_to_end "$kpipe" "... ends"
kapi_down
done_testing
