#!/bin/bash
# The key of marks in a Secret: the first process makes it, all get the same
# one; a key in a file; and what is refused.
# servers: kapi real
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=cluster/lib.sh
. "${0%/*}/cluster/lib.sh"
cluster_start
kubectl create namespace ops >/dev/null
# key [ARGUMENT]...: kapply without input; the key that it passes on is in
# $T/key
key() {
	kapply --marks-key-out-fd=5 --timeout=60s -o none "$@" \
		</dev/null 5>"$T/key"
}
in_secret() { # NAMESPACE NAME
	kubectl get secret -n "$1" "$2" -o 'jsonpath={.data.keys}' | base64 -d
}
none() { # NAMESPACE NAME
	kubectl get secret -n "$1" "$2" 2>&1 | grep -q NotFound
}

runs 0 "a dry run" key --marks-key-secret=ops/k --dry-run=server
is "$(grep -cxE '[0-9a-f]{64}' "$T/key")" 1 "... has a key of its own"
ok "... and makes no Secret" none ops k
for n in 1 2 3 4; do
	start bash -c 'exec kapply --marks-key-out-fd=5 --timeout=60s -o none \
		--marks-key-secret=ops/k </dev/null 5>"$0" 2>"$0.err"' "$T/key.$n"
	pids[n]=$!
done
for n in 1 2 3 4; do
	wait "${pids[n]}"
	is "$?" 0 "four at a time: $n ends well"
done
in_secret ops k >"$T/want"
is "$(grep -cxE '[0-9a-f]{64}' "$T/want")" 1 "one Secret with one key"
for n in 1 2 3 4; do
	same "$T/key.$n" "$T/want" "... which $n has"
done
is "$(cat "$T"/key.*.err | grep -c 'made Secret ops/k: the key')" 1 \
	"... and one made"
is "$(cat "$T"/key.*.err | grep -cf "$T/want")" 0 "no tool logs it"
POD_NAMESPACE=ops runs 0 "the namespace of the Pod" key --marks-key-secret=k
same "$T/key" "$T/want" "... is where a name alone is looked for"
runs 0 "else that of the kubeconfig" key --marks-key-secret=k2
in_secret default k2 >"$T/want"
same "$T/key" "$T/want" "... has one of its own"

kubectl create secret generic -n ops bad --from-literal=other=x >/dev/null
runs 100 "a Secret without a key" key --marks-key-secret=ops/bad
is "$(<"$T/err")" "kapply: fatal: Secret ops/bad, keys: there is no key of marks in it" \
	"... is refused"
kubectl create secret generic -n ops short --from-literal=keys=hunter2 >/dev/null
runs 100 "a key that is too short" key --marks-key-secret=ops/short
is "$(<"$T/err")" "kapply: fatal: Secret ops/short, keys: line 1: a key has at least 32 characters" \
	"... is refused, and not shown"

# --- while it runs: deleted, changed, put back
mkfifo "$T/gone"
runs 111 "a reader that has ended" bash -c 'exec 6<>"$0" 5>"$0" 6>&-
	exec kapply --marks-key-out-fd=5 --marks-key-secret=ops/k \
		--timeout=60s -o none </dev/null' "$T/gone"
is "$(<"$T/err")" "kapply: fatal: option --marks-key-out-fd: who was to read the key has ended" \
	"... is named"
mkfifo "$T/in" "$T/report"
exec 8<>"$T/in" 7<>"$T/report"
key_data() { # KEY
	printf '{"data":{"keys":"%s"}}' "$(echo "$1" | base64 -w0)"
}
patch() {
	kubectl patch secret -n ops k --type=merge -p "$1" >/dev/null
}
ours=$(in_secret ops k)
start bash -c 'exec kapply --marks-key-out-fd=5 --marks-key-secret=ops/k \
	--marks-key-check=200ms --report-fd=7 -o none <"$0" 5>/dev/null 2>"$1"' \
	"$T/in" "$T/err"
read -r _ <&7 # it is ready
kubectl delete secret -n ops k >/dev/null
made_again() {
	[ "$(in_secret ops k)" = "$ours" ]
}
ok "a Secret that is deleted is made again, with the same key" \
	wait_for 20 made_again
ok "... and that is said" wait_for 5 grep -q \
	'warning: made Secret ops/k again: the key that proves marks' "$T/err"
patch "$(key_data "$(printf %064d 1)")"
ok "another key is an error" wait_for 20 grep -q \
	'error: Secret ops/k has another key than the one that proves marks since the start: after a restart they would prove nothing; put the key back' "$T/err"
read -r report <&7
while [[ $report != *'"key of marks"'* ]]; do read -r report <&7; done
ok "... and it is not ready" [ -n "$report" ]
patch "$(key_data "$(printf '%064d\n%s' 2 "$ours")")"
ok "ours beside another one is not" wait_for 20 grep -q \
	'kapply: Secret ops/k has the key that proves marks' "$T/err"
is "$(grep -c 'another key' "$T/err")" 1 "... the error came once"
is "$(grep -c "$ours" "$T/err")" 0 "... no key is logged"
patch '{"data":{"keys":"eA=="}}'
ok "what is not a key is an error" wait_for 20 grep -q \
	'(its keys: line 1: a key has at least 32 characters)' "$T/err"
exec 8>&- 7>&-

# --- the Secret cannot be made at the start
mkfifo "$T/later"
exec 8<>"$T/in" 7<>"$T/later"
start bash -c 'exec kapply --marks-key-out-fd=5 --marks-key-secret=later/k \
	--report-fd=7 -o none <"$0" 5>/dev/null 2>"$1"' "$T/in" "$T/err"
read -r report <&7
ok "a namespace that is missing is told before kapply is ready" \
	grep -q '"unready":{"key of marks":"cannot create Secret later/k' <<<"$report"
kubectl create namespace later >/dev/null
read -r report <&7
is "$report" '{"tool":"kapply","unready":{}}' "... until it is there"
read -r report <&7
is "$report" "" "... then it is ready"
exec 8>&- 7>&-

# refused ARGUMENT...: kapply refuses these, with this message
refused() {
	runs 100 "kapply ${*:2}" kapply "${@:2}" </dev/null
	is "$(<"$T/err")" "kapply: fatal: $1" "... is refused"
}
refused "options --marks-key-fd and --marks-key-secret exclude each other" \
	--marks-key-fd=0 --marks-key-secret=k
refused "option --marks-key-out-fd needs --marks-key-secret" --marks-key-out-fd=1
refused "option --accept-unproven-marks needs a key: --marks-key-fd or --marks-key-secret" \
	--accept-unproven-marks
refused "the key of marks: line 1: a key has at least 32 characters" \
	--marks-key-fd=5 5<<<short
done_testing
