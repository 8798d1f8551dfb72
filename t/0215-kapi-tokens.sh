#!/bin/bash
# Tokens of service accounts: what is in them, who they are, and when not.
# servers: kapi real
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=cluster/lib.sh
. "${0%/*}/cluster/lib.sh"

if [ "$SERVER" = kapi ]; then
	openssl genrsa -traditional 2048 >"$T/service-account.key" 2>/dev/null
	export KAPI_OPTIONS="--service-account-key-file $T/service-account.key
		--service-account-signing-key-file $T/service-account.key
		--authorization-mode=RBAC --anonymous-auth=false"
	key=$T/service-account.key
fi
cluster_start -- --anonymous-auth=false
key=${key:-$CLUSTER/service-account.key}
audience=https://kubernetes.default.svc

# post PATH BODY [CURL-ARGUMENT...]: as admin
post() {
	curl -s -m 20 --cacert "$CLUSTER/certificates/apiserver.crt" \
		-H "@$CLUSTER/admin.header" -H 'Content-Type: application/json' \
		--data-binary "$2" "${@:3}" "$CLUSTER_SERVER$1"
}
# token ACCOUNT [SPEC]: a new one
token() {
	post "/api/v1/namespaces/default/serviceaccounts/$1/token" \
		"{\"spec\":${2:-{\}}}" | jq -r .status.token
}
# part N TOKEN: 1 is the header, 2 the claims
part() {
	local p parts

	IFS=. read -ra parts <<<"$2"
	p=${parts[$1 - 1]//-/+} p=${p//_//}==
	base64 -d 2>/dev/null <<<"${p:0:${#p} - ${#p} % 4}"
}
url64() {
	local text

	text=$(basenc -w 0 --base64url)
	echo "${text%%=*}"
}
# sign HEADER.CLAIMS: a token of it
sign() {
	echo "$1.$(printf %s "$1" | openssl dgst -sha256 -sign "$key" | url64)"
}
# forge TOKEN FILTER: its claims changed, signed again with the server's key
forge() {
	sign "${1%%.*}.$(jq -nr --arg token "$1" '$token | split(".")[1]
		| split("-") | join("+") | split("_") | join("/")
		| . + "==="[:(4 - length % 4) % 4] | @base64d | fromjson
		| '"$2"' | tojson | @base64 | split("+") | join("-")
		| split("/") | join("_") | split("=")[0]')"
}
# whose TOKEN [AUDIENCE]: what TokenReview says, in short
whose() {
	post /apis/authentication.k8s.io/v1/tokenreviews \
		"{\"spec\":{\"token\":\"$1\"${2:+,\"audiences\":[\"$2\"]}}}" |
		jq -r '.status | if .authenticated
			then "\(.user.username) \(.audiences | join(","))"
			else .error end'
}
# code TOKEN: of a request with it
code() {
	curl -s -m 20 --cacert "$CLUSTER/certificates/apiserver.crt" \
		-o "$T/answer" -w '%{http_code}' -H "Authorization: Bearer $1" \
		"$CLUSTER_SERVER/apis/authentication.k8s.io/v1/selfsubjectreviews" \
		-H 'Content-Type: application/json' -d '{}'
}

kubectl create serviceaccount ann >/dev/null
kubectl apply -f - >/dev/null <<'END'
apiVersion: v1
kind: Node
metadata: {name: n1}
---
apiVersion: v1
kind: Pod
metadata: {name: p, namespace: default}
spec:
  nodeName: n1
  serviceAccountName: ann
  containers: [{name: c, image: x}]
---
apiVersion: v1
kind: Secret
metadata: {name: s, namespace: default}
END
uid() {
	kubectl get "$1" "$2" -o jsonpath='{.metadata.uid}'
}
ann=$(uid serviceaccount ann)

plain=$(token ann)
is "$(part 1 "$plain" | jq -c 'keys, .alg')" '["alg","kid"]
"RS256"' "a token says how it is signed"
is "$(part 1 "$plain" | jq -r .kid)" \
	"$(openssl pkey -in "$key" -pubout -outform DER | openssl dgst -sha256 \
		-binary | url64)" "... and the digest of the public key"
is "$(part 2 "$plain" | jq -c 'keys, .aud, .iss, .sub, .exp - .iat, .nbf - .iat,
	(.jti | length), ."kubernetes.io"')" \
	'["aud","exp","iat","iss","jti","kubernetes.io","nbf","sub"]
["'$audience'"]
"'$audience'"
"system:serviceaccount:default:ann"
3600
0
36
{"namespace":"default","serviceaccount":{"name":"ann","uid":"'"$ann"'"}}' \
	"... its claims"
is "$(whose "$plain")" "system:serviceaccount:default:ann $audience" "whose it is"
is "$(code "$plain")" 201 "a request with it"
is "$(jq -c '.status.userInfo | .username, .uid, .groups,
	(.extra | keys), (.extra[][] | .[:4])' "$T/answer")" \
	'"system:serviceaccount:default:ann"
"'"$ann"'"
["system:serviceaccounts","system:serviceaccounts:default","system:authenticated"]
["authentication.kubernetes.io/credential-id"]
"JTI="' "... is the account's"

bound=$(token ann '{"boundObjectRef":{"kind":"Pod","apiVersion":"v1","name":"p"},"audiences":["other"]}')
is "$(part 2 "$bound" | jq -c '.aud, ."kubernetes.io"')" '["other"]
{"namespace":"default","node":{"name":"n1","uid":"'"$(uid node n1)"'"},"pod":{"name":"p","uid":"'"$(uid pod p)"'"},"serviceaccount":{"name":"ann","uid":"'"$ann"'"}}' \
	"the token of a Pod names its node"
is "$(whose "$bound")" "[invalid bearer token, token audiences [\"other\"] is invalid for the target audiences [\"$audience\"]]" \
	"... one for others"
is "$(whose "$bound" other)" "system:serviceaccount:default:ann other" \
	"... which they ask about"
is "$(code "$bound")" 401 "... does not authenticate requests"
bound=$(token ann '{"boundObjectRef":{"kind":"Pod","apiVersion":"v1","name":"p"},"expirationSeconds":3607}')
is "$(part 2 "$bound" | jq -c '.exp - .iat, ."kubernetes.io".warnafter - .iat')" \
	"31536000
3607" "... of old clients: longer, with a warning"
code "$bound" >/dev/null
is "$(jq -c '.status.userInfo.extra | del(.["authentication.kubernetes.io/credential-id"])' \
	"$T/answer")" '{"authentication.kubernetes.io/node-name":["n1"],"authentication.kubernetes.io/node-uid":["'"$(uid node n1)"'"],"authentication.kubernetes.io/pod-name":["p"],"authentication.kubernetes.io/pod-uid":["'"$(uid pod p)"'"]}' \
	"... its user knows both"
secret=$(token ann '{"boundObjectRef":{"kind":"Secret","apiVersion":"v1","name":"s"}}')
node=$(token ann '{"boundObjectRef":{"kind":"Node","apiVersion":"v1","name":"n1"}}')
is "$(part 2 "$secret" | jq -c '."kubernetes.io".secret.uid') $(part 2 "$node" |
	jq -c '."kubernetes.io".node.uid')" \
	"\"$(uid secret s)\" \"$(uid node n1)\"" "tokens of a Secret, of a Node"

