#!/bin/bash
# What a recording costs: CPU time of an operator per change of a primary,
# without --record, and with it: of its stages, and of krecord beside them.
# COUNT Memcacheds get another size ten times; each change is an event, a set,
# two writes, two events. ROUNDS (5) rounds of both in turn; medians.
# usage: [ROUNDS=N] t/bench/record.sh [COUNT]	(300)
SERVER=kapi
# shellcheck source=../bench.sh
. "${0%/*}/../bench.sh"
count=${1:-300} rounds=${ROUNDS:-5} size=1
namespace=/namespaces/default

sized() { # SIZE: the Memcacheds
	jq -nc --argjson n "$count" --argjson size "$1" 'range($n)
		| {apiVersion: "cache.example.com/v1alpha1", kind: "Memcached",
		metadata: {name: "m\(.)", namespace: "default"},
		spec: {size: $size}}'
}

followed() { # SIZE: all have it, in their Deployment and in their status
	[ "$(api "/apis/apps/v1$namespace/deployments" |
		jq "[.items[] | select(.spec.replicas == $1)] | length")" -eq "$count" ] &&
		[ "$(api "/apis/cache.example.com/v1alpha1$namespace/memcacheds" |
			jq '[.items[] | select(.status.observedGeneration ==
				.metadata.generation)] | length')" -eq "$count" ]
}

resize() {
	size=$((size % 9 + 1))
	sized $size | kapply --force-conflicts -o none
	wait_for 120 followed $size
}

# round NAME [OPTION]...: appends "STAGES KRECORD" in microseconds per change
round() {
	local name=$1 kpipe

	shift
	start kpipe -f pipeline/memcached/watches.yaml -n default "$@" \
		--report-fd=9 9>"$T/ready" 2>>"$T/kpipe.err"
	kpipe=$!
	wait_for 60 test -s "$T/ready"
	resize
	cpu_by_stage "$kpipe" >"$T/before"
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		resize
	done
	cpu_by_stage "$kpipe" >"$T/after"
	kill "$kpipe"
	wait "$kpipe"
	: >"$T/ready"
	join "$T/before" "$T/after" | awk -v n=$((count * 10)) '
		{ us = ($3 - $2) * 1000 / n }
		$1 == "krecord" { recorder = us; next } { stages += us }
		END { printf "%.1f %.1f\n", stages, recorder }' >>"$T/$name"
}

median() { # FILE COLUMN
	cut -d ' ' -f "$2" "$1" | percentile 50
}

cluster_start
kubectl apply -f pipeline/memcached/crd.yaml >/dev/null
kubectl wait --for=condition=Established \
	crd/memcacheds.cache.example.com >/dev/null
sized 1 | kapply -o none
for _ in $(seq "$rounds"); do
	round plain
	round recorded --record "$T/recording"
done
plain=$(median "$T/plain" 1) stages=$(median "$T/recorded" 1)
recorder=$(median "$T/recorded" 2)
echo "us of CPU for a change, medians of $rounds rounds: stages $plain, recorded" \
	"$stages ($(jq -n "($stages / $plain - 1) * 1000 | round / 10") %)," \
	"krecord $recorder ($(jq -n "$recorder / $plain * 1000 | round / 10") %)"
krecord stat "$T/recording" 2>/dev/null | grep -E '^(bytes|events|sets|results|gaps)'
