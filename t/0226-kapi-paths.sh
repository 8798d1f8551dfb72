#!/bin/bash
# kapi: the list of paths, metrics.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"

start kapi --log-level error --kubeconfig-out "$T/kubeconfig"
wait_for 10 test -s "$T/kubeconfig"
url=$(sed -n 's/.*server: *//p' "$T/kubeconfig" | tr -d '"')

code() { # PATH
	curl -s -o "$T/out" -w '%{http_code}' "$url$1"
}

is "$(code /)" 200 "the root answers"
is "$(jq -r 'keys[]' "$T/out")" paths "... with a list of paths"
is "$(jq -c '.paths == (.paths | unique)' "$T/out")" true \
	"... sorted, each once"
jq -r '.paths[]' "$T/out" >"$T/paths"
while read -r path; do
	[ "$(code "$path")" = 200 ] || echo "$path"
done <"$T/paths" >"$T/bad"
is "$(<"$T/bad")" "" "... that are all served"
ok "... among them groups" grep -qx /apis/apps "$T/paths"
ok "... and versions" grep -qx /apis/apps/v1 "$T/paths"
curl -s -H 'Content-Type: application/json' -o "$T/out" --data-binary '{"metadata":{
	"name":"things.example.com"},"spec":{"group":"example.com","scope":
	"Cluster","names":{"plural":"things","kind":"Thing"},"versions":[{"name":
	"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":
	"object"}}}]}}' \
	"$url/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
is "$(curl -s "$url/" | jq -c '.paths | map(select(test("example")))')" \
	'["/apis/example.com","/apis/example.com/v1"]' \
	"those of definitions, too"

# The key of a server that was given none: openssl verifies a token by it.
curl -s "$url/openid/v1/jwks" >"$T/keys"
is "$(jq -c '[.keys[] | keys_unsorted, .kty, .crv, .alg]' "$T/keys")" \
	'[["use","kty","kid","crv","alg","x","y"],"EC","P-256","ES256"]' \
	"the key of tokens"
is "$(curl -s "$url/.well-known/openid-configuration" |
	jq -r .jwks_uri)" "$url/openid/v1/jwks" "... has an address"
token=$(curl -s -H 'Content-Type: application/json' --data-binary '{}' \
	"$url/api/v1/namespaces/default/serviceaccounts/default/token" |
	jq -r .status.token)
hex() { # [FROM-TO]: of base64url, these digits
	{
		tr '_-' '/+'
		echo "=="
	} | base64 -d 2>/dev/null | od -An -tx1 -v | tr -d ' \n' |
		cut -c "${1:-1-}"
}
printf 'asn1=SEQUENCE:%s\n%s\n%s\n%s\n%s\n%s\n%s\n' key "[key]" \
	a=SEQUENCE:a "k=FORMAT:HEX,BITSTRING:04$(jq -r '.keys[0].x' "$T/keys" |
		hex)$(jq -r '.keys[0].y' "$T/keys" | hex)" "[a]" \
	t=OID:id-ecPublicKey c=OID:prime256v1 >"$T/asn1"
openssl asn1parse -genconf "$T/asn1" -noout -out "$T/key.der"
signature=$(cut -d. -f3 <<<"$token")
printf 'asn1=SEQUENCE:s\n[s]\nr=INTEGER:0x%s\ns=INTEGER:0x%s\n' \
	"$(hex 1-64 <<<"$signature")" "$(hex 65- <<<"$signature")" >"$T/asn1"
openssl asn1parse -genconf "$T/asn1" -noout -out "$T/signature"
openssl pkey -pubin -inform DER -in "$T/key.der" -out "$T/key.pem"
is "$(cut -d. -f1,2 <<<"$token" | tr -d '\n' | openssl dgst -sha256 -verify \
	"$T/key.pem" -signature "$T/signature" 2>&1)" "Verified OK" \
	"openssl verifies a token by it"

maps=$url/api/v1/namespaces/default/configmaps
for name in a b; do
	curl -s -o "$T/out" -H 'Content-Type: application/json' \
		--data-binary "{\"metadata\":{\"name\":\"$name\"}}" "$maps"
done
curl -s -o "$T/out" -X PATCH -H 'Content-Type: application/apply-patch+yaml' \
	--data-binary '{"apiVersion":"v1","kind":"ConfigMap"}' \
	"$maps/a?fieldManager=m"
curl -s -o "$T/out" "$url/apis/example.com/v1/none"
curl -s "$url/metrics" >"$T/metrics"
metric() { # LABELS: the number of such requests
	sed -n "s/^apiserver_request_total{$1} //p" "$T/metrics"
}
of='group="",resource="configmaps"'
is "$(metric "code=\"201\",component=\"apiserver\",dry_run=\"\",$of,scope=\"namespace\",subresource=\"\",verb=\"POST\",version=\"v1\"")" \
	2 "requests are counted, with the real server's labels"
is "$(metric "code=\"200\",component=\"apiserver\",dry_run=\"\",$of,scope=\"resource\",subresource=\"\",verb=\"APPLY\",version=\"v1\"")" \
	1 "... an apply, too"
is "$(grep -c none "$T/metrics")" 0 "... not the names of what is not served"
is "$(sed -n 's/^apiserver_resource_objects{group="example.com",resource="things"} //p' "$T/metrics")" \
	0 "objects are counted"
ok "memory is told" grep -q '^process_resident_memory_bytes [1-9]' "$T/metrics"
is "$(grep -v '^#' "$T/metrics" | grep -cvE '^[a-z_]+(\{[^}]*\})? [0-9.]+$')" \
	0 "each line has a name and a number"
done_testing
