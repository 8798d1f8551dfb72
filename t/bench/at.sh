#!/bin/bash
# How exact At is: the Pod's creation minus its scheduled time minus one round
# trip, in milliseconds, while WAITING other Ats wait; and, for an At whose time
# passed while no operator ran, from the moment the operator is ready.
# usage: [SERVER=kapi|real] t/bench/at.sh [WAITING]...	(1 1000 10000)
#
# SAMPLES (100) at five a second, RESTARTS (7).
if [ $# -ne 1 ]; then
	[ $# -gt 0 ] || set -- 1 1000 10000
	echo "| server | waiting | median | 99th | after a start, median | 99th | round trip |"
	echo "|---|---|---|---|---|---|---|"
	for waiting in "$@"; do
		bash "$0" "$waiting" || exit 1
	done
	exit 0
fi
# shellcheck source=../bench.sh
. "${0%/*}/../bench.sh"

samples=${SAMPLES:-100}
restarts=${RESTARTS:-7}

# ats FIRST COUNT SCHEDULE: names at-FIRST and so on; five for each second
ats() {
	jq -nc --argjson first "$1" --argjson count "$2" --argjson from "$3" \
		'range($count) | {apiVersion: "at.example.com/v1alpha1",
		kind: "At", metadata: {name: "at-\($first + .)", namespace:
		"default"}, spec: {command: "true", schedule:
		($from + (. / 5 | floor) | todate)}}' |
		kapply --kubeconfig "$(config admin)" -o none --max-in-flight=32
}

# created: "NAME SECONDS" of each Pod, as the API server saw it
created() {
	local filter='select(.verb == "patch" and .resource == "pods" and
		.code == 201) | [.name, .time]'

	[ "$SERVER" = kapi ] ||
		filter='select(.verb == "patch" and .objectRef.resource ==
			"pods" and .objectRef.subresource == null and
			.responseStatus.code == 201)
			| [.objectRef.name, .stageTimestamp]'
	grep '"pods"' "$CLUSTER/audit.log" | grep 201 |
		jq -r "$filter"' | "\(.[0]) \(.[1][:19] + "Z" | fromdate)\(
			.[1][19:-1])"'
}

all_created() {
	[ "$(created | wc -l)" -ge "$1" ]
}

# round_trip: the median of 31 GETs of one connection, in ms
round_trip() {
	local n urls=()

	for ((n = 0; n < 31; n++)); do
		urls+=("$CLUSTER_SERVER$ats/at-0" -o /dev/null)
	done
	curl -s --cacert "$CLUSTER/certificates/apiserver.crt" -H \
		"@$CLUSTER/admin.header" -w '%{time_total}\n' "${urls[@]}" |
		awk '{ print $1 * 1000 }' | percentile 50
}

# operator: in the background; $ready is the time at which it was ready
operator() {
	mkfifo "$T/ready"
	kpipe -f pipeline/at/watches.yaml --kubeconfig "$(config user1)" \
		--report-fd=9 9>"$T/ready" 2>>"$T/kpipe.log" &
	kpipe=$!
	started+=("$kpipe")
	exec 8<"$T/ready"
	rm "$T/ready"
	read -r <&8
	ready=$(date +%s.%N)
	cat <&8 >/dev/null &
	started+=($!)
	exec 8<&-
}

# cpu: CPU time of the operator's stages so far, in hundredths of a second
cpu() {
	cat /proc/[0-9]*/stat 2>/dev/null | sed 's/(.*)//' |
		awk -v of="$kpipe" '$3 == of { n += $13 + $14 } END { print n }'
}

# idle: whether the operator does nothing for a second
idle() {
	local before

	before=$(cpu)
	sleep 1
	[ $(($(cpu) - before)) -lt 3 ]
}

operator_end() {
	kill "$kpipe"
	wait "$kpipe"
}

# late NAME... : ms behind .when, less the round trip, of the Pods in $T/when
late() {
	created | awk -v trip="$trip" 'NR == FNR { when[$1] = $2; next }
		$1 in when { printf "%.1f\n", ($2 - when[$1]) * 1000 - trip }' \
		"$T/when" -
}

bench() {
	local waiting=$1 n from trip ready exact

	ats 0 "$waiting" 1861920000
	operator
	wait_for 600 ats_have_status "$waiting" || exit 1
	wait_for 600 idle || exit 1
	trip=$(round_trip)
	from=$(($(date +%s) + 4))
	for ((n = 0; n < samples; n++)); do
		echo "at-$((100000 + n)) $((from + n / 5))"
	done >"$T/when"
	ats 100000 "$samples" "$from"
	wait_for 120 all_created "$samples" || exit 1
	late >"$T/late"
	exact="$(percentile 50 <"$T/late") | $(percentile 99 <"$T/late")"
	operator_end

	: >"$T/late"
	for ((n = 0; n < restarts; n++)); do
		ats $((200000 + n)) 1 $(($(date +%s) - 1))
		operator
		wait_for 60 all_created $((samples + n + 1)) || exit 1
		echo "at-$((200000 + n)) $ready" >"$T/when"
		late >>"$T/late"
		operator_end
	done
	echo "| $SERVER | $waiting | $exact | $(percentile 50 \
		<"$T/late") | $(percentile 99 <"$T/late") | $trip |"
}

ats_cluster
bench "$1"
