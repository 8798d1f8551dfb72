# shellcheck shell=bash
# shellcheck disable=SC2154 # name, ns: of life
# What happens to an operator in t/node/life: two Pods, and whatever becomes of
# the one that leads, the other one goes on, and the kubelet starts again what
# ended.

pods=/api/v1/namespaces/$name-operator-system/pods
of_it="$pods?labelSelector=app.kubernetes.io%2Fname%3D$name-operator"
n=0

# one_change: an object, in turn
one_change() {
	n=$((n + 1))
	change "$n" >/dev/null
}
# works WHAT: a change is followed
works() {
	one_change
	ok "$1" wait_for 180 followed "$n" || node_logs "$ns"
}

# other_leads POD: another Pod than that one leads
other_leads() {
	local now

	now=$(leader "$name")
	[ -n "$now" ] && [ "$now" != "$1" ]
}
is_ready() {
	[ "$(object "$pods/$1" '.status.containerStatuses[0].ready')" = true ]
}
# lead: who does, in $pod; its container's process 1, in $pid; its restarts, in
# $count. It is ready, and so is its standby.
lead() {
	available "$name" >/dev/null
	wait_for 180 other_leads ""
	pod=$(leader "$name")
	wait_for 180 is_ready "$pod"
	pid=$(process "$pod" "$ns") count=$(restarts "$pod" "$ns")
	from=$EPOCHREALTIME
}
# after: how long it took
after() {
	note "after $(awk "BEGIN { printf \"%.1f s\", $EPOCHREALTIME - $from }")"
}
restarted() {
	[ "$(restarts "$1" "$ns")" -gt "$2" ]
}
# running: the Pods whose containers are not about to end
running() {
	object "$of_it" '.items[] | select(.metadata.deletionTimestamp == null
		and .status.phase == "Running" and
		.status.containerStatuses[0].state.running) | .metadata.name'
}

contained() {
	is "$(awk '/^Uid|^CapEff|^Seccomp:|^NoNewPrivs/ { print $1, $2 }' \
		"/proc/$pid/status" | paste -sd' ')" \
		"Uid: 65532 CapEff: 0000000000000000 NoNewPrivs: 1 Seccomp: 2" \
		"it runs as nobody, without capabilities, filtered"
}

# evict POD: what the API server says
evict() {
	curl -s -m 30 --cacert "$CLUSTER/certificates/apiserver.crt" \
		-H "@$CLUSTER/admin.header" -H 'Content-Type: application/json' \
		"$CLUSTER_SERVER$pods/$1/eviction" -d "{\"kind\": \"Eviction\",
		\"apiVersion\": \"policy/v1\", \"metadata\": {\"name\": \"$1\"}}" |
		jq -r .message,.status
}
budget_allows() {
	[ "$(object "/apis/policy/v1/namespaces/$ns/poddisruptionbudgets" \
		'.items[0].status.disruptionsAllowed')" = "$1" ]
}
evicted() {
	local standby

	standby=$(running | grep -vx "$pod")
	wait_for 180 budget_allows 1
	is "$(evict "$pod")" "null
Success" "one of both may be evicted"
	ok "... but not both at once, by the budget" \
		grep -q "disruption budget" <(evict "$standby")
	kubectl wait --for=delete "pod/$pod" -n "$ns" --timeout=180s >/dev/null
	after
	is "$(object "/api/v1/namespaces/$ns/events" '.items[]
		| select(.involvedObject.name == "'"$pod"'"
			and .reason == "Killing")
		| select(.message | test("exceeded|SIGKILL"))')" "" \
		"it ends within the grace period"
	ok "... and the other one leads" wait_for 180 other_leads "$pod"
	after
	ok "two replicas again" available "$name"
	works "the work goes on"
}

# The pipeline starts again, not the container.
new_stage() {
	local now

	now=$(pgrep -P "$pid" -x ireconcile | head -n 1)
	[ -n "$now" ] && [ "$now" != "$stage" ]
}
stage_killed() {
	lead
	stage=$(pgrep -P "$pid" -x ireconcile | head -n 1)
	kill -9 "$stage"
	ok "a stage that is killed runs again" wait_for 180 new_stage
	works "... and the work goes on"
	is "$(restarts "$pod" "$ns")" "$count" "... in the same container"
	is "$(ps --ppid "$pid" -o stat= | grep -c Z)" 0 "... without zombies"
}

process_1_killed() {
	lead
	kill -9 "$pid"
	ok "a container whose process 1 is killed starts again" \
		wait_for 180 restarted "$pod" "$count"
	works "... and the work goes on"
	after # its lease of 15 s had to end
}

unanswered() {
	lead
	kill -STOP "$(pgrep -P "$pid" -x kpipe-http)"
	ok "a container that does not answer the probes starts again" \
		wait_for 240 restarted "$pod" "$count"
	after
	works "... and the work goes on"
}

# ---- another image, and back ----

rolled_out() {
	object "/apis/apps/v1/namespaces/$ns/deployments/$name-operator-controller-manager" \
		'.status.observedGeneration == .metadata.generation
		and .status.updatedReplicas == 2 and .status.replicas == 2
		and .status.availableReplicas == 2' | grep -q true
}
# followed_until_rolled_out: objects change, one after another; each is followed.
# The slowest took $slowest seconds.
followed_until_rolled_out() {
	local end=$((SECONDS + 300)) begun

	slowest=0 changes=0
	until rolled_out; do
		begun=$EPOCHREALTIME
		one_change
		changes=$((changes + 1))
		wait_for 180 followed "$n" || return
		slowest=$(awk -v "t=$EPOCHREALTIME" -v "begun=$begun" \
			-v "most=$slowest" 'BEGIN { t -= begun
			printf "%.1f", (t > most ? t : most) }')
		[ "$SECONDS" -lt "$end" ] || return
	done
}
# Requests of kelect that renewed, released or took the lease, and the longest
# time between two.
leadership() {
	audit "select(.user.username | endswith(\":$name-kelect\"))"'
		| select(.verb != "get" and .responseStatus.code < 300)
		| "\(.stageTimestamp[11:23]) \(.sourceIPs[0])"' | awk '
		{ split($1, t, ":"); now = t[1] * 3600 + t[2] * 60 + t[3]
		  if (NR > 1 && now - last > gap) gap = now - last
		  if (NR > 1 && $2 != who) n++
		  last = now; who = $2 }
		END { printf "%d changes of the leader, at most %.1f s between two renewals\n", n, gap }'
}
# rolls WHAT: an image that was just named
rolls() {
	audit_mark
	ok "$1, and every change is followed" followed_until_rolled_out ||
		node_logs "$ns"
	note "$changes changes, the slowest took $slowest s; $(leadership)"
}
not_edited() {
	! is_edited
}
upgraded() {
	use_image next
	rolls "another image is rolled out"
	ok "its program is at work" wait_for 180 is_edited
	use_image_before
	rolls "the one before is rolled out again"
	ok "its program is at work" wait_for 180 not_edited
}

# ---- an image that does not exist ----

waiting() {
	object "$of_it" '.items[].status.containerStatuses[]?.state.waiting
		| values | "\(.reason): \(.message)"'
}
is_not_pulled() {
	waiting | grep -q "ImagePull.*$name-operator:none"
}
not_pulled() {
	use_image_none
	ok "the Pod says that its image does not exist" \
		wait_for 180 is_not_pulled
	note "$(waiting | cut -c1-150)"
	is "$(running | wc -l)" 2 "... two Pods of the image before still run"
	works "... and work"
	use_image_before
	ok "... and it is taken back" available "$name"
	is "$(refused "$name")" "" "the operator was refused nothing"
}
