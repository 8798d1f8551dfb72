#!/bin/bash
# kapi --envtest: the folder, and kapi as etcd, kube-apiserver and kubectl, as
# envtest of controller-runtime starts them. t/6074-envtest-go.sh has envtest
# itself.
# shellcheck source=t/lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=t/kapi.sh
. "${0%/*}/kapi.sh"

command -v curl >/dev/null || skip_all "needs curl"
command -v openssl >/dev/null || skip_all "needs openssl"
export XDG_CACHE_HOME=$T/cache

# ---- the folder ----

runs 0 "the folder is printed" kapi --envtest
folder=$(<"$T/out")
is "$(ls "$folder")" "etcd
kube-apiserver
kubectl" "... with the names that envtest looks for"
is "${folder%/*}" "$T/cache/kapi" "... in the user's cache"
ok "... each is kapi" cmp "$folder/etcd" "$BIN/kapi"
is "$(kapi --envtest)" "$folder" "... the same the second time"
rm "$folder/etcd"
ln -sf /bin/false "$folder/kube-apiserver"
is "$(kapi --envtest)" "$folder" "... it is repaired"
ok "... what was absent" test "$folder/etcd" -ef "$BIN/kapi"
ok "... and what was another" test "$folder/kube-apiserver" -ef "$BIN/kapi"
rm -r "$T/cache"
for i in 1 2 3 4 5 6 7 8; do
	kapi --envtest >"$T/folder.$i" 2>&1 &
	pids[i]=$!
done
for i in 1 2 3 4 5 6 7 8; do
	wait "${pids[i]}" || flaw "one of eight at once failed"
done
is "$(cat "$T"/folder.? | sort -u)" "$folder" "eight at once agree"
is "$(find "$folder" -type l | wc -l)" 3 "... and leave nothing else"
cp "$BIN/kapi" "$T/kapi"
other=$("$T/kapi" --envtest)
ok "another kapi has another folder" test "$other" != "$folder"
is "$(env -u XDG_CACHE_HOME HOME="$T/home" kapi --envtest)" \
	"$T/home/.cache/kapi/${folder##*/}" "without XDG_CACHE_HOME: in HOME"
is "$(env -u XDG_CACHE_HOME -u HOME XDG_RUNTIME_DIR="$T/run" kapi --envtest)" \
	"$T/run/kapi/${folder##*/}" "without HOME: in XDG_RUNTIME_DIR"
runs 100 "without any: an error" env -u XDG_CACHE_HOME -u HOME \
	-u XDG_RUNTIME_DIR kapi --envtest
is "$(<"$T/err")" "kapi: fatal: option --envtest: no place for its folder: \
set XDG_CACHE_HOME, HOME or XDG_RUNTIME_DIR" "... that says what to set"
touch "$T/file"
runs 100 "a place that is a file: an error" env XDG_CACHE_HOME="$T/file" \
	kapi --envtest
ok "... that names it" grep -q "cannot make $T/file/kapi: Not a directory" \
	"$T/err"
if [ -w /dev/full ]; then
	kapi --envtest >/dev/full 2>"$T/err"
	is "$?" 111 "a full disk: an error"
fi

# ---- kubectl ----

mkdir "$T/tools"
printf '#!/bin/sh\necho "the next one: $*"\n' >"$T/tools/kubectl"
chmod +x "$T/tools/kubectl"
is "$(PATH=$folder:$T/tools:$PATH "$folder/kubectl" get pods)" \
	"the next one: get pods" "kubectl is the next one in PATH"
is "$(PATH=$folder:$other:$T/tools:$PATH timeout 10 "$folder/kubectl" get)" \
	"the next one: get" "... and not another kapi"
runs 100 "... which must be there" env PATH="$folder" "$folder/kubectl" get
ok "... it says so" grep -q "no kubectl in PATH" "$T/err"

# ---- etcd ----

runs 0 "etcd has a help" "$folder/etcd" --help
ok "... with the flag that envtest looks for" grep -q '^ *--unsafe-no-fsync' \
	"$T/out"
