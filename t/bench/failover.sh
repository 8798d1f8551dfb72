#!/bin/bash
# How long no replica acts when the leader ends: from the signal to the first
# write of the other one (by the journal of kapi). Warm: kpipe --leader-elect;
# cold: kelect -- sh -c 'kwatch | ...', which lists everything only then.
#
#	OBJECTS=2000 ROUNDS=5 t/bench/failover.sh
#
# The lease is 2 s, renewed every 200 ms, instead of 15 s and 2 s: after kill -9
# most of the time is spent waiting for it to end.
TEST_SECONDS=900
# shellcheck source=../lib.sh
. "${0%/*}/../lib.sh"
# shellcheck source=../kapi.sh
. "$ROOT/t/kapi.sh"
# shellcheck source=../leader.sh
. "$ROOT/t/leader.sh"
objects=${OBJECTS:-2000} rounds=${ROUNDS:-5}

# cold N: the simple way, in a process group made by setsid
cold() {
	local n=$1

	POD_NAME=r$n KUBECONFIG=$T/r$n.kubeconfig setsid kelect --lease cold \
		--lease-duration=2s --renew-deadline=1s --retry-period=200ms \
		--report-fd=9 -- sh -c 'kwatch -f "$0" | ireconcile -f "$0" |
		kapply | kstatus' "$T/watches.yaml" \
		9>"$T/r$n.ready" 2>>"$T/r$n.err" &
	pid[$n]=$!
	started+=($!)
	disown $!
}

# first_write N: when, in microseconds of Unix time
first_write() {
	tail -n "+$MARK" "$T/journal" |
		jq -Rnr '[inputs | fromjson? | select(.user == "r'"$1"'" and
			.name == "thing" and .code < 300 and
			.method != "GET")][0].time' |
		sed 's/Z$//' | while IFS=. read -r second part; do
			echo "$(date -u -d "$second" +%s)$part"
		done
}

median() {
	sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}

# measure NAME SIGNAL START...
measure() {
	local name=$1 signal=$2 from=1 to=2 begin end

	shift 2
	mark
	"$@" 1
	wait_for 60 now_leads 1
	for ((i = 0; i < rounds; i++)); do
		"$@" "$to"
		wait_for 60 is_ready "$to"
		mark
		wait_for 60 now_leads "$from"
		mark
		begin=$(date +%s%6N)
		kill "-$signal" "${pid[$from]}"
		wait_for 60 now_leads "$to" >&2
		end=$(first_write "$to")
		echo $(((end - begin) / 1000))
		wait_for 20 eval '! kill -0 '"${pid[$from]}"
		to=$from from=$((3 - from))
	done >"$T/times"
	printf '%-28s median %5d ms  (%s)\n' "$name" "$(median <"$T/times")" \
		"$(tr '\n' ' ' <"$T/times" | sed 's/ $//')"
	kill -KILL "${pid[$from]}"
	sleep 3 # the lease
}

leader_up
for ((i = 0; i < objects; i++)); do
	printf '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"o%d","namespace":"default"},"data":{"text":"%0200d"}}\n' $i 0
done | kapply --kubeconfig "$T/kubeconfig" -o none
busy
echo "fail-over with $objects objects watched:"
measure "warm, SIGTERM" TERM replica
measure "cold, SIGTERM" TERM cold
measure "warm, kill -9" KILL replica
measure "cold, kill -9 of kelect" KILL cold
finished=1
