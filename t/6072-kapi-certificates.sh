#!/bin/bash
# Clients that show a certificate: --client-ca-file. The expectations hold for
# both servers.
# servers: kapi real
# shellcheck source=t/lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=t/cluster/lib.sh
. "${0%/*}/cluster/lib.sh"

command -v openssl >/dev/null || skip_all "needs openssl"
mkdir "$T/pki"
cd "$T/pki" || exit 1

printf '%s\n' oid_section=oids "[oids]" kubeuid=1.3.6.1.4.1.57683.2 \
	"[req]" distinguished_name=dn "[dn]" >conf
# request NAME SUBJECT: NAME.key, NAME.csr
request() {
	openssl req -new -config conf -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes \
		-utf8 -subj "$2" -keyout "$1.key" -out "$1.csr"
} 2>>"$T/openssl.err"
# certificate NAME SUBJECT CA [EXTENSIONS [DAYS]]: signed by CA; by itself: "-"
certificate() {
	request "$1" "$2"
	printf '%s\n' "${4-}" >"$1.ext"
	if [ "$3" = - ]; then
		openssl x509 -req -in "$1.csr" -days 2 -signkey "$1.key" \
			-extfile "$1.ext" -out "$1.crt"
	else
		openssl x509 -req -in "$1.csr" -days "${5:-2}" -CA "$3.crt" \
			-CAkey "$3.key" -CAcreateserial -extfile "$1.ext" \
			-out "$1.crt"
	fi
	# shellcheck disable=SC2320
	[ -s "$1.crt" ] || flaw "no certificate $1"
} 2>>"$T/openssl.err"
authority="basicConstraints=critical,CA:TRUE
keyUsage=critical,keyCertSign"
client=extendedKeyUsage=clientAuth
certificate ca /CN=ca - "$authority"
certificate ca2 /CN=ca2 - "$authority"
certificate other /CN=ca - "$authority"
certificate joe /O=system:masters/O=dev/CN=joe ca "$client"
certificate ann /CN=ann/O=system:masters ca2
certificate any /CN=any/O=system:masters ca extendedKeyUsage=anyExtendedKeyUsage
certificate umlaut "/CN=jürgen/O=system:masters" ca "$client"
certificate two /CN=first/CN=second/O=system:masters ca "$client"
certificate uid "/CN=joe/O=system:masters/kubeuid=u-1" ca "$client"
certificate uids "/CN=joe/O=system:masters/kubeuid=u-1/kubeuid=u-2" ca "$client"
certificate nameless /O=system:masters ca "$client"
certificate server /CN=server/O=system:masters ca extendedKeyUsage=serverAuth
certificate late /CN=late/O=system:masters ca "$client" 0
certificate foreign /CN=joe/O=system:masters other "$client"
certificate self /CN=self/O=system:masters - "$client"
certificate middle /CN=middle ca "$authority"
certificate below /CN=below/O=system:masters middle "$client"
certificate servers /CN=servers ca "$authority
extendedKeyUsage=serverAuth"
certificate belows /CN=belows/O=system:masters servers "$client"
cat below.crt middle.crt >chain.crt
cp below.key chain.key
cat belows.crt servers.crt >chains.crt
cp belows.key chains.key
cat ca.crt ca2.crt >both.crt
is_late() {
	! openssl x509 -checkend 0 -noout -in late.crt >/dev/null
}
wait_for 10 is_late
cd "$ROOT" || exit 1
export KAPI_OPTIONS="--client-ca-file=$T/pki/both.crt
	--authorization-mode=RBAC"
cluster_start -- "--client-ca-file=$T/pki/both.crt"

review='{"apiVersion":"authentication.k8s.io/v1","kind":"SelfSubjectReview"}'
# who [CERTIFICATE [CURL-OPTION...]]: status, and the user that the server sees
who() {
	local with=()

	[ -z "${1-}" ] || with=(--cert "$T/pki/$1.crt" --key "$T/pki/$1.key")
	curl -s -m 20 --cacert "$CLUSTER/certificates/apiserver.crt" "${with[@]}" \
		-w '\n%{http_code}' -H 'Content-Type: application/json' -d "$review" \
		"${@:2}" \
		"$CLUSTER_SERVER/apis/authentication.k8s.io/v1/selfsubjectreviews" |
		tee "$T/who" | jq -rs '"\(.[1]) " + (.[0] | if .kind == "SelfSubjectReview" then
			.status.userInfo | [.username, .uid // "-",
				(.groups | join(","))] | join(" ")
			else .reason end)'
}
all=system:authenticated
for version in --http1.1 --http2; do
	is "$(who joe $version)" "201 joe - system:masters,dev,$all" \
		"$version: common name and organizations"
