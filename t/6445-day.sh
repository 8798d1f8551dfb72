#!/bin/bash
# A day of an operator as its author may test it: kapi, the playground and the
# cronjob operator on a virtual clock (clock/README). Jobs begin in their
# second, and of those that have ended so many are kept as is said.
# check-all: a day of an operator
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=clock/lib.sh
. "${0%/*}/clock/lib.sh"
clock_begin --at 2026-03-01T00:00:10Z
own_kubectl
export KUBECONFIG=$T/kubeconfig
start kapi --kubeconfig-out "$KUBECONFIG" --bookmark-interval=0 2>"$T/kapi.log"
wait_for 20 test -s "$KUBECONFIG"
kubectl apply -f pipeline/cronjob/crd.yaml >/dev/null
# Of the playground only what is needed: each watch takes time of the processor.
mkdir "$T/playground"
cp pipeline/playground/*.jq "$T/playground"
cat >"$T/playground/watches.yaml" <<'END'
- {version: v1, kind: Pod, program: reconcile.jq}
- group: batch
  version: v1
  kind: Job
  program: job.jq
  guardStatus: true
  desiredReads: [owned, now]
  dependents:
  - {apiVersion: v1, kind: Pod, manage: true}
END
start kpipe -f "$T/playground/watches.yaml" 2>"$T/playground.log"
start kpipe -f pipeline/cronjob/watches.yaml 2>"$T/log"
start kwatch jobs.batch --namespace default >"$T/jobs" 2>"$T/kwatch.log"

# cronjob NAME SCHEDULE COMMAND [SPEC]
cronjob() {
	jq -nc --arg name "$1" --arg schedule "$2" --arg command "$3" \
		--argjson spec "${4:-"{}"}" '{kind: "CronJob",
		apiVersion: "batch.tutorial.kubebuilder.io/v1", metadata: {$name},
		spec: ({$schedule, jobTemplate: {spec: {backoffLimit: 0,
			template: {spec: {restartPolicy: "Never", containers: [
			{name: "c", image: "x", command: ($command / " ")}]}}}}}
			+ $spec)}' |
		kubectl create -f - >/dev/null
}
# begun NAME: when each of its Jobs was created
begun() {
	jq -r --arg name "$1" 'select(.type == "ADDED").object.metadata
		| select(.name | startswith($name + "-")).creationTimestamp' "$T/jobs"
}
# kept NAME: when each of its Jobs was created that is still there
kept() {
	kubectl get jobs -o json | jq -r --arg name "$1" '[.items[].metadata
		| select(.name | startswith($name + "-")).creationTimestamp]
		| sort[]'
}
# day HOUR:MINUTE...
day() {
	printf '2026-03-01T%s:00Z\n' "$@"
}

cronjob hourly '0 * * * *' 'sleep 90'
cronjob berlin '30 2 * * *' true '{"timeZone": "Europe/Berlin"}'
cronjob fails '15 */6 * * *' false '{"failedJobsHistoryLimit": 2}'
cronjob slow '*/10 * * * *' 'sleep 1500' '{"concurrencyPolicy": "Forbid"}'
cronjob none '5 * * * *' true '{"successfulJobsHistoryLimit": 0}'
clock pass 12h
is "$(begun hourly)" "$(day {01..12}:00)" \
	"half a day: each hour has a Job, in its second"
clock pass 11h
is "$(begun hourly)" "$(day {01..23}:00)" "a day"
is "$(kept hourly)" "$(day 20:00 21:00 22:00 23:00)" \
	"... three of those that have ended are kept, and the one that runs"
is "$(begun berlin)" "$(day 01:30)" "half past two in Berlin"
is "$(begun fails)" "$(day 00:15 06:15 12:15 18:15)" "each fails"
is "$(kept fails)" "$(day 12:15 18:15)" "... two are kept"
is "$(begun slow | head -n 3)" "$(day 00:10 00:35 01:00)" \
	"Forbid: the next one waits until that of 25 minutes has ended"
is "$(begun none | wc -l) $(kept none)" "23 " "... none is kept"
is "$(kubectl get pods -o name | wc -l)" "$(kubectl get jobs -o name | wc -l)" \
	"the Pods of Jobs that are gone are gone, too"
is "$(besides_work "$T/log" | grep -v ' ready$')" "" "no complaints"
done_testing
