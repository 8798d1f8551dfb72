#!/bin/bash
# kpipe-http --metrics-secure: TLS, TokenReview, SubjectAccessReview; on kapi.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=http.sh
. "${0%/*}/http.sh"
# shellcheck source=kapi.sh
. "${0%/*}/kapi.sh"
# shellcheck source=certificate.sh
. "${0%/*}/certificate.sh"

cat >"$T/tokens" <<'EOF2'
operator-t0ken,system:serviceaccount:ops:operator,u1
reader-t0ken,prometheus,u2,"monitoring,other"
denied-t0ken,stranger,u3,"kapi:denied"
EOF2
kapi_up --token-auth-file "$T/tokens" --journal "$T/journal"
# Its token is the first of the file.
export KUBECONFIG=$T/kubeconfig
scheme=https

# scrape TOKEN [CURL-OPTION...]: status, and the first line of the answer
scrape() {
	local token=$1

	shift
	get /metrics -k ${token:+-H "Authorization: Bearer $token"} "$@" |
		head -n 1
	http_code
}
# asked WANT WHAT: what the API server was asked since the last time. It writes
# its journal after the answer.
asked() {
	wait_for 5 journal_has "$(printf '%s' "$1" | grep -c .)"
	is "$(tail -n "+$(($(<"$T/seen") + 1))" "$T/journal" |
		jq -r '"\(.user) \(.path) \(.code)"')" "$1" "$2"
	mark
}
journal_has() {
	[ "$(wc -l <"$T/journal")" -ge "$(($(<"$T/seen") + $1))" ]
}
mark() {
	wc -l <"$T/journal" >"$T/seen"
}
plan() {
	ask DELETE /kapi/faults '' '' -H "Authorization: Bearer operator-t0ken"
	[ $# -eq 0 ] || ask POST /kapi/faults "$(printf '%s\n' "$@")" \
		application/json -H "Authorization: Bearer operator-t0ken"
	mark
}
tokenreview="system:serviceaccount:ops:operator /apis/authentication.k8s.io/v1/tokenreviews"
accessreview="system:serviceaccount:ops:operator /apis/authorization.k8s.io/v1/subjectaccessreviews"
unauthorized="Unauthorized
401"

http_up --metrics-bind-address 127.0.0.1:0 --metrics-secure \
	--health-probe-bind-address 127.0.0.1:0
mark
is "$(scrape "")" "$unauthorized" "no token"
is "$(scrape "" -H 'Authorization: Basic cmVhZGVyLXQwa2Vu')" "$unauthorized" \
	"something else than a token"
is "$(scrape "" --http1.1 \
	-H 'Authorization: Bearer ')" "$unauthorized" "an empty one"
asked "" "... no request was sent"
is "$(scrape wrong-t0ken)" "$unauthorized" "an unknown token"
asked "$tokenreview 201" "... the API server said so"
is "$(scrape wrong-t0ken)" "$unauthorized" "... again"
asked "" "... from memory"
is "$(scrape reader-t0ken)" "# HELP rest_client_requests_total Requests to the API server by status code, method and host.
200" "a token with the right"
asked "$tokenreview 201
$accessreview 201" "... both were asked"
is "$(<"$T/http.code")" "200 text/plain; version=0.0.4; charset=utf-8" \
	"... and the page given"
is "$(get /metrics -k --http1.1 -H 'authorization:  bEARER reader-t0ken ' |
	grep '^rest')" \
	"rest_client_requests_total{code=\"201\",method=\"POST\",host=\"${url#*://}\"} 3" \
	"... again, spelled another way; it counts its own requests"
asked "" "... from memory"
is "$(scrape reader-t0ken -I | tail -n 1)" 200 "another method"
asked "$tokenreview 201
$accessreview 201" "... is another right: both were asked"
is "$(scrape denied-t0ken)" "Authorization denied for user stranger
403" "a token without the right"
asked "$tokenreview 201
$accessreview 201" "... both were asked"
is "$(scrape denied-t0ken)" "Authorization denied for user stranger
403" "... again"
asked "" "... from memory"
is "$(scheme=http get /readyz/kpipe; http_code)" \
	"internal server error: nothing is known yet
500" "probes need no token, at their own address"
is "$(get /metrics -k -X POST -H 'Authorization: Bearer reader-t0ken')" \
	"405 method not allowed" "only GET"
is "$(scheme=http scrape reader-t0ken | tail -n 1)" 400 \
	"clear text is refused" || quote <"$T/http.code"
is "$(openssl s_client -connect "$metrics" </dev/null 2>/dev/null |
	openssl x509 -noout -subject -ext subjectAltName |
	sed 's/^ *//; s/ = /=/' | tail -n +1)" "subject=CN=kpipe-http
X509v3 Subject Alternative Name: 
DNS:localhost, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1" \
	"a certificate of its own"
