#!/bin/bash
# kpipe-http behind its filter of system calls: it can look up and ask the API
# server, and read files that change; without a filter it says so.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=http.sh
. "${0%/*}/http.sh"
# shellcheck source=kapi.sh
. "${0%/*}/kapi.sh"

cat >"$T/tokens" <<'END'
operator-t0ken,system:serviceaccount:ops:operator,u1
reader-t0ken,prometheus,u2
END
kapi_up --token-auth-file "$T/tokens"
echo operator-t0ken >"$T/token"
mkdir "$T/certificate"
t/server/make-certs "$T/pki"
cp "$T/pki/server.crt" "$T/certificate/tls.crt"
cp "$T/pki/server.key" "$T/certificate/tls.key"
# By name, which libcurl looks up in a thread.
server=(--server "https://localhost:${url##*:}"
	--certificate-authority "$T/ca.pem")

# filtered MODE WHAT: as the kernel shows it, when the first request was
# answered: the address is logged before
filtered() {
	get /metrics -k >"$T/page"
	is "$(awk '/^Seccomp:/ { print $2 }' "/proc/$http/status")" "$1" "$2"
}
scrape() {
	get /metrics -k -H "Authorization: Bearer $1" >"$T/page"
	http_code
}

# --- a kpipe-http that serves
http_up --metrics-bind-address 127.0.0.1:0 --sandbox=required
filtered 2 "behind the filter"
ok "... it serves what it knows of processes" \
	sh -c "$(declare -f get http_code); metrics=$metrics scheme=http T=$T
		get /metrics | grep '^process_open_fds [1-9]'"
http_down 0 "... and ends"

# --- a kpipe-http that asks the API server
scheme=https
http_up --metrics-bind-address 127.0.0.1:0 --metrics-secure --sandbox=required \
	--metrics-cert-path "$T/certificate" --token-file "$T/token" "${server[@]}"
filtered 2 "behind the filter, asking"
is "$(scrape reader-t0ken)" "200" "the API server, by name, says who may read"
is "$(scrape nobody)" "401" "... and refuses an unknown token"
touch "$T/certificate/tls.crt"
ok "a certificate that changes is read" \
	wait_for 10 grep -q "a new certificate is used" "$T/http.err"
is "$(scrape reader-t0ken)" "200" "... and used"
http_down 0 "... and ends"

# --- no filter: a credential plugin could not run
cat >"$T/config" <<END
current-context: x
contexts: [{name: x, context: {cluster: c, user: u}}]
clusters: [{name: c, cluster: {server: 'https://localhost:${url##*:}', certificate-authority: ca.pem}}]
users: [{name: u, user: {exec: {apiVersion: client.authentication.k8s.io/v1, command: ./plugin, interactiveMode: Never}}}]
END
cat >"$T/plugin" <<'END'
#!/bin/sh
echo '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":"operator-t0ken"}}'
END
chmod +x "$T/plugin"
why="there is no sandbox: the credential comes from an exec plugin, which it would not let run; a token file needs none"
http_up --metrics-bind-address 127.0.0.1:0 --metrics-secure \
	--kubeconfig "$T/config"
filtered 0 "a plugin: no filter"
ok "... it is warned of" grep -qxF "kpipe-http: warning: $why" "$T/http.err"
is "$(scrape reader-t0ken)" "200" "... and the plugin does"
http_down 0 "... and ends"
runs 100 "a plugin, --sandbox=required" kpipe-http --kubeconfig "$T/config" \
	--metrics-bind-address 127.0.0.1:0 --metrics-secure --sandbox=required
is "$(grep fatal "$T/err")" \
	"kpipe-http: fatal: option --sandbox=required: $why" "... is refused"

# --- no filter: a kernel without it
runs 100 "no seccomp, --sandbox=required" t/no-seccomp kpipe-http \
	--metrics-bind-address 127.0.0.1:0 --sandbox=required
is "$(grep fatal "$T/err")" \
	"kpipe-http: fatal: option --sandbox=required: there is no sandbox: the kernel has no seccomp" \
	"... is refused"
runs 0 "no seccomp" t/no-seccomp kpipe-http \
	--metrics-bind-address 127.0.0.1:0 </dev/null
ok "... is warned of" grep -qx \
	"kpipe-http: warning: there is no sandbox: the kernel has no seccomp" \
	"$T/err"

done_testing