runs 0 "etcd has a version" "$folder/etcd" --version
runs 100 "etcd has no TLS" "$folder/etcd" \
	--listen-client-urls=https://127.0.0.1:0
ok "... it says so" grep -q 'does not begin with http://' "$T/err"

# free_port: below those that the kernel hands out
free_port() {
	local port

	for _ in 1 2 3 4 5 6 7 8 9; do
		port=$((12000 + SRANDOM % 18000))
		(: <"/dev/tcp/127.0.0.1/$port") 2>/dev/null || break
	done
	echo "$port"
}
port=$(free_port)
start "$folder/etcd" --advertise-client-urls="http://127.0.0.1:$port" \
	--data-dir="$T/data" --listen-client-urls="http://127.0.0.1:$port" \
	--listen-peer-urls=http://127.0.0.1:0 --unsafe-no-fsync=true
etcd=$!
ok "etcd listens" wait_for 10 curl -sf "http://127.0.0.1:$port/health"
is "$(curl -s "http://127.0.0.1:$port/health" | jq -r .health)" true \
	"... and is well"
is "$(curl -s -o "$T/out" -w '%{http_code}' "http://127.0.0.1:$port/v3/kv")" \
	404 "... and has nothing else"
runs 100 "a port that is taken" "$folder/etcd" \
	-listen-client-urls "http://127.0.0.1:$port"
ok "... is named" grep -q "cannot listen on 127.0.0.1:$port" "$T/err"
kill "$etcd"
wait "$etcd"
is "$?" 0 "etcd ends by SIGTERM"

# ---- the flags of kube-apiserver ----

apiserver=$folder/kube-apiserver
runs 0 "kube-apiserver has a help" "$apiserver" --help
ok "... with its flags" grep -q '^ *--secure-port int' "$T/out"
is "$(grep insecure-port "$T/out")" "" "... and not with those of old"
runs 0 "kube-apiserver has a version" "$apiserver" --version
is "$(<"$T/out")" "Kubernetes v1.36.3" "... as the real one says it"
# refuses MESSAGE FLAG...
refuses() {
	local message=$1

	shift
	runs 100 "kube-apiserver refuses $*" "$apiserver" "$@"
	is "$(tail -n 1 "$T/err")" "kube-apiserver: fatal: $message" "... and says why"
}
refuses "unknown flag: --foo" --foo
refuses "unknown flag: --insecure-port (did you mean --secure-port?)" \
	--insecure-port=0
refuses "unknown flag: --secure-prt (did you mean --secure-port?)" --secure-prt 1
refuses "flag needs an argument: --secure-port" --secure-port
refuses 'invalid argument "perhaps" for "--allow-privileged" flag: want true or false' \
	--allow-privileged=perhaps
refuses 'it takes flags only, not "operand"' operand
refuses 'it takes flags only, not "--foo"' -- --foo
refuses "bad flag syntax: --=x" --=x
refuses "unknown shorthand flag: 'x' in -x" -x
refuses "flag needs an argument: 'v' in -v" -v
refuses "flag --secure-port: 0 is not a port between 1 and 65535" --secure-port=0
refuses "flag --secure-port: abc is not a port between 1 and 65535" \
	--secure_port=abc
mkdir "$T/half"
touch "$T/half/apiserver.crt"
refuses "flag --cert-dir: apiserver.crt is there, and apiserver.key is not" \
	--cert-dir="$T/half"
refuses "flag --cert-dir: cannot make $T/file/x: Not a directory" \
	--cert-dir="$T/file/x"
runs 100 "everything on every address" "$apiserver"
ok "... needs a credential" grep -q 'needs --token-auth-file or --client-ca-file' \
	"$T/err"

# ---- kube-apiserver, with the flags of envtest ----

