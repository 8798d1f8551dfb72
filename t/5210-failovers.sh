#!/bin/bash
# Many fail-overs of two replicas in ways drawn by chance, with both kinds of
# election: by the journal of kapi only the leader ever writes.
#
#	SEED=7 FAILOVERS=100 t/5210-failovers.sh
# check-all: long faults
FAILOVERS=${FAILOVERS:-6}
TEST_SECONDS=$((1800 + FAILOVERS * 20))
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=kapi.sh
. "${0%/*}/kapi.sh"
# shellcheck source=leader.sh
. "${0%/*}/leader.sh"
# shellcheck source=clock/lib.sh
. "${0%/*}/clock/lib.sh"
POLL=1
RANDOM=${SEED:-$$}
note "SEED=${SEED:-$$} FAILOVERS=$FAILOVERS"

pods=/api/v1/namespaces/default/pods
# pod N: the Pod of replica N
pod() {
	as_admin POST "$pods" '{"apiVersion": "v1", "kind": "Pod",
		"metadata": {"name": "r'"$1"'"}, "spec": {"containers": [
		{"name": "kpipe", "image": "kpipe"}]}}' >/dev/null
	[ "$(code)" = 201 ]
}

gone() {
	! kill -0 "$1" 2>/dev/null
}

# end N SIGNAL: kpipe, and its pod
end() {
	kill "-$2" "${pid[$1]}"
	wait_for 20 gone "${pid[$1]}"
	[ -z "$LOCK" ] ||
		as_admin DELETE "$pods/r$1?gracePeriodSeconds=0" >/dev/null
}

# fail N HOW
fail() {
	local n=$1 all

	case $2 in
	term) end "$n" TERM ;;
	kill) end "$n" KILL ;;
	kelect) kill -9 "$(stage_of "$n" kelect)" ;;
	stop) kill -STOP "$(stage_of "$n" kelect)" ;;
	freeze)
		mapfile -t all < <(echo "${pid[$n]}"; pgrep -P "${pid[$n]}")
		kill -STOP "${all[@]}"
		sleep 6 # longer than the lease
		kill -CONT "${all[@]}"
		;;
	esac
}

# round HOW: the leader fails; the other takes over
round() {
	local from=1 to=2

	mark
	wait_for 20 now_leads '[12]' || return
	[ "$leader" = 1 ] || from=2 to=1
	wait_for 30 is_standby "$to" || return
	amid fail "$from" "$1"
	mark
	case $1 in # the one without its kelect may see the lease end first
	kelect) wait_for 20 now_leads '[12]' >&2 || return ;;
	*) wait_for 20 now_leads "$to" >&2 || return ;;
	esac
	# Not before: it would try to lead at once.
	gone "${pid[$from]}" || return 0
	[ -z "$LOCK" ] || wait_for 10 pod "$from" || return
	replica "$from"
}
# All of its stages run, so that it is a standby and not still starting.
is_standby() {
	[ "$(pgrep -c -P "${pid[$1]}" -x \
		'kwatch|ireconcile|kapply|kstatus|kelect')" = 5 ] && is_ready "$1"
}

# rounds WHAT HOW...
rounds() {
	local what=$1 bad='' how

	shift
	for ((i = 0; i < FAILOVERS; i++)); do
		how=$((RANDOM % $# + 1)) how=${!how}
		round "$how" || {
			bad="$bad $i:$how"
			tail -n 15 "$T"/r?.err | quote
		}
	done
	is "$bad" "" "$what: after each of $FAILOVERS fail-overs the other leads"
	is "$(stray)" "" "... and only the leader wrote"
	kill -TERM "${pid[1]}" "${pid[2]}"
	ok "... both end" wait_for 20 eval 'gone "${pid[1]}" && gone "${pid[2]}"'
}

long_leases
clock_begin
leader_up
busy
LOCK=
replica 1
replica 2
rounds "lease" term kill kelect kelect stop freeze

# A leader for life leads again after a crash; only the end of its Pod changes
# that.
LOCK=thing.example.com
journal_anew
pod 1
pod 2
replica 1
replica 2
rounds "for life" term kill
done_testing
