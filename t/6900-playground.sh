#!/bin/bash
# The playground's program on what kwatch recorded from a real API server: a
# Deployment, a StatefulSet with a claim, two Services; then the Deployment is
# deleted.
. "${0%/*}/lib.sh"

folder=pipeline/playground
sets() {
	ireconcile -f "$folder/watches.yaml" --clock=input
}

runs 0 "ireconcile reads the recording" sets <"$folder/t/start.jsonl"
same "$T/out" "$folder/t/start.sets" "one status for each object, once"
is "$(cat "$T/err")" "" "... without a word"

# What has ended, or is going, is left alone.
jq -c 'select(.object.kind == "Pod" and .type == "ADDED").object
	| .status.phase = "Succeeded"' "$folder/t/start.jsonl" >"$T/ended.jsonl"
runs 0 "pods that have ended" sets <"$T/ended.jsonl"
is "$(cat "$T/out")" "" "... get no status"
jq -c 'select(.object.kind == "Pod" and .type == "ADDED").object
	| .metadata.deletionTimestamp = "2026-11-21T05:00:00Z"' \
	"$folder/t/start.jsonl" >"$T/going.jsonl"
runs 0 "pods that are being deleted" sets <"$T/going.jsonl"
is "$(jq -c .reconcile.status "$T/out" | sort -u)" "" "... get no status"
done_testing