# Bodies that are not a TokenRequest
for spec in '"x"' 5 '[]' '{"audiences":"x"}' '{"audiences":[5]}' \
	'{"expirationSeconds":"700"}' '{"boundObjectRef":"x"}'; do
	is "$(post /api/v1/namespaces/default/serviceaccounts/ann/token \
		"{\"spec\":$spec}" | jq -r .code)" 400 "a spec that is wrong: $spec"
done
is "$(post /api/v1/namespaces/default/serviceaccounts/ann/token \
	'{"metadata":"x"}' | jq -r .code)" 400 "metadata that is wrong"

# What the server signed, but does not take
is "$(whose "$(forge "$plain" .)")" "system:serviceaccount:default:ann $audience" \
	"a token that the test signs"
is "$(whose "$(forge "$(token ann)" '.exp = .iat - 5')")" \
	"system:serviceaccount:default:ann $audience" "clocks may be a minute apart"
is "$(whose "$(forge "$plain" '.exp = .iat - 90')")" \
	"[invalid bearer token, service account token has expired]" "it expired"
is "$(code "$(forge "$plain" '.exp = .iat - 90')")" 401 "... for a request"
is "$(whose "$(forge "$plain" '.nbf += 300')")" \
	"[invalid bearer token, service account token is not valid yet]" \
	"it is not yet valid"
