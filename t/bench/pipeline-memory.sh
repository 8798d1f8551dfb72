#!/bin/bash
# The memory of README's operator with N objects (10000) on kapi without TLS, all
# processes: converged, restarted; and restarted with PODS Pods (0) that its
# label selects. Private MiB in all, and of each stage.
# usage: t/bench/pipeline-memory.sh [N [PODS]]
# shellcheck disable=SC2034 # of lib.sh
TEST_SECONDS=1800
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=../kapi.sh
. t/kapi.sh
# shellcheck source=../readme.sh
. t/readme.sh
# shellcheck source=../processes.sh
. t/processes.sh
finished=1 # no TAP
n=${1:-10000} pods=${2:-0}

readme_blocks ""
readme_files

ticks() {
	for pid in $(below "$kpipe"); do
		cut -d' ' -f14,15 "/proc/$pid/stat"
	done
}

# rests: it has used no CPU for three seconds
rests() {
	local before

	before=$(ticks)
	sleep 3
	[ "$(ticks)" = "$before" ]
}

uses() { # WHAT
	kpipe -f "$T/watches.yaml" 2>"$T/log" &
	kpipe=$!
	wait_for 60 grep -q '^kpipe: ready' "$T/log" || cat "$T/log"
	wait_for 600 rests
	for pid in $(below "$kpipe"); do
		echo "$(<"/proc/$pid/comm") $(awk '/^Private_/ { n += $2 }
			END { print n }' "/proc/$pid/smaps_rollup")"
	done | awk -v what="$1" '{ all += $2; kb[$1] += $2 } END {
		printf "%s: %.1f", what, all / 1024
		for (stage in kb) printf ", %s %.1f", stage, kb[stage] / 1024
		print "" }'
	kill "$kpipe"
	wait "$kpipe"
}

kapi_up --tls=off
export KUBECONFIG=$T/kubeconfig
kapply -o none -f "$T/crd.yaml"
jq -nc --argjson n "$n" 'range($n) | {kind: "Memcached",
	apiVersion: "cache.example.com/v1alpha1", spec: {size: 3},
	metadata: {name: "memcached-\(.)", namespace: "default"}}' |
	kapply -o none --max-writes-per-second=0
uses "$n objects, converged, MiB"
[ "$(kwatch --once --objects deployments.apps | wc -l)" -eq "$n" ] || {
	echo "not all Deployments were made" >&2
	exit 1
}
uses "$n objects, restarted, MiB"
[ "$pods" -gt 0 ] || exit 0
jq -nc --argjson pods "$pods" --argjson n "$n" 'range($pods) |
	{apiVersion: "v1", kind: "Pod", metadata: {namespace: "default",
		name: "memcached-\(. % $n)-5d4f8c7b9-\(.)",
		labels: {app: "memcached", memcached_cr: "memcached-\(. % $n)"}},
	spec: {containers: [{name: "memcached", image: "memcached:1.4.36-alpine"}]}}' |
	kapply -o none --max-writes-per-second=0
uses "and $pods Pods, converged, MiB"
uses "and $pods Pods, restarted, MiB"
