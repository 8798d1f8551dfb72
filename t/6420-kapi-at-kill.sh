#!/bin/bash
# At, whatever happens to its operator: kill -9 and SIGSTOP of any stage at any
# step, answers that do not arrive, views that are old, two operators at a time,
# Pods deleted at any moment. In the end each At is DONE, and exactly one Pod
# was started for it. t/at/kill has the details.
#
# RUNS runs (100), from number FIRST (1); SEED=N repeats them; WORKERS at a
# time (10).
# check-all: long faults
TEST_SECONDS=$((${RUNS:-100} * 2 + 1800))
. "${0%/*}/lib.sh"
. "${0%/*}/kapi.sh"

export WORKERS=${WORKERS:-10}
SEED=${SEED:-20261121}
note "SEED=$SEED"
kapi_up --journal "$T/journal"
export KUBECONFIG=$T/kubeconfig
ask POST /apis/apiextensions.k8s.io/v1/customresourcedefinitions \
	"$(<pipeline/at/crd.yaml)" application/yaml >/dev/null
is "$(code)" 201 "the CRD"

# The journal and what the runs saw are two witnesses.
run_count=${RUNS:-100} first=${FIRST:-1}
t/at/kill "$url" "$T/journal" "$run_count" "$SEED" "$first" >"$T/runs"
is "$(head -c 8000 "$T/runs")" "$run_count runs" \
	"of $run_count Ats each was run once, and is DONE"
jq -r 'select(.resource == "pods" and .subresource == "status" and
	.verb == "patch" and .code == 200) | select(.body.status.startTime)
	| .namespace' "$T/journal" | sort >"$T/started"
for ((n = first; n < first + run_count; n++)); do
	echo "run-$n"
done | sort >"$T/want"
same "$T/started" "$T/want" "... says the journal"
kapi_down
done_testing