http_down 0 "it ends"
is "$(grep -c t0ken "$T/http.err")" 0 "no token in the log"

# ---- bad answers of the API server ----

http_up --metrics-bind-address 127.0.0.1:0 --metrics-secure
plan '{"resource":"tokenreviews","code":503,"count":2}'
is "$(scrape reader-t0ken | tail -n 1)" 200 "a passing failure is waited for"
asked "$tokenreview 503
$tokenreview 503
$tokenreview 201
$accessreview 201" "... by asking again"
http_down 0 "it ends"
http_up --metrics-bind-address 127.0.0.1:0 --metrics-secure
plan '{"resource":"tokenreviews","code":403,"count":0}'
is "$(scrape reader-t0ken)" "Authentication failed
500" "TokenReview is forbidden"
is "$(scrape reader-t0ken)" "Authentication failed
500" "... and is again"
asked "$tokenreview 403
$tokenreview 403" "... which is not kept, nor tried again"
is "$(grep -c 'cannot ask who may read /metrics: TokenReview: ' "$T/http.err")" \
	1 "... and said once"
plan '{"resource":"subjectaccessreviews","code":403,"count":0}'
is "$(scrape reader-t0ken)" "Authorization for user prometheus failed
500" "SubjectAccessReview is forbidden"
plan
is "$(scrape reader-t0ken | tail -n 1)" 200 "... until it is not"
plan '{"resource":"tokenreviews","fault":"freeze"}'
for i in {1..20}; do
	curl -sk -m 30 -H "Authorization: Bearer flood-$i" \
		"https://$metrics/metrics" >"$T/flood.$i" 2>&1 &
	pids+=($!)
done
wait "${pids[@]}"
cat "$T"/flood.* | sort | uniq -c | sed 's/^ *//' >"$T/flood"
ok "20 questions at a time are too many: the rest is turned away" \
	grep -q '^4 Too many reviews are under way$' "$T/flood" ||
	quote <"$T/flood"
is "$(scrape reader-t0ken | tail -n 1)" 200 "... a known client is not" 
http_down 0 "it ends, also with requests under way"

# ---- a certificate that is renewed ----

subject() {
	openssl s_client -connect "$metrics" </dev/null 2>/dev/null |
		sed -n 's/ = /=/; /^subject=/p' # OpenSSL 3.0
}
# used N NAME: the Nth new one has that subject
used() {
	[ "$(grep -c 'a new certificate is used' "$T/http.err")" -eq "$1" ] &&
		[ "$(subject)" = "subject=CN=$2" ]
}
certificate one
http_up --metrics-bind-address 127.0.0.1:0 --metrics-secure \
	--metrics-cert-path "$T/tls"
is "$(subject)" "subject=CN=one" "a given certificate"
is "$(get /metrics --cacert "$T/tls/tls.crt" \
	-H "Authorization: Bearer reader-t0ken" >/dev/null; http_code)" 200 \
	"... which curl trusts"
certificate two
ok "a new one is used" wait_for 10 used 1 two
mkdir "$T/tls.bad"
echo bad >"$T/tls.bad/tls.crt"
cp "$T/tls.two/tls.key" "$T/tls.bad"
ln -sfn tls.bad "$T/tls.new"
mv -T "$T/tls.new" "$T/tls"
ok "an invalid one" wait_for 10 grep -q \
	"tls: cannot use the certificate: .*: the former certificate stays" \
	"$T/http.err"
is "$(subject)" "subject=CN=two" "... leaves the former one"
rm "$T/tls"
ok "none at all" wait_for 10 grep -q \
	"cannot read $T/tls/tls.crt: .*: the former certificate stays" \
	"$T/http.err"
is "$(get /metrics -k -H "Authorization: Bearer reader-t0ken" |
	grep ^certwatcher)" "certwatcher_read_certificate_total 4
certwatcher_read_certificate_errors_total 2" "... both are counted"
certificate three
ok "one that is good again is used" wait_for 10 used 2 three
http_down 0 "it ends"
runs 100 "a folder without a certificate" kpipe-http --metrics-secure \
	--metrics-bind-address 127.0.0.1:0 --metrics-cert-path "$T/none" </dev/null
is "$(sed 's/crt: .*/crt/' "$T/err")" \
	"kpipe-http: fatal: option --metrics-cert-path: cannot read $T/none/tls.crt" \
	"... is an error that names it"
mkdir "$T/garbage"
echo bad | tee "$T/garbage/tls.crt" >"$T/garbage/tls.key"
runs 100 "an invalid certificate" kpipe-http --metrics-secure \
	--metrics-bind-address 127.0.0.1:0 --metrics-cert-path "$T/garbage" \
	</dev/null
is "$(sed 's/certificate: .*/certificate/' "$T/err")" \
	"kpipe-http: fatal: option --metrics-cert-path: $T/garbage: cannot use the certificate" \
	"... is an error that names the folder"
kapi_down

done_testing
