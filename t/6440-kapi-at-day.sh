#!/bin/bash
# A day of the At operator on a virtual clock: each command is started in its
# second. Then the time of day is set, forward and back, and the machine sleeps.
# servers: kapi
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=clock/lib.sh
. "${0%/*}/clock/lib.sh"
# shellcheck source=cluster/lib.sh
. "${0%/*}/cluster/lib.sh"
clock_begin --at 2026-03-01T00:00:00Z
cluster_start
ats=/apis/at.example.com/v1alpha1/namespaces/default/ats
pods=/api/v1/namespaces/default/pods
kubectl apply -f pipeline/at/crd.yaml >/dev/null
start kpipe -f pipeline/at/watches.yaml --kubeconfig "$(config user1)" \
	2>"$T/log"
wait_for 20 grep -q ready "$T/log"

# at NAME TIME...
at() {
	printf '{"apiVersion":"at.example.com/v1alpha1","kind":"At","metadata":
		{"name":"%s"},"spec":{"schedule":"%s","command":"true"}}' "$@" |
		kubectl create -f - >/dev/null
}
# in_seconds N: that time of day
in_seconds() {
	local now

	now=$(clock now)
	date -u -d "${now%.*}Z + $1 seconds" +%FT%TZ
}
waits() {
	api "$ats/$1" | jq -e '.status.phase == "PENDING"'
}
# late: by how many seconds each Pod was created after the time of its At
late() {
	jq -rn --argjson ats "$(api "$ats")" --argjson pods "$(api "$pods")" '
		($pods.items | map({(.metadata.name):
			.metadata.creationTimestamp}) | add) as $made
		| $ats.items[] | .metadata.name as $name | $made[$name] // empty
		| "\($name) \((. | fromdate) - ($ats.items[]
			| select(.metadata.name == $name).spec.schedule | fromdate))"'
}

# ---- a day ----

for hour in {00..23}; do
	at "at-$hour" "2026-03-01T$hour:30:00Z"
done
clock pass 12h
is "$(late)" "$(printf 'at-%s 0\n' {00..11})" \
	"half a day: what is due by then runs, each in its second"
clock pass 12h
is "$(late)" "$(printf 'at-%s 0\n' {00..23})" "the day: all"
audit_mark
clock pass 24h
is "$(audit_writes user1)" "" "a day more: nothing is written"

# ---- the time of day is set ----

at forward "$(in_seconds 7200)"
ok "in two hours" wait_for 10 waits forward
clock jump 3h
clock pass 61s
ok "the clock goes three hours forward: it runs in a minute" \
	api "$pods/forward"
at back "$(in_seconds 3600)"
ok "in an hour" wait_for 10 waits back
clock jump -2h
clock pass 179m
ok "two hours back: it waits for three" api_gone "$pods/back"
clock pass 1m
is "$(late | grep back)" "back 0" "... and runs in its second"

# ---- the machine sleeps ----

at asleep "$(in_seconds 300)"
ok "in five minutes" wait_for 10 waits asleep
clock suspend 10m
clock pass 1s
ok "the machine sleeps for ten: it runs at once" api "$pods/asleep"
is "$(besides_work "$T/log" | grep -v ' ready$')" "" "no complaints"
done_testing