done
is "$(who ann)" "201 ann - system:masters,$all" \
	"the other authority of the file; a certificate without usages"
is "$(who any)" "201 any - system:masters,$all" "one for any usage"
is "$(who umlaut)" "201 jürgen - system:masters,$all" "not only ASCII"
is "$(who two)" "201 second - system:masters,$all" "two names: the last"
is "$(who uid)" "201 joe u-1 system:masters,$all" "a uid"
is "$(who chain)" "201 below - system:masters,$all" "an intermediate certificate"
# Over HTTP/1.1: curl drops an answer of HTTP/2 that comes before it has sent its
# body.
is "$(who nameless --http1.1)" "403 Forbidden" "a certificate without a name does not count"
for bad in uids server late foreign self below chains; do
	is "$(who "$bad" --http1.1)" "401 Unauthorized" "not: $bad" || quote <"$T/who"
done
sha=$(openssl x509 -in "$T/pki/joe.crt" -outform DER | sha256sum | cut -d' ' -f1)
is "$(curl -s --cacert "$CLUSTER/certificates/apiserver.crt" \
	--cert "$T/pki/joe.crt" --key "$T/pki/joe.key" -d "$review" \
	-H 'Content-Type: application/json' \
	"$CLUSTER_SERVER/apis/authentication.k8s.io/v1/selfsubjectreviews" |
	jq -c .status.userInfo.extra)" \
	"{\"authentication.kubernetes.io/credential-id\":[\"X509SHA256=$sha\"]}" \
	"the certificate's digest is with the user"
is "$(who joe -H "@$CLUSTER/admin.header" | cut -d' ' -f1,2)" "201 joe" \
	"a certificate counts before a token"
is "$(who foreign -H "@$CLUSTER/admin.header" | cut -d' ' -f1,2)" "201 admin" \
	"a token with a bad certificate counts"
is "$(who joe -H 'Authorization: Bearer wrong' | cut -d' ' -f1,2)" "201 joe" \
	"a certificate with a bad token counts"
is "$(who "" -H "@$CLUSTER/admin.header" | cut -d' ' -f1,2)" "201 admin" \
	"a token alone counts"
is "$(who joe -H 'Impersonate-User: ann' | cut -d' ' -f1,2)" "201 ann" \
	"a user of a certificate may act as another"

# Which authorities the server names when it asks
is "$(openssl s_client -connect "${CLUSTER_SERVER#*://}" </dev/null 2>/dev/null |
	sed -n '/^Acceptable client/,/^Requested/p' | grep -cE '^CN ?= ?ca')" 2 \
	"the server asks for a certificate of these authorities"

# ---- a file that is of no use ----

if [ "$SERVER" = kapi ]; then
	runs 100 "a file that is not there" kapi --client-ca-file "$T/none"
	ok "... is named" grep -q "$T/none: No such file" "$T/err"
	echo text >"$T/text"
	runs 100 "a file without certificates" kapi --client-ca-file "$T/text"
	ok "... is refused" grep -q 'not certificates in PEM' "$T/err"
	sed '3s/./!/' "$T/pki/ca.crt" >"$T/broken"
	cat "$T/pki/ca2.crt" "$T/broken" >"$T/text"
	runs 100 "a certificate that is broken, behind a good one" \
		kapi --client-ca-file "$T/text"
	ok "... is refused" grep -q 'not certificates in PEM' "$T/err"
	runs 100 "certificates without TLS" kapi --tls=off \
		--client-ca-file "$T/pki/ca.crt"
	is "$(<"$T/err")" "kapi: fatal: option --client-ca-file: certificates \
need TLS" "... are refused"
	runs 100 "a kubeconfig without a user" kapi \
		--client-ca-file "$T/pki/ca.crt" --kubeconfig-out "$T/k"
	ok "... is refused" grep -q 'no user for it: add --token-auth-file' \
		"$T/err"
fi
done_testing
