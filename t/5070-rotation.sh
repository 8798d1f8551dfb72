#!/bin/bash
# An operator whose tokens, CA file and metrics certificate are replaced as a
# kubelet does it, by a link to another folder, and whose API server comes back
# with other tokens and another certificate: nothing is restarted.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=kapi.sh
. "${0%/*}/kapi.sh"

# authority N: a CA, and a certificate of the server by it.
authority() {
	mkdir "$T/pki$1"
	(
		cd "$T/pki$1" || exit
		openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 \
			-nodes -days 2 -subj "/CN=ca-$1" -keyout ca.key -out ca.crt
		openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes \
			-subj /CN=server -keyout tls.key -out tls.csr
		printf 'subjectAltName=IP:127.0.0.1,DNS:localhost\n' >ext
		openssl x509 -req -in tls.csr -CA ca.crt -CAkey ca.key \
			-CAcreateserial -days 2 -extfile ext -out tls.crt
	) >"$T/openssl.out" 2>&1 || quote <"$T/openssl.out"
}
tools="kwatch kapply kstatus kelect http"
# mount N: the N-th version of what is mounted becomes visible, at once.
mount_version() {
	local tool

	mkdir "$T/mounted/..v$1"
	cp "$T/pki$1"/{ca.crt,tls.crt,tls.key} "$T/mounted/..v$1/"
	for tool in $tools; do
		echo "$tool-token-$1" >"$T/mounted/..v$1/$tool"
	done
	ln -s "..v$1" "$T/mounted/..tmp"
	mv -T "$T/mounted/..tmp" "$T/mounted/..data"
}
# server N: the API server with its N-th tokens and certificate.
server() {
	local tool

	{
		echo "admin-token,admin,u0,system:masters"
		for tool in $tools; do
			echo "$tool-token-$1,$tool,u-$tool"
		done
	} >"$T/tokens"
	kapi_up --listen "127.0.0.1:$port" --token-auth-file "$T/tokens" \
		--tls-cert-file "$T/pki$1/tls.crt" \
		--tls-private-key-file "$T/pki$1/tls.key" \
		--load "$T/state" --save "$T/state" --journal "$T/journal$1"
	cp "$T/pki$1/ca.crt" "$T/ca.pem"
	port=${url##*:}
}
admin() {
	ask "$1" "$2" "${3-}" "${4-application/json}" \
		-H "Authorization: Bearer admin-token"
}
primary() {
	admin POST /apis/cache.example.com/v1alpha1/namespaces/default/memcacheds \
		'{"apiVersion": "cache.example.com/v1alpha1", "kind": "Memcached",
		"metadata": {"name": "'"$1"'"}, "spec": {"size": 1}}' >"$T/primary"
}
deployed() {
	[ "$(admin GET "/apis/apps/v1/namespaces/default/deployments/$1" |
		jq -r .kind)" = Deployment ]
}
# writes N USER: whether the N-th server got a write of the user.
writes() {
	jq -c --arg user "$2" 'select(.user == $user and .code < 300 and
		.method != "GET")' "$T/journal$1" | grep -q .
}
starts() {
	grep -c "^kpipe: .*\(again\|ended\|killed\)" "$T/kpipe.err"
}

authority 1
authority 2
mkdir "$T/mounted"
mount_version 1
for file in ca.crt tls.crt tls.key $tools; do
	ln -s "..data/$file" "$T/mounted/$file"
done
: >"$T/state"
port=0
server 1
admin POST /apis/apiextensions.k8s.io/v1/customresourcedefinitions \
	"$(<pipeline/memcached/crd.yaml)" application/yaml >"$T/crd"
unset KUBECONFIG
start kpipe -f pipeline/memcached/watches.yaml --all-namespaces --server "$url" \
	--certificate-authority "$T/mounted/ca.crt" \
	--kwatch-token-file "$T/mounted/kwatch" \
	--kapply-token-file "$T/mounted/kapply" \
	--kstatus-token-file "$T/mounted/kstatus" \
	--kelect-token-file "$T/mounted/kelect" \
	--http-token-file "$T/mounted/http" \
	--leader-elect --leader-election-namespace default \
	--leader-elect-lease-duration 300s --leader-elect-renew-deadline 250s \
	--leader-elect-retry-period 1s \
	--metrics-bind-address 127.0.0.1:0 --metrics-secure \
	--metrics-cert-path "$T/mounted" 2>"$T/kpipe.err"
kpipe=$!
ok "ready" wait_for 30 grep -q '^kpipe: ready' "$T/kpipe.err"
primary first
ok "it works" wait_for 30 deployed first
metrics=$(sed -n 's/^kpipe-http: metrics at //p' "$T/kpipe.err")
scrape() { # with the CA of version $1
	curl -sS -m 20 --cacert "$T/pki$1/ca.crt" -o "$T/page" -w '%{http_code}' \
		-H "Authorization: Bearer admin-token" "https://$metrics/metrics" \
		2>&1
}
serves() {
	[ "$(scrape "$1")" = 200 ]
}
ok "metrics are served with the certificate" wait_for 10 serves 1

mount_version 2
kapi_down "the API server ends"
POLL=.25 # each stage waits for a second and more before it tries again
server 2
primary second
ok "other tokens, another CA: it still works" wait_for 60 deployed second
for tool in kapply kstatus kelect; do
	ok "... $tool writes" wait_for 60 writes 2 "$tool"
done
ok "... metrics are served with the new certificate, and reviewed" \
	wait_for 30 serves 2
is "$(starts)" 0 "... no process was restarted"
told_to_end "$kpipe" "SIGTERM ends it"
done_testing