mkdir "$T/pki"
# certificate NAME SUBJECT [CA]: NAME.crt and NAME.key, by itself or the CA
certificate() {
	openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes \
		-subj "$2" -keyout "$T/pki/$1.key" -out "$T/pki/$1.csr" &&
		if [ -n "${3-}" ]; then
			openssl x509 -req -in "$T/pki/$1.csr" -days 2 \
				-CA "$T/pki/$3.crt" -CAkey "$T/pki/$3.key" \
				-CAcreateserial -out "$T/pki/$1.crt"
		else
			openssl req -x509 -in "$T/pki/$1.csr" -days 2 \
				-key "$T/pki/$1.key" -out "$T/pki/$1.crt"
		fi
} 2>>"$T/openssl.err"
certificate ca /CN=envtest-environment
certificate admin /O=system:masters/CN=admin ca
port=$(free_port)
mkdir "$T/certs"
# envtest brings this pair.
certificate signer /CN=sa-signer
for end in key crt; do
	cp "$T/pki/signer.$end" "$T/certs/sa-signer.$end"
done
# up [FLAG...]
up() {
	start "$apiserver" --allow-privileged=true --authorization-mode=RBAC \
		--bind-address=127.0.0.1 --cert-dir="$T/certs" \
		--client-ca-file="$T/pki/ca.crt" \
		--disable-admission-plugins=ServiceAccount \
		--etcd-servers=http://127.0.0.1:2379 --secure-port="$port" \
		--service-account-issuer="https://127.0.0.1:$port/" \
		--service-account-key-file="$T/certs/sa-signer.crt" \
		--service-account-signing-key-file="$T/certs/sa-signer.key" \
		--service-cluster-ip-range=10.0.0.0/24 "$@" 2>"$T/apiserver.err"
	pid=$!
	wait_for 10 curl -sk "https://127.0.0.1:$port/healthz" ||
		quote <"$T/apiserver.err"
}
# get PATH [CURL-OPTION...]
get() {
	curl -s --cacert "$T/certs/apiserver.crt" "${@:2}" \
		"https://127.0.0.1:$port$1"
}
admin=(--cert "$T/pki/admin.crt" --key "$T/pki/admin.key")
down() {
	kill "$pid"
	wait "$pid"
	is "$?" 0 "kube-apiserver ends by SIGTERM"
}
up
is "$(<"$T/apiserver.err")" \
	"kapi: listening on https://127.0.0.1:$port" \
	"nothing to say about the flags of envtest"
is "$(ls "$T/certs")" "apiserver.crt
apiserver.key
sa-signer.crt
sa-signer.key" "a pair for TLS is made in --cert-dir"
is "$(stat -c %a "$T/certs/apiserver.key")" 600 "... the key is secret"
is "$(get /readyz)" ok "the probes are there, without a credential"
is "$(get /api/v1/namespaces -o "$T/out" -w '%{http_code}')" 403 \
	"everything else needs a credential"
is "$(get /api/v1/namespaces "${admin[@]}" |
	jq -r '[.items[].metadata.name] | sort | join(" ")')" \
	"default kube-node-lease kube-public kube-system" "... a certificate"
is "$(get "/api/v1/services" "${admin[@]}" | jq -r '.items[].metadata.name')" \
	kubernetes "the Service kubernetes is there"
is "$(get /api/v1/serviceaccounts "${admin[@]}" | jq '.items | length')" 0 \
	"nothing that kube-controller-manager makes"
cp "$T/certs/apiserver.crt" "$T/before.crt"
down
up --feature-gates=A=true --event-ttl 1h -v=2 --watch-cache --anonymous-auth=0
same "$T/certs/apiserver.crt" "$T/before.crt" "the pair is used again"
is "$(<"$T/apiserver.err")" \
	"kube-apiserver: warning: flag --feature-gates has no effect: this is kapi
kube-apiserver: warning: flag --event-ttl has no effect: this is kapi
kube-apiserver: warning: flag --watch-cache has no effect: this is kapi
kapi: listening on https://127.0.0.1:$port" \
	"flags without effect are named"
is "$(get /version -o "$T/out" -w '%{http_code}')" 401 \
	"--anonymous-auth has one"
down

done_testing
