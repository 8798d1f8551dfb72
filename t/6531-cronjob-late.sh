#!/bin/bash
# The cronjob operator with a late watch: of Jobs (a filter holds them back), and
# of everything (kwatch is stopped). Forbid begins one Job all the same, and goes
# on when the watch does. That steps of the schedule pass meanwhile is seen by
# `pace`, whose policy is Allow: it has a Job for each, unless kwatch is stopped,
# as it begins none if its status was written and that was not seen.
# servers: kapi real
# check-all: more of the pipelines
. "${0%/*}/lib.sh"
. "${0%/*}/operator.sh"
. "${0%/*}/clock/lib.sh"
[ "$SERVER" = real ] || POLL=1

clock_begin --at 2026-03-01T00:00:00Z
group=batch.tutorial.kubebuilder.io
operator_cluster cronjob
operator_rights cluster || exit 1
cronjobs=/apis/$group/v1/namespaces/default/cronjobs
all_jobs=/apis/batch/v1/namespaces/default/jobs

# late: copies lines; those of Jobs wait while there is a file `hold`. The
# version of the CronJob `stopped` that went by last is in the file `passed`.
cat >"$T/late" <<END
#!/bin/bash
job='"(apiVersion":"batch/v1","kind":"Job|kind":"Job","apiVersion":"batch/v1)"'
held=()
while IFS= read -r line; do
	if [ ! -e "$T/hold" ]; then
		[ \${#held[@]} -eq 0 ] || printf '%s\n' "\${held[@]}"
		held=()
	elif [[ \$line =~ \$job && \$line != *'"BOOKMARK"'* ]]; then
		held+=("\$line")
		continue
	fi
	printf '%s\n' "\$line"
	if [[ \$line == *'"name":"stopped"'* && ! \$line =~ \$job &&
		\$line =~ '"resourceVersion":"'([0-9]+) ]]; then
		echo "\${BASH_REMATCH[1]}" >"$T/passed"
	fi
done
END
chmod +x "$T/late"
cp -r "$folder" "$T/cronjob"
folder=$T/cronjob
echo "  filters: [[$T/late]]" >>"$folder/watches.yaml"

# cronjob NAME SCHEDULE POLICY
cronjob() {
	jq -cn --arg name "$1" --arg schedule "$2" --arg policy "$3" \
		--arg version "$group/v1" '{apiVersion: $version, kind: "CronJob",
		metadata: {$name, namespace: "default"}, spec: {$schedule,
		concurrencyPolicy: $policy, jobTemplate: {
		metadata: {labels: {of: $name}}, spec: {template: {
		metadata: {labels: {of: $name}}, spec: {restartPolicy: "Never",
		containers: [{name: "c", image: "x"}]}}}}}}' |
		kubectl apply -f - >/dev/null
}
# jobs NAME: their names
jobs() {
	api "$all_jobs?labelSelector=of%3D$1" | jq -r '.items[].metadata.name'
}
# has NAME COUNT: so many Jobs, or more
has() {
	[ "$(jobs "$1" | wc -l)" -ge "$2" ]
}
# steps COUNT: so many more pass
steps() {
	wait_for 60 has pace "$(($(jobs pace | wc -l) + $1))"
}
# status NAME FILTER
status() {
	api "$cronjobs/$1" | jq -e ".status | $2" >/dev/null
}
seen() {
	status "$1" '.observedGeneration == 1'
}
# settled NAME: its Job was seen, and nothing is announced
settled() {
	status "$1" '(.active | length == 1) and .startingTime == null'
}

# ---- the Jobs are late ----

: >"$T/hold"
operator
cronjob pace '@every 1s' Allow
cronjob forbid '@every 1s' Forbid
ok "no Job is seen, Forbid: one is begun" wait_for 60 has forbid 1
ok "... it was announced" status forbid '.startingTime != null and .active == []'
ok "... steps pass" steps 3
first=$(jobs forbid)
is "$(wc -l <<<"$first")" 1 "... there is no other"
rm "$T/hold"
ok "it is seen" wait_for 60 settled forbid
ok "... steps pass" steps 2
is "$(jobs forbid)" "$first" "... there is no other"
has_event() {
	api /api/v1/namespaces/default/events | jq -e --arg message \
		"Job $first runs" 'any(.items[]; .message == $message)'
}
ok "... an Event says that it runs" wait_for 60 has_event

# ---- everything is late ----

cronjob stopped '@every 10s' Forbid
wait_for 60 seen stopped
# A status that was written, but not seen, is not overwritten: nothing would be
# announced.
passed() {
	[ "$(api "$cronjobs/stopped" | jq -r .metadata.resourceVersion)" = \
		"$(<"$T/passed")" ]
}
wait_for 60 passed
kwatch=$(stage kwatch)
kill -STOP "$kwatch"
announced() {
	status stopped '.startingTime != null or .active != []'
}
ok "kwatch is stopped: a run is announced" wait_for 60 announced
sleep 22 # two more runs are due
ok "... one Job at most" test "$(jobs stopped | wc -l)" -le 1
kill -CONT "$kwatch"
ok "... it goes on, and the Job is seen" wait_for 60 settled stopped
ok "... steps pass" steps 2
is "$(jobs stopped | wc -l)" 1 "... one Job"
is "$(jobs forbid)" "$first" "... and one of the first CronJob"

# ---- the next run ----

kubectl annotate pods -l "of=forbid" playground.kpipe.dev/outcome=Succeeded \
	>/dev/null
ok "the Job ends: another one is begun" wait_for 60 has forbid 2
ok "... and seen" wait_for 60 settled forbid
is "$(jobs forbid | wc -l)" 2 "... one"
ok "the operator ends with 0" operator_stop
is "$(complaints)" "" "no complaints"
done_testing
