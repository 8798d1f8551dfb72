#!/bin/bash
# What all tools say when they do not find the server, do not trust it, or
# cannot log in.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"

t/server/make-certs "$T/pki"
cp "$T"/pki/*.crt "$T"/pki/*.key "$T"
mkfifo "$T/end"
exec 9<>"$T/end" # it ends with its stdin, for which bash would use /dev/null
start sh -c 'exec t/server/misbehave "$@" <&9' - \
	"$T/server.crt" "$T/server.key" "$T/ca.crt" >"$T/port"
wait_for 10 test -s "$T/port"
url=https://127.0.0.1:$(<"$T/port")

# config CLUSTER USER: one context in $T/config
config() {
	cat >"$T/config" <<-END
		current-context: x
		contexts: [{name: x, context: {cluster: c, user: u}}]
		clusters: [{name: c, cluster: {server: '$url', $1}}]
		users: [{name: u, user: {$2}}]
	END
}

# refused WHAT MESSAGE: each tool ends with 100 and says just this
refused() {
	local what=$1 message=$2 tool operand
	shift 2

	for tool in kwatch kapply kstatus; do
		operand=
		[ $tool = kwatch ] && operand=pods
		runs 100 "$tool: $what" timeout 300 $tool "$@" $operand <<<"$thing"
		is "$(<"$T/err")" "$tool: fatal: $message" "... says so"
		is "$(<"$T/out")" "" "... and nothing else"
	done
}
thing='{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","namespace":"b"},"status":{}}'

export HOME=$T
refused "a missing kubeconfig" \
	"cannot read $T/none: No such file or directory" \
	--kubeconfig "$T/none"
echo 'a: [' >"$T/config"
refused "a broken kubeconfig" \
	"$T/config:2: did not find expected node content while parsing a flow node" \
	--kubeconfig "$T/config"
config 'certificate-authority: ca.crt' 'token: t'
refused "an unknown context" \
	"$T/config: there is no context named \"y\"" \
	--kubeconfig "$T/config" --context y
refused "nothing known" \
	"no API server is known: no --kubeconfig, no \$KUBECONFIG, no ~/.kube/config, and this is not a pod (KUBERNETES_SERVICE_HOST is not set)"
config 'certificate-authority: ca.crt' \
	'client-certificate: expired.crt, client-key: expired.key'
refused "an expired certificate" \
	"$T/expired.crt: user \"u\": the client certificate expired on 2020-01-02T03:04:05Z" \
	--kubeconfig "$T/config"
config 'certificate-authority: other-ca.crt' 'token: t'
refused "a wrong CA" \
	"the certificate of $url is not trusted: self-signed certificate in certificate chain (it was checked with the certificate-authority $T/other-ca.crt)" \
	--kubeconfig "$T/config"
refused "a wrong CA by option" \
	"the certificate of $url is not trusted: self-signed certificate in certificate chain (it was checked with the certificate-authority $T/other-ca.crt)" \
	--server "$url" --certificate-authority "$T/other-ca.crt"
refused "a missing token file" \
	"cannot read $T/none: No such file or directory" \
	--server "$url" --token-file "$T/none"
config 'certificate-authority: ca.crt' \
	'exec: {apiVersion: client.authentication.k8s.io/v1, command: ./login, interactiveMode: Never}'
printf '#!/bin/sh\nexit 7\n' >"$T/login"
chmod +x "$T/login"
refused "an exec plugin that fails" \
	"$T/config: user \"u\": the exec plugin \"$T/./login\" failed with exit code 7" \
	--kubeconfig "$T/config"
rm "$T/login"
refused "an exec plugin that is not there" \
	"$T/config: user \"u\": the exec plugin \"$T/./login\" cannot be started: No such file or directory" \
	--kubeconfig "$T/config"
for proxy in 127.0.0.1:9 socks4://127.0.0.1:9 http://; do
	config "proxy-url: '$proxy'" 'token: t'
	refused "the proxy $proxy" \
		"$T/config:3: proxy-url must be http://HOST:PORT, https://HOST:PORT or socks5://HOST:PORT" \
		--kubeconfig "$T/config"
done
for list in contexts clusters users; do
	config 'certificate-authority: ca.crt' 'token: t'
	sed -i "s/^$list: \[\(.*\)\]/$list: [\1, {name: y}, {name: y}]/" "$T/config"
	refused "a name twice in $list" \
		"$T/config:$(grep -n "^$list" "$T/config" | cut -d: -f1): duplicate name \"y\" in $list" \
		--kubeconfig "$T/config"
done

# A proxy that is not there is named, not the server, which may be well.
unused=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
named() {
	start "$@" >/dev/null 2>"$T/proxy.err"
	wait_for 10 grep -q "by the proxy 127.0.0.1:$unused: " "$T/proxy.err"
	is "$(head -n 1 "$T/proxy.err" | grep -o 'cannot connect to .*: Connection refused')" \
		"cannot connect to https://kpipe.invalid:6443 by the proxy 127.0.0.1:$unused: Connection refused" \
		"a proxy that is not there is named: $*"
}
config "proxy-url: 'http://127.0.0.1:$unused'" 'token: t'
sed -i "s,$url,https://kpipe.invalid:6443," "$T/config"
named kwatch --kubeconfig "$T/config" pods
named env HTTPS_PROXY="http://127.0.0.1:$unused" kwatch --server https://kpipe.invalid:6443 pods
done_testing
