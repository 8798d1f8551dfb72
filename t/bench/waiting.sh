#!/bin/bash
# What an operator does while it waits: COUNT Ats whose time is far ahead, all
# with a finalizer and a status. For each process, how often it slept and how
# often it was interrupted in SECONDS_EACH (30) seconds; the system calls of as
# many seconds after that, where there is strace; memory. Nothing is due, so most
# are 0: ireconcile looks at the clock every 10 s, because that may be set, kwatch
# asks a silent server whether it lives, and a real one sends it a bookmark for
# each kind, about one a minute.
# usage: [SERVER=kapi|real] t/bench/waiting.sh [COUNT]	(10000)
# shellcheck source=../bench.sh
. "${0%/*}/../bench.sh"
count=${1:-10000}
seconds=${SECONDS_EACH:-30}

ats() {
	jq -nc --argjson count "$count" 'range($count)
		| {apiVersion: "at.example.com/v1alpha1", kind: "At",
		metadata: {name: "at-\(.)", namespace: "default"},
		spec: {command: "true", schedule: "2099-01-01T00:00:00Z"}}'
}

# switches: "PID SLEPT INTERRUPTED" of each process
switches() {
	local pid

	for pid in "${pids[@]}"; do
		echo "$pid $(switches_of "$pid")"
	done
}

# calls: a line for each system call that a process begins in that time, in
# $T/PID.calls. It begins some because strace has interrupted it to look at it.
calls() {
	local pid tracers=()

	for pid in "${pids[@]}"; do
		strace -f -qq -ttt -e signal=none -o "$T/$pid.calls" -p "$pid" &
		tracers+=($!)
		started+=($!)
	done
	sleep "$seconds"
	kill -INT "${tracers[@]}"
	wait "${tracers[@]}"
} 2>/dev/null

# calls_of PID: how many, without those of the first tenth of a second
calls_of() {
	[ ! -e "$T/$1.calls" ] || awk 'NR == 1 { from = $2 }
		$2 > from + 0.1 { n++ } END { print n + 0 }' "$T/$1.calls"
}

# writers: the CPU time of the stages that have reports to make of what they did
writers() {
	cpu_by_stage "$kpipe" | grep -E '^(kapply|kstatus)'
}

ats_cluster
ats | kapply --kubeconfig "$(config admin)" -o none --max-in-flight=32
start kpipe -f pipeline/at/watches.yaml --kubeconfig "$(config user1)" \
	2>>"$T/kpipe.log"
kpipe=$!
POLL=1 wait_for 1800 ats_have_status "$count" || exit 1
rests 30 writers || exit 1
stages "$kpipe" >"$T/stages"
mapfile -t pids < <(cut -d ' ' -f 1 "$T/stages")

switches >"$T/before"
sleep "$seconds"
switches >"$T/after"
! command -v strace >/dev/null || calls

echo "| $SERVER: $count Ats wait, $seconds s | slept | interrupted | system calls | private, MiB | PSS |"
echo "|---|---|---|---|---|---|"
while read -r pid name; do
	read -r private pss < <(memory_of "$pid")
	awk -v of="$pid" '$1 == of { print $2, $3 }' "$T/before" "$T/after" |
		paste -sd ' ' | awk -v name="$name" '{
			printf "| %s | %d | %d |", name, $3 - $1, $4 - $2 }'
	echo " $(calls_of "$pid") | $private | $pss |"
done <"$T/stages"
echo "| all | | | | $(memory_of "${pids[@]}" | sed 's/ / | /') |"
