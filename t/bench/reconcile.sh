#!/bin/bash
# The cost of evaluating a primary: CPU time of ireconcile and all its
# processes, in microseconds per primary. Each of the five operators gets N new
# primaries, and N whose objects all exist.
# usage: t/bench/reconcile.sh [N [TREE [ROUNDS]]]
# TREE is another source tree that was built: its operators and ireconcile take
# turns with ours. The figures are medians of ROUNDS.
set -euo pipefail
cd "${0%/*}/../.."
n=${1:-300} other=${2:-} rounds=${3:-3}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
export OPERATOR_NAME=dev
make -s bin/ireconcile
${CC:-cc} -std=c11 -D_GNU_SOURCE -O2 -o "$tmp/cpu" t/bench/cpu.c
trees=("$PWD" ${other:+"$other"})

# spec PIPELINE: apiVersion, kind and spec of its primaries
spec() {
	case $1 in
	at) echo '{"apiVersion":"at.example.com/v1alpha1","kind":"At","spec":
		{"schedule":"2026-01-01T00:00:00Z","command":"sh -c \"echo $HOME\""}}' ;;
	cronjob) echo '{"apiVersion":"batch.tutorial.kubebuilder.io/v1",
		"kind":"CronJob","spec":{"schedule":"@monthly","jobTemplate":
		{"spec":{"template":{"spec":{"containers":[]}}}}}}' ;;
	experimental) echo '{"apiVersion":"experiments.vapourware.com/v1alpha1",
		"kind":"Experimental","spec":{"numberOfReplicas":3}}' ;;
	memcached) echo '{"apiVersion":"cache.example.com/v1alpha1",
		"kind":"Memcached","spec":{"size":3}}' ;;
	iotservice) jq -c '.object | select(.kind == "IoTService" and
		.metadata.name == "full") | {apiVersion, kind, spec}' \
		pipeline/iotservice/t/instances.jsonl ;;
	esac
}

# marks PIPELINE WHICH: the bookmarks that begin or end its kinds
marks() {
	sed 's/"\${[^}]*}"/x/g' "pipeline/$1/watches.yaml" | python3 -c '
import json, sys, yaml
json.dump(yaml.safe_load(sys.stdin), sys.stdout)' |
		jq -c --arg mark "$2" '.[] | ., .dependents[], .related[]?
			| {apiVersion: (.apiVersion // "\(.group)/\(.version)"), kind}
			| {type: "BOOKMARK", object: (.metadata.annotations[$mark] = "true")}' |
		sort -u
}

primaries() {
	jq -ncS --argjson n "$n" --argjson of "$(spec "$1")" 'range($n)
		| {type: "ADDED", object: ($of + {metadata: {name: "p\(.)",
			namespace: "dev", uid: "uid-\(.)", generation: 1,
			resourceVersion: "\(. + 1)", finalizers: [],
			creationTimestamp: "2026-01-01T00:00:00Z"}})}'
	[ "$1" != iotservice ] || jq -c 'select(.type == "ADDED" and
		.object.kind == "Secret" and .object.metadata.namespace == "dev")' \
		pipeline/iotservice/t/instances.jsonl
}

# The objects that a line requests, as if they existed.
made() {
	jq -cS '.items[] | .metadata.uid = "\(.kind)-\(.metadata.name)"
		| .metadata.resourceVersion = "7"
		| .metadata.creationTimestamp = "2026-01-01T00:00:01Z"
		| {type: "ADDED", object: .}'
}

# stream PIPELINE FILE...: of the primaries and these objects
stream() {
	marks "$1" kpipe.dev/initial-events-begin
	primaries "$1"
	shift
	cat "$@"
}

# run TREE FILE STREAM: appends the CPU time to FILE
run() {
	(cd "$1" && "$tmp/cpu" "$2" bin/ireconcile \
		-f "pipeline/$pipeline/watches.yaml" <"$3" 2>"$tmp/err") ||
		{ cat "$tmp/err" >&2; exit 1; }
}

median() { sort -n "$1" | sed -n "$(((rounds + 1) / 2))p"; }

# streams TREE TO: TO.nothing, TO.new and TO.there
streams() {
	stream "$pipeline" "$tmp/end" | grep BOOKMARK >"$2.nothing"
	stream "$pipeline" "$tmp/end" >"$2.new"
	run "$1" "$tmp/unused" "$2.new" | made >"$tmp/made"
	stream "$pipeline" "$tmp/made" "$tmp/end" >"$2.there"
}

# costs WHAT: medians of each tree, in ms
costs() {
	rm -f "$tmp"/cpu.*
	for ((i = 0; i < rounds; i++)); do
		for t in "${!trees[@]}"; do
			run "${trees[t]}" "$tmp/cpu.$t" "$tmp/$t.$1" >"$tmp/lines"
		done
	done
	for t in "${!trees[@]}"; do
		median "$tmp/cpu.$t"
	done
}

for pipeline in memcached experimental at iotservice cronjob; do
	marks "$pipeline" k8s.io/initial-events-end >"$tmp/end"
	for t in "${!trees[@]}"; do
		streams "${trees[t]}" "$tmp/$t"
	done
	mapfile -t nothing < <(costs nothing)
	for what in new there; do
		mapfile -t all < <(costs "$what")
		printf '%-13s%-6s' "$pipeline" "$what"
		for t in "${!trees[@]}"; do
			awk -v all="${all[t]}" -v start="${nothing[t]}" -v n="$n" \
				'BEGIN {printf "%8.0f us", (all - start) * 1000 / n}'
		done
		echo
	done
done
