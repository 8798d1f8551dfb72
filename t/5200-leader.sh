#!/bin/bash
# Two replicas of an operator, of which one writes: fail-over in every way; only
# the holder of the lease ever writes (by the journal of kapi).
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=kapi.sh
. "${0%/*}/kapi.sh"
# shellcheck source=leader.sh
. "${0%/*}/leader.sh"
# shellcheck source=clock/lib.sh
. "${0%/*}/clock/lib.sh"

POLL=1
long_leases
clock_begin

leader_up
mark
replica 1
ok "alone, it leads" wait_for 20 now_leads 1
ok "... and is ready" wait_for 10 is_ready 1
replica 2
ok "the other is ready as a standby" wait_for 20 is_ready 2
is "$(as_admin GET /apis/coordination.k8s.io/v1/namespaces/default/leases |
	jq -r '.items[].metadata.name')" thing.example.com "the lease has a name"
busy

# moves FROM TO WHAT COMMAND...: TO leads after COMMAND
moves() {
	local from=$1 to=$2 what=$3

	shift 3
	mark
	wait_for 10 now_leads "$from" || return
	amid "$@"
	ok "$what: the other leads" wait_for 15 now_leads "$to"
}

# Who has ended may wait for the init of the machine.
gone() {
	! kill -0 "$1" 2>/dev/null ||
		[[ $(ps -o stat= -p "$1") == Z* ]]
}

# again N: once more, as a standby
again() {
	wait_for 10 gone "${pid[$1]}"
	replica "$1"
	ok "... the old one comes back as a standby" wait_for 20 is_ready "$1"
}

moves 1 2 "SIGTERM" kill -TERM "${pid[1]}"
again 1
moves 2 1 "kill -9 of kpipe" kill -9 "${pid[2]}"
again 2
# Stopped for longer than the lease: the page stops the writers.
moves 1 2 "SIGSTOP of kelect" kill -STOP "$(stage_of 1 kelect)"
killed_stopped() {
	grep -q 'kelect (pid [0-9]*) did not end in 5 s: killed' "$T/r1.err"
}
ok "... kpipe kills the stopped one" wait_for 15 killed_stopped

# All its processes are stopped, then continued.
frozen() {
	printf '%s\n' "${pid[2]}"
	pgrep -P "${pid[2]}"
}
wait_for 20 eval '[ "$(pgrep -c -P "${pid[1]}")" = 5 ]'
mapfile -t frozen < <(frozen)
ends() {
	grep -c 'starting the pipeline again' "$T/r2.err"
}
before=$(ends)
moves 2 1 "all stopped" kill -STOP "${frozen[@]}"
kill -CONT "${frozen[@]}"
saw_end() {
	[ "$(ends)" -gt "$before" ]
}
ok "... when it goes on, it ends" wait_for 10 saw_end

# Either may lead afterwards.
for stage in kelect kapply kstatus ireconcile kwatch; do
	mark
	wait_for 10 now_leads '[12]'
	amid kill -9 "$(stage_of "$leader" $stage)"
	mark
	ok "kill -9 of $stage: one of them leads" wait_for 15 now_leads '[12]'
done

is "$(stray)" "" "only the holder of the lease wrote"
writes=$(jq -Rr 'fromjson? | select(.resource == "configmaps" and
	.code < 300 and .method != "GET") | .user' "$T/journal" | sort | uniq -c)
ok "... and both have written: $(tr -s '\n ' ' ' <<<"$writes")" \
	grep -q r1.*r2 <(tr '\n' ' ' <<<"$writes")
kill -TERM "${pid[1]}" "${pid[2]}"
ok "both end" wait_for 20 eval 'gone "${pid[1]}" && gone "${pid[2]}"'
is "$(as_admin GET /apis/coordination.k8s.io/v1/namespaces/default/leases |
	jq -r '.items[].spec.holderIdentity // ""')" "" "... the lease is free"

### kelect runs kpipe: a standby is cold, but as safe

# under N: kelect's pid is in pid[N]
under() {
	: >"$T/r$1.ready"
	POD_NAME=r$1 KUBECONFIG=$T/r$1.kubeconfig kelect --lease thing.example.com \
		"${LEASE_TIMES[@]/leader-elect-/}" -- kpipe -f "$T/watches.yaml" \
		--report-fd=9 9>"$T/r$1.ready" 2>>"$T/r$1.err" &
	pid[$1]=$!
	started+=($!)
	disown $!
}
kpipe_of() {
	pgrep -P "${pid[$1]}" -x kpipe
}

mark
under 1
ok "kelect -- kpipe leads" wait_for 20 now_leads 1
under 2
kpipe=$(kpipe_of 1)
mapfile -t stages < <(pgrep -P "$kpipe")
mark
kill -9 "${pid[1]}"
ok "kill -9 of kelect: the other leads" wait_for 15 now_leads 2
all_gone() {
	local one

	for one in "$kpipe" "${stages[@]}"; do
		gone "$one" || return
	done
}
ok "... kpipe and its stages have ended" wait_for 10 all_gone
ok "... kpipe says why" grep -q '^kpipe: error: .*kelect' "$T/r1.err"
under 1
mark
kill -TERM "${pid[2]}"
ok "SIGTERM of kelect: the other leads" wait_for 15 now_leads 1
kill -TERM "${pid[1]}"
wait_for 15 gone "${pid[1]}"
is "$(stray)" "" "only the holder of the lease wrote"

done_testing
