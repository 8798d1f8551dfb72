#!/bin/bash
# The IoTService operator with INSTANCES of its example, of about 15 objects
# each, and the playground as the node: from nothing until all are Available and
# it has written nothing for 5 s; then the first 15 s of a restart. Seconds, its
# writes (by the audit log), CPU time by stage, memory of all processes of it.
# usage: [SERVER=kapi|real] t/bench/iotservice.sh [INSTANCES]	(100)
# shellcheck source=../bench.sh
. "${0%/*}/../bench.sh"
# shellcheck source=../iot.sh
. t/iot.sh
instances=${1:-100}

available() {
	[ "$(iot_count dev i Available)" -eq "$instances" ]
}

# written: how often the operator has written since audit_mark
written() {
	audit_writes user1 | wc -l
}

# row WHAT SECONDS: what the operator has used until now
row() {
	local pids private pss stage

	cpu_by_stage "$operator" >"$T/cpu"
	mapfile -t pids < <(below "$operator")
	read -r private pss < <(memory_of "${pids[@]}")
	printf '| %s | %s | %s |' "$1" "$2" "$(written)"
	for stage in kwatch ireconcile kapply kstatus kpipe; do
		awk -v of="$stage" '$1 == of { printf " %.0f |", $2 }' "$T/cpu"
	done
	awk '{ ms += $2 } END { printf " %.0f |", ms }' "$T/cpu"
	echo " $private | $pss |"
}

iot_cluster
iot_namespace dev
for ((i = 0; i < instances; i++)); do
	jq -c '.metadata += {namespace: "dev", name: "i'$i'"}' "$T/example.json"
done | kapply --kubeconfig "$(config admin)" -o none
echo "| $SERVER: $instances instances | s | writes | kwatch, ms | ireconcile | kapply | kstatus | kpipe | all | private, MiB | PSS |"
echo "|---|---|---|---|---|---|---|---|---|---|---|"

audit_mark
from=$EPOCHREALTIME
iot_operator dev
POLL=0.3 wait_for 1800 available || exit 1
seconds=$(jq -n "$EPOCHREALTIME - $from | . * 10 | round / 10")
rests 5 written || exit 1
row "from nothing" "$seconds"
iot_stop "$operator"
audit_mark
iot_operator dev
sleep 15
row "a restart, the first 15 s" 15
echo
echo "objects of the instances: $(kc get -A -l kpipe.dev/part-of -o name \
	namespaces,configmaps,secrets,services,deployments,statefulsets,networkpolicies |
	wc -l), and pods: $(kc get pods -A -l instance -o name | wc -l)"
