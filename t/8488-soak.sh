#!/bin/bash
# Operators for days of a virtual clock: each process has no more memory,
# descriptors and threads in the second half than in the first. SOAK_SECONDS of
# the machine (40); a release takes 3600.
# servers: kapi
# check-all: long faults
TEST_SECONDS=$((${SOAK_SECONDS:-40} * 3 + 1800))
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=clock/lib.sh
. "${0%/*}/clock/lib.sh"
# shellcheck source=cluster/lib.sh
. "${0%/*}/cluster/lib.sh"
clock_begin --at 2026-03-01T00:00:00Z
KAPI_OPTIONS=--bookmark-interval=10m
cluster_start
export WATCH_NAMESPACE=default
operators=()
for name in memcached at cronjob; do
	kubectl apply -f "pipeline/$name/crd.yaml" >/dev/null
	start kpipe -f "pipeline/$name/watches.yaml" --leader-elect \
		--leader-election-namespace=default \
		--metrics-bind-address=127.0.0.1:0 --record "$T/$name.record" \
		2>"$T/$name.log"
	operators+=("$name $!")
done

# measure: "OPERATOR PROCESS KIB DESCRIPTORS THREADS" of each; what evaluates ends
# now and then, and has another number then, so that the largest of a name counts.
measure() {
	local operator name pid below

	for operator in "${operators[@]}" "kapi $KAPI"; do
		read -r name pid <<<"$operator"
		read -r below <"/proc/$pid/task/$pid/children"
		for pid in $pid $below $(pgrep -P "$(tr -s ' ' , <<<"$pid $below" |
			sed 's/,$//')"); do
			[ -r "/proc/$pid/smaps_rollup" ] || continue
			echo "$name $(<"/proc/$pid/comm") $(awk '/^Pss_Anon:/ { print $2 }' \
				"/proc/$pid/smaps_rollup") $(find "/proc/$pid/fd" \
				-mindepth 1 | wc -l) $(find "/proc/$pid/task" \
				-mindepth 1 -maxdepth 1 | wc -l)"
		done
	done 2>/dev/null
}

# objects VERB SIZE: those of a round; VERB may be two words
objects() {
	local now due

	now=$(clock now)
	due=$(date -u -d "${now%.*}Z + 300 seconds" +%FT%TZ)
	# shellcheck disable=SC2086
	jq -nc --argjson size "$2" --arg due "$due" '(range(5) as $i | {
		apiVersion: "cache.example.com/v1alpha1", kind: "Memcached",
		metadata: {name: "m\($i)"}, spec: {size: ($size + $i)}}),
		(range(3) as $i | {apiVersion: "at.example.com/v1alpha1", kind: "At",
		metadata: {name: "a\($i)"}, spec: {schedule: $due, command: "true"}}),
		{apiVersion: "batch.tutorial.kubebuilder.io/v1", kind: "CronJob",
		metadata: {name: "c"}, spec: {schedule: "*/15 * * * *",
		concurrencyPolicy: "Replace", jobTemplate: {spec: {template: {spec:
		{restartPolicy: "Never", containers: [{name: "c", image: "x"}]}}}}}}' |
		kubectl $1 -f - >/dev/null 2>"$T/kubectl.err" ||
		flaw "$1: $(<"$T/kubectl.err")"
}

rounds=0 end=$((SECONDS + ${SOAK_SECONDS:-40}))
while [ "$SECONDS" -lt "$end" ] || [ "$rounds" -lt 8 ]; do
	objects apply 1
	clock pass 20m
	objects apply 3
	clock pass 20m
	measure >>"$T/measured.$rounds"
	objects "delete --wait=false" 1
	clock pass 20m
	rounds=$((rounds + 1))
done
note "$rounds rounds, as many hours of the clock"

# worst FROM TO: the most of each process in these rounds
worst() {
	local n

	for ((n = $1; n < $2; n++)); do
		cat "$T/measured.$n"
	done | awk '{ k = $1 " " $2; seen[k] = 1
		for (i = 3; i <= 5; i++) if ($i > most[k, i]) most[k, i] = $i }
		END { for (k in seen) print k, most[k, 3], most[k, 4], most[k, 5] }' |
		sort
}
half=$((rounds / 2))
worst 1 "$half" >"$T/first" # the first round begins
worst "$half" "$rounds" >"$T/second"
quote <"$T/second"
is "$(cut -d ' ' -f 1,2 "$T/second")" "$(cut -d ' ' -f 1,2 "$T/first")" \
	"the processes are the same"
# kapi keeps the last 1024 changes of each collection, which takes longer than this.
is "$(paste -d ' ' "$T/first" "$T/second" |
	awk '$8 > $3 * 1.1 + ($1 == "kapi" ? 2048 : 300)')" "" \
	"memory is flat"
is "$(paste -d ' ' "$T/first" "$T/second" | awk '$9 > $4 || $10 > $5')" "" \
	"descriptors and threads are"
for name in memcached at cronjob; do
	is "$(grep -E 'warning|error|fatal' "$T/$name.log")" "" \
		"$name does not complain"
done
for operator in "${operators[@]}"; do
	told_to_end "${operator#* }" "${operator% *} ends"
done
done_testing
