#!/bin/bash
# The cost of a call of `desired`: the IoTService program on each instance of
# its recorded file, in microseconds of CPU time.
# usage: t/bench/evaluate.sh [CALLS]
set -eu
cd "${0%/*}/../.."
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

mapfile -t objects < <(sed -n 's,^// needs \(.*\)\.c,build/\1.o,p' \
	t/unit/ireconcile/test-program.c)
make -s build/libkpipe.a "${objects[@]}"
${CC:-cc} -std=c11 -D_GNU_SOURCE -O2 -iquote lib -iquote cmd/ireconcile -o "$tmp/evaluate" \
	t/bench/evaluate.c "${objects[@]}" build/libkpipe.a -ljq -lcrypto -lseccomp -lm

# The last state of each primary, with the Secrets of the operator.
jq -c -n '[inputs.object] as $all
	| [$all[] | select(.kind == "Secret" and .metadata.name != null)] as $secrets
	| [$all[] | select(.kind == "IoTService" and .metadata.name != null)]
	| group_by(.metadata.name)[] | last
	| {primary: ., related: {Secret: $secrets}, owned: {},
		operator: {name: .metadata.namespace}}' \
	pipeline/iotservice/t/instances.jsonl >"$tmp/inputs"
while read -r input; do
	printf '%s: ' "$(jq -r .primary.metadata.name <<<"$input")"
	# The program refuses one of the instances.
	"$tmp/evaluate" pipeline/iotservice/reconcile.jq lib/jq "$input" \
		"${1:-1000}" 2>&1 || true
done <"$tmp/inputs"
