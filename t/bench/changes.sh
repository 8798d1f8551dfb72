#!/bin/bash
# Changes of the status of Pods, RATE a second for SECONDS_EACH (10) seconds,
# through kwatch and ireconcile: 1,000 Pods of two containers below 100
# primaries. `seen`: the program shows what changes in the status of the primary;
# `unseen`: its `fields` leave that out. How many changes were made a second, CPU
# of both stages for one, the lines of ireconcile that show a change first, and
# the time from the change to the line.
# The writers and kapi use the same processors: if fewer changes are made than
# RATE, these are at their end, and the delay is what a busy machine makes of it.
# usage: [SERVER=kapi|real] t/bench/changes.sh [RATE]...	(1000 10000)
SERVER=${SERVER:-kapi} # a real one makes some 1,000 changes a second
# shellcheck source=../bench.sh
. "${0%/*}/../bench.sh"
# shellcheck source=../sets.sh
. t/sets.sh
[ $# -gt 0 ] || set -- 1000 10000
seconds=${SECONDS_EACH:-10}
pods=1000 things=100
export T

${CC:-cc} -O2 -D_GNU_SOURCE -o "$T/load" t/bench/kapi-load.c \
	-lssl -lcrypto -lpthread || exit 1
for what in seen unseen; do
	field=status.message
	[ $what = seen ] || field=status.phase
	cat >"$T/$what.yaml" <<END
- group: example.com
  version: v1
  kind: Thing
  program: program.jq
  dependents:
  - {apiVersion: v1, kind: Pod, map: {label: thing}, fields: [metadata.labels, $field]}
END
done
cat >"$T/program.jq" <<'END'
def desired: [];
def status: {latest: ([.owned.Pod[].status.message // "0"] | max)};
END

things() {
	jq -nc --argjson n "$things" 'range($n) | {apiVersion: "example.com/v1",
		kind: "Thing", metadata: {name: "t\(.)", namespace: "load"}}'
}

pods() {
	jq -nc --argjson n "$pods" --argjson things "$things" 'range($n) as $i
	| {apiVersion: "v1", kind: "Pod", metadata: {name: "p\($i)",
		namespace: "load", labels: {thing: "t\($i % $things)"}},
	spec: {containers: [range(2) | {name: "main-\(.)",
		image: "registry.example.com/team/image:1.2.3",
		env: [range(10) | {name: "SETTING_\(.)",
			value: "the value of a setting"}],
		resources: {limits: {cpu: "1", memory: "512Mi"}}}]}}'
}

# delays: of each line on stdin the ms since the change that it is the first to
# show. (No kstatus writes it, so that ireconcile asks for it again.)
delays() {
	perl -MTime::HiRes=time -ne '/"latest":"([0-9]{9,})"/ and
		!$shown{$1}++ and printf "%.1f\n", time * 1000 - $1 / 1000'
}

# used: CPU time of kwatch, and of ireconcile with its evaluating processes
used() {
	local pid

	cpu_of "${STAGE[kwatch]}"
	for pid in $(below "${STAGE[ireconcile]}"); do
		cpu_of "$pid"
	done | awk '{ ms += $1 } END { print ms }'
}

# bench WHAT RATE: one row
bench() {
	# shellcheck disable=SC2034 # run_stage reads it
	local name=$1 before after

	rm -f "$T/a" "$T/b"
	mkfifo "$T/a" "$T/b"
	run_stage kwatch user1 /dev/null "$T/a" -f "$T/$1.yaml"
	run_stage ireconcile "" "$T/a" "$T/b" -f "$T/$1.yaml"
	delays <"$T/b" >"$T/delays" &
	started+=($!)
	rests 2 used || exit 1
	mapfile -t before < <(used)
	"$T/load" "$CLUSTER_SERVER" "$token" 0 16 "$seconds" "$2" "$pods" \
		>"$T/made" || exit 1
	rests 2 used || exit 1
	mapfile -t after < <(used)
	kill "${STAGE[kwatch]}"
	wait "${STAGE[@]}" $!
	{
		jq -r '"\(.writes) \(.seconds)"' "$T/made"
		echo "${before[*]} ${after[*]}"
	} | paste -sd ' ' | awk -v what="$2, $1" '{
		kwatch = ($5 - $3) * 1000; ireconcile = ($6 - $4) * 1000
		printf "| %s | %.0f | %.0f | %.0f | %.0f |", what, $1 / $2,
			kwatch / $1, ireconcile / $1,
			(kwatch + ireconcile) / $2 / 1e4 }'
	echo " $(wc -l <"$T/delays") | $(percentile 50 <"$T/delays") | $(
		percentile 99 <"$T/delays") |"
}

bench_cluster
things_start
kubectl create namespace load >/dev/null
{ things; pods; } | kapply --kubeconfig "$(config admin)" -o none \
	--max-in-flight=32 || exit 1
token=$(sed 's/.*Bearer //' "$CLUSTER/admin.header")
echo "| $SERVER: changes a second, program | made | kwatch, us for one | ireconcile, us | both, % of a core | lines | delay, ms | 99th |"
echo "|---|---|---|---|---|---|---|---|"
for rate in "$@"; do
	for what in seen unseen; do
		bench "$what" "$rate"
	done
done
