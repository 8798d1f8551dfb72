#!/bin/bash
# What namespaceSelector costs kwatch: N namespaces, three kinds in each, of which
# two are empty, from a kapi with TLS, so by HTTP/2.
# usage: t/bench/namespaces.sh [N]
set -euo pipefail
cd "${0%/*}/../.."
n=${1:-300}
make -s bin/kapi bin/kapply bin/kwatch
tmp=$(mktemp -d)
pids=()
trap 'kill "${pids[@]}" 2>/dev/null; wait; rm -rf "$tmp"' EXIT
until_it() { # COMMAND...
	local i

	for ((i = 0; i < 6000; i++)); do
		"$@" && return
		read -rt 0.02 <> <(:) || :
	done
	echo "it did not come: $*" >&2
	exit 1
}
bin/kapi --tls=on --kubeconfig-out "$tmp/kubeconfig" 2>/dev/null &
pids+=($!)
until_it test -s "$tmp/kubeconfig"
export KUBECONFIG=$tmp/kubeconfig
cat >"$tmp/watches.yaml" <<'END'
- version: v1
  kind: ConfigMap
  program: program.jq
  namespaceSelector: {matchLabels: {team: a}}
  dependents:
  - {apiVersion: v1, kind: Secret, manage: true}
  - {apiVersion: v1, kind: Pod}
END
echo 'def desired: [];' >"$tmp/program.jq"
jq -nc --argjson n "$n" 'range($n) | "n\(.)" as $ns
	| {apiVersion: "v1", kind: "Namespace",
		metadata: {name: $ns, labels: {team: "a"}}},
	{apiVersion: "v1", kind: "Secret", metadata: {name: "x", namespace: $ns}}' |
	bin/kapply >/dev/null 2>&1
complete() { [ "$(grep -c initial-events-end "$tmp/out")" = 4 ]; }
began=$(date +%s%N)
bin/kwatch -f "$tmp/watches.yaml" --redact >"$tmp/out" 2>/dev/null &
pid=$!
pids+=("$pid")
until_it complete
echo "$n namespaces, $((3 * n)) streams: complete after $((($(date +%s%N) - began) / 1000000)) ms"
awk '{print "CPU: " ($14 + $15) * 10 " ms"}' "/proc/$pid/stat"
grep VmRSS "/proc/$pid/status"
echo "connections: $(find "/proc/$pid/fd" -lname 'socket:*' | wc -l)"