is "$(whose "$(forge "$plain" '.iat += 300')")" \
	"[invalid bearer token, service account token is issued in the future]" \
	"it is of the future"
is "$(whose "$(forge "$plain" '.iss = "x"')")" "invalid bearer token" \
	"another issuer"
is "$(code "$(forge "$plain" '.iss = "x"')")" 401 "... for a request"
is "$(whose "$(forge "$plain" 'del(.aud)')")" \
	"system:serviceaccount:default:ann $audience" "no audience: the server's"
is "$(whose "$(forge "$plain" '."kubernetes.io".serviceaccount.uid = "x"')")" \
	"[invalid bearer token, service account UID ($ann) does not match claim (x)]" \
	"an earlier account of the name"
is "$(whose "$(forge "$plain" '."kubernetes.io".serviceaccount.name = "x"')")" \
	'[invalid bearer token, serviceaccounts "x" not found]' "no such account"
for what in pod secret node; do
	is "$(whose "$(forge "$plain" "\"kubernetes.io\" as \$k |
		.[\$k].$what = {name: (if \"$what\" == \"pod\" then \"p\"
			elif \"$what\" == \"node\" then \"n1\" else \"s\" end),
			uid: \"x\"}")")" \
		"[invalid bearer token, $what UID ($(uid $what "$(case $what in
			pod) echo p ;;
			node) echo n1 ;;
			secret) echo s ;;
			esac)")) does not match service account $what ref claim (x)]" \
		"an earlier $what of the name"
done

date_wanted="[invalid bearer token, go-jose/go-jose/jwt: expected number value to unmarshal NumericDate]"
for claim in .exp .nbf .iat '."kubernetes.io".warnafter'; do
	is "$(whose "$(forge "$plain" "$claim = \"x\"")")" "$date_wanted" \
		"a wrong date: $claim"
done
for far in 1e300 9223372036854775807; do
	is "$(whose "$(forge "$plain" ".exp = $far")")" \
		"[invalid bearer token, service account token has expired]" \
		"a date too far for Go: $far"
done
for wrong in '.jti = 5' '."kubernetes.io".namespace = 5'; do
	is "$(whose "$(forge "$plain" "$wrong")")" \
		"[invalid bearer token, json: cannot unmarshal number into Go value of type string]" \
		"a wrong text: $wrong"
done
is "$(whose "$(forge "$plain" '."kubernetes.io".pod = "x"')")" \
	"[invalid bearer token, json: cannot unmarshal string into Go value of type serviceaccount.ref]" \
	"a wrong Pod"
is "$(whose "$(forge "$plain" '."kubernetes.io".pod = null')")" \
	"system:serviceaccount:default:ann $audience" "... null means no Pod"
is "$(whose "$(forge "$plain" '.aud = [1]')")" \
	"[invalid bearer token, go-jose/go-jose/jwt: expected string or array value to unmarshal to Audience]" \
	"a wrong audience"
is "$(whose "$(forge "$plain" '.aud = ""')")" \
	"[invalid bearer token, token audiences [\"\"] is invalid for the target audiences [\"$audience\"]]" \
	"... an empty one"
is "$(whose "$(sign "$(cut -d. -f1 <<<"$plain").$(part 2 "$plain" |
	sed 's/}$/,"exp":1}/' | tr -d '\n' | url64)")")" \
	"[invalid bearer token, json: duplicate key 'exp' in object]" \
	"a claim that is there twice"
for head in '{"alg":"RS256","kid":5}' '{"alg":"RS256","alg":"RS256"}'; do
	is "$(whose "$(sign "$(printf %s "$head" | url64).$(cut -d. -f2 <<<"$plain")")")" \
		"invalid bearer token" "a header that is wrong: $head"
done

# What the server did not sign
altered=$(cut -d. -f1 <<<"$plain").$(part 2 "$plain" | jq -c '.sub = "x"' |
	tr -d '\n' | url64).$(cut -d. -f3 <<<"$plain")
is "$(whose "$altered")" "[invalid bearer token, go-jose/go-jose: error in cryptographic primitive]" \
	"an altered one"
