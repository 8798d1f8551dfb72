#!/bin/bash
# What `map: {field}` of a related kind saves: the CPU time of ireconcile and all
# its processes for one changed Secret among N primaries that name one each, of
# as many Secrets; with it, and without (every primary is evaluated).
# usage: t/bench/map.sh [N [CHANGES]]
set -euo pipefail
cd "${0%/*}/../.."
n=${1:-500} changes=${2:-5}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
make -s bin/ireconcile
${CC:-cc} -std=c11 -D_GNU_SOURCE -O2 -o "$tmp/cpu" t/bench/cpu.c
cat >"$tmp/program.jq" <<'END'
include "operator";
def desired: .primary as $p
  | [.related.Secret[] | select(.metadata.name == $p.spec.secretRef.name)
    | config_map($p.metadata.name; {}; {digest: (.data.k | sha256)})];
END
for way in with without; do
	map=', map: {field: spec.secretRef.name}'
	[ $way = with ] || map=
	cat >"$tmp/$way.yaml" <<END
- group: example.com
  version: v1
  kind: Thing
  program: program.jq
  dependents:
  - {apiVersion: v1, kind: ConfigMap, manage: true}
  related:
  - {apiVersion: v1, kind: Secret$map}
END
done

# N primaries, N Secrets, and the end of the first state
state() {
	jq -nc --argjson n "$n" '
		def event($type): {$type, object: .,
			time: "2026-01-01T00:00:00Z"};
		(range($n) | {apiVersion: "example.com/v1", kind: "Thing",
			metadata: {name: "t\(.)", namespace: "ns", uid: "t\(.)",
				generation: 1, resourceVersion: "1"},
			spec: {secretRef: {name: "s\(.)"}}},
		{apiVersion: "v1", kind: "Secret",
			metadata: {name: "s\(.)", namespace: "ns", uid: "s\(.)",
				resourceVersion: "1"}, data: {k: "0"}}
		| event("ADDED")),
		(["example.com/v1", "Thing"], ["v1", "Secret"], ["v1", "ConfigMap"]
		| {apiVersion: .[0], kind: .[1], metadata: {annotations:
			{"k8s.io/initial-events-end": "true"}}}
		| event("BOOKMARK"))'
}
# changed COUNT: one Secret changes so often, ten seconds apart.
changed() {
	jq -nc --argjson n "$1" 'range($n)
		| {type: "MODIFIED", time: (1767225610 + 10 * . | todate), object:
		{apiVersion: "v1", kind: "Secret", metadata: {name: "s7",
			namespace: "ns", uid: "s7", resourceVersion: "\(. + 2)"},
			data: {k: "\(. + 1)"}}}'
}

# cost WAY FILE: the median of three, in ms
cost() {
	rm -f "$tmp/ms"
	for _ in 1 2 3; do
		"$tmp/cpu" "$tmp/ms" bin/ireconcile -f "$tmp/$1.yaml" \
			--clock=input <"$2" >"$tmp/lines" 2>"$tmp/err" ||
			{ cat "$tmp/err" >&2; exit 1; }
	done
	sort -n "$tmp/ms" | sed -n 2p
}
state >"$tmp/before"
for way in with without; do
	count=$changes
	[ $way = without ] || count=$((changes * 100)) # each is that cheap
	{ cat "$tmp/before"; changed "$count"; } >"$tmp/after"
	before=$(cost "$way" "$tmp/before")
	lines=$(wc -l <"$tmp/lines")
	after=$(cost "$way" "$tmp/after")
	[ "$(($(wc -l <"$tmp/lines") - lines))" -ge "$count" ] ||
		{ echo "map.sh: the changes are not in the lines" >&2; exit 1; }
	printf '%-7s map: {field}: %7.2f ms for a changed Secret\n' \
		"$way" "$(jq -n "($after - $before) / $count")"
done
