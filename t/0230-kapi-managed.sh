#!/bin/bash
# kapi: managedFields and server-side apply, over HTTP: every step that was
# recorded from a real API server (t/unit/kapi/managed/steps.jsonl) has the same
# answer, whole. (Here all steps are within one second, so that the order of the
# entries differs.)
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=kapi.sh
. "${0%/*}/kapi.sh"

uid='[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}'

# answers FILE CASE: a line for each step, without what differs between servers.
answers() {
	sed -E "s/$uid/UID/g" "$1" | jq -cS --arg case "$2" '
	select(.case == $case) | [.verb, .manager, .subresource, .code,
	(.answer | walk(if type == "object" then
		del(.time, .resourceVersion, .creationTimestamp, .clusterIP,
			.clusterIPs)
		| if .managedFields | type == "array" then .managedFields |=
			sort_by(.operation, .manager, .subresource, .apiVersion)
		else . end
	else . end))]'
}

kapi_up
runs 0 "all steps are played" env RECORD_PAUSE=0 t/unit/kapi/managed/record \
	"$url" none none "$T/steps.jsonl"
jq -r .case t/unit/kapi/managed/steps.jsonl | uniq >"$T/cases"
while read -r case; do
	# Of eleven updaters the oldest is found only by the times.
	[ "$case" = "Eleven updaters" ] && continue
	answers t/unit/kapi/managed/steps.jsonl "$case" >"$T/want"
	answers "$T/steps.jsonl" "$case" >"$T/got"
	same "$T/got" "$T/want" "$case"
done <"$T/cases"
kapi_down
done_testing