is "$(code "$altered")" 401 "... for a request"
is "$(whose "$(printf '{"alg":"none"}' | url64).$(cut -d. -f2 <<<"$plain").")" \
	"[invalid bearer token, go-jose/go-jose: error in cryptographic primitive]" \
	"an unsigned one"
is "$(whose "$(printf '{"alg":"RS256","kid":"x"}' | url64).$(cut -d. -f2- <<<"$plain")")" \
	"[invalid bearer token, invalid signature, no keys found]" "an unknown key"
is "$(whose "$plain.x") $(whose x)" "invalid bearer token invalid bearer token" \
	"no token at all"
is "$(code x)" 401 "... for a request"

# Verified by others, with the key that the server publishes.
get() {
	curl -s -m 20 --cacert "$CLUSTER/certificates/apiserver.crt" \
		-H "@$CLUSTER/admin.header" -D "$T/headers" "$CLUSTER_SERVER$1"
}
get /.well-known/openid-configuration >"$T/configuration"
is "$(jq -c 'del(.jwks_uri)' "$T/configuration")" \
	'{"issuer":"https://kubernetes.default.svc","response_types_supported":["id_token"],"subject_types_supported":["public"],"id_token_signing_alg_values_supported":["RS256"]}' \
	"the discovery of the issuer"
is "$(jq -r .jwks_uri "$T/configuration")" "$CLUSTER_SERVER/openid/v1/jwks" \
	"... where the keys are"
is "$(grep -i '^cache-control' "$T/headers" | tr -d '\r')" \
	"cache-control: public, max-age=3600" "... for an hour"
get /openid/v1/jwks >"$T/keys"
is "$(jq -c '[.keys[] | keys_unsorted, .use, .kty, .alg, .e]' "$T/keys")" \
	'[["use","kty","kid","alg","n","e"],"sig","RSA","RS256","AQAB"]' "a key"
bytes() { # TEXT: of base64url
	base64 -d 2>/dev/null <<<"$(tr '_-' '/+' <<<"$1")=="
}
number() { # NAME of the key that the token names, in hex
	bytes "$(jq -r --arg kid "$(part 1 "$plain" | jq -r .kid)" \
		".keys[] | select(.kid == \$kid).$1" "$T/keys")" |
		od -An -tx1 -v | tr -d ' \n'
}
printf 'asn1=SEQUENCE:key\n[key]\nn=INTEGER:0x%s\ne=INTEGER:0x%s\n' \
	"$(number n)" "$(number e)" >"$T/asn1"
openssl asn1parse -genconf "$T/asn1" -noout -out "$T/key.der"
openssl rsa -RSAPublicKey_in -inform DER -in "$T/key.der" -pubout \
	-out "$T/key.pem" 2>/dev/null
bytes "$(cut -d. -f3 <<<"$plain")" >"$T/signature"
verified() { # TOKEN
	cut -d. -f1,2 <<<"$1" | tr -d '\n' | openssl dgst -sha256 \
		-verify "$T/key.pem" -signature "$T/signature" 2>&1
}
is "$(verified "$plain")" "Verified OK" "openssl verifies a token with it"
is "$(verified "x$plain" | grep -c OK)" 0 "... not another"

# It ends with what it is bound to. The real server remembers a good one for 10 s.
gone() {
	[ "$(whose "$1")" = "[invalid bearer token, ${2:-service account token has been invalidated}]" ]
}
kubectl delete secret s >/dev/null
kubectl delete pod p --force --grace-period=0 >/dev/null 2>&1
kubectl delete node n1 >/dev/null
ok "a Secret that is gone" wait_for 20 gone "$secret"
ok "a Pod that is gone" wait_for 20 gone "$bound"
ok "a Node that is gone" wait_for 20 gone "$node"
kubectl delete serviceaccount ann >/dev/null
ok "an account that is gone" wait_for 20 gone "$plain" \
	'serviceaccounts "ann" not found'
is "$(code "$plain")" 401 "... for a request"
# ---- nobody is anonymous: --anonymous-auth=false ----

for path in /livez /readyz /healthz /version /api /api/v1/pods /nothing; do
	is "$(curl -s -m 20 --cacert "$CLUSTER/certificates/apiserver.crt" \
		"$CLUSTER_SERVER$path" | jq -c '[.code, .reason]')" \
		'[401,"Unauthorized"]' "without a credential not even $path"
done
done_testing
