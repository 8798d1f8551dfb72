#!/bin/bash
# What kpipe refuses before it starts a stage, and its messages.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"

mkdir "$T/stages"
for stage in kwatch ireconcile kapply kstatus; do
	cp t/stub/stage "$T/stages/$stage"
done
export KPIPE_LIBEXEC=$T/stages
cat >"$T/watches.yaml" <<'EOF'
- group: example.com
  version: v1
  kind: Thing
  program: program.jq
EOF
echo 'def desired: []; def status: {};' >"$T/program.jq"

# bad MESSAGE OPTION...
bad() {
	refuses "$1" kpipe "${@:2}"
}

f=$T/watches.yaml
bad "option --filename is missing: which watches.yaml?"
bad "option --filename needs a value" -f
bad "unexpected operand pods" -f "$f" pods
bad "options --dry-run and --leader-elect exclude each other" \
	-f "$f" --leader-elect --dry-run
bad "options --dry-run and --metrics-bind-address exclude each other" \
	-f "$f" --dry-run --metrics-bind-address=:8080
bad "options --dry-run and --health-probe-bind-address exclude each other" \
	-f "$f" --dry-run --health-probe-bind-address :8081
for option in --leader-election-id=x --leader-election-namespace=x \
	--leader-elect-for-life --leader-elect-lease-duration=1s \
	--leader-elect-renew-deadline=1s --leader-elect-retry-period=1s; do
	bad "option ${option%=*} needs --leader-elect" -f "$f" "$option"
done
bad "option --metrics-secure needs --metrics-bind-address" \
	-f "$f" --metrics-secure
bad "option --metrics-cert-path needs --metrics-secure" \
	-f "$f" --metrics-bind-address=0 --metrics-cert-path=/certs
bad "option --leader-election-id is empty: it is the name of the lease" \
	-f "$f" --leader-elect --leader-election-id=
for namespace in "" A a/b ä; do
	bad "option --leader-election-namespace: \"$namespace\" is not a name \
of a namespace" -f "$f" --leader-elect --leader-election-namespace="$namespace"
done
bad "option --prune-limit needs a number, not \"many\"" \
	-f "$f" --prune-limit=many
KPIPE_FENCE=5,6 bad "option --leader-elect: kelect runs this kpipe \
already (KPIPE_FENCE is set)" -f "$f" --leader-elect
KPIPE_LEASH=5,6 bad "option --leader-elect: kelect runs this kpipe \
already (KPIPE_LEASH is set)" -f "$f" --leader-elect
KPIPE_FENCE=5 bad "KPIPE_FENCE is \"5\", not the numbers of two open \
descriptors (PIPE,PAGE)" -f "$f"
bad "there is no kelect in $T/stages" -f "$f" --leader-elect
bad "there is no kpipe-http in $T/stages" -f "$f" \
	--metrics-bind-address=:8080
bad "options --namespace and --all-namespaces exclude each other" \
	-f "$f" -n default -A
bad "option --report-fd: descriptor 77 is not open" \
	-f "$f" --report-fd=77
bad "option --log-format needs one of text|json, not \"xml\"" \
	-f "$f" --log-format=xml

bad "cannot read $T/nowhere: No such file or directory" -f "$T/nowhere"
sed 's/kind: Thing/knid: Thing/' "$f" >"$T/typo.yaml"
bad "$T/typo.yaml:3: unknown key \"knid\" (did you mean \"kind\"?)" -f "$T/typo.yaml"
{
	cat "$f"
	echo '  requireScope: cluster'
} >"$T/scope.yaml"
bad "$T/scope.yaml:1: thing.example.com requires cluster scope, but \
option --namespace is \"a\": leave it out" -f "$T/scope.yaml" -n a
export WATCH_NAMESPACE=b
bad "$T/scope.yaml:1: thing.example.com requires cluster scope, but \
WATCH_NAMESPACE is \"b\": leave it out" -f "$T/scope.yaml"
unset WATCH_NAMESPACE

rm "$KPIPE_LIBEXEC/kapply"
bad "there is no kapply in $KPIPE_LIBEXEC" -f "$f"
cp bin/kpipe "$T/kpipe"
PATH=/usr/bin:/bin KPIPE_LIBEXEC='' runs 100 "no stages anywhere" \
	"$T/kpipe" -f "$f"
is "$(<"$T/err")" \
	"kpipe: fatal: there is no kwatch, neither beside kpipe nor in PATH" \
	"... in these words"

# Errors about options, too, are in the format of --log-format.
runs 100 "an error as JSON" kpipe --log-format=json -f "$T/nowhere"
is "$(sed 's/"ts":"[^"]*"/"ts":T/' "$T/err")" \
	'{"level":"fatal","ts":T,"logger":"kpipe","msg":"cannot read '"$T"'/nowhere: No such file or directory"}' \
	"... in these words"

cp t/stub/stage "$KPIPE_LIBEXEC/kapply"
echo 100 >"$KPIPE_LIBEXEC/kwatch.exit"
runs 100 "0 is not an address" kpipe -f "$f" \
	--metrics-bind-address=0 --health-probe-bind-address 0
ok "... the stages were started" test -s "$KPIPE_LIBEXEC/log"

rm "$KPIPE_LIBEXEC/kwatch.exit"
echo 111 >"$KPIPE_LIBEXEC/kapply.exit" # as the real kapply, see 3000
unread 111 "a dry run whose reader is gone" kpipe -f "$f" --dry-run
ok "... names the stage that ended" \
	grep -q '^kpipe: error: kapply (pid [0-9]*) ended with exit code 111$' "$T/err"
rm "$KPIPE_LIBEXEC/kapply.exit"

printf 'not a program' >"$KPIPE_LIBEXEC/kwatch"
chmod +x "$KPIPE_LIBEXEC/kwatch"
runs 100 "a stage that cannot be run" kpipe -f "$f"
is "$(grep 'cannot run' "$T/err")" \
	"kpipe: error: cannot run $KPIPE_LIBEXEC/kwatch: Exec format error" \
	"... says so"

# With the real stages: if one of them refuses to start, all end; each that
# refuses says so once.
unset KPIPE_LIBEXEC
export HOME=$T
# ended: what the stages and then kpipe said, without pids
ended() {
	grep -v '^kpipe: ' "$T/err" | sort
	grep '^kpipe: ' "$T/err" | sed 's/ (pid [0-9]*)//' | sort
}
runs 100 "no API server is known" timeout 300 kpipe -f "$f"
none='fatal: no API server is known: no --kubeconfig, no $KUBECONFIG, no ~/.kube/config, and this is not a pod (KUBERNETES_SERVICE_HOST is not set)'
# The first stage that ends ends the others: how many of them say why is chance.
stages() {
	grep -v '^kpipe: ' "$T/err" | sed 's/^k[a-z]*: //' | sort -u
}
is "$(stages)" "$none" "... in these words"
runs 100 "a missing kubeconfig" timeout 300 kpipe -f "$f" --kubeconfig "$T/none"
is "$(stages)" "fatal: cannot read $T/none: No such file or directory" \
	"... in these words"
echo 'def desired: [foo];' >"$T/program.jq"
runs 100 "a program that does not compile" \
	timeout 300 kpipe -f "$f" --server http://127.0.0.1:1
is "$(ended | grep ireconcile)" \
	"ireconcile: fatal: $T/program.jq:1: foo/0 is not defined
kpipe: error: ireconcile ended with exit code 100" "... in these words"

done_testing
