#!/bin/bash
# kelect: which process leads, what is written, and that only the leader writes.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=kapi.sh
. "${0%/*}/kapi.sh"
# shellcheck source=preload.sh
. "${0%/*}/preload.sh"
# shellcheck source=clock/lib.sh
. "${0%/*}/clock/lib.sh"

clock_begin
kapi_up --journal "$T/journal"
export KUBECONFIG=$T/kubeconfig
leases=/apis/coordination.k8s.io/v1/namespaces/default/leases
maps=/api/v1/namespaces/default/configmaps
short=(--lease-duration 5s --renew-deadline 4s --retry-period 200ms)

plan() {
	ask DELETE /kapi/faults
	ask POST /kapi/faults "$(printf '%s\n' "$@")"
}

# spec NAME: of a Lease
spec() {
	ask GET "$leases/$1" | jq -c .spec
}

# holder NAME: empty if the Lease is free
holder() {
	ask GET "$leases/$1" | jq -r '.spec.holderIdentity // "none"'
}

# free NAME: whether it was given back
free() {
	[ -z "$(holder "$1")" ]
}

# run NAME TAG COMMAND...: kelect in the background, its pid in $kelect and
# ${pid[TAG]}, its messages in $T/TAG.err
declare -A pid
run() {
	local name=$1 tag=$2

	shift 2
	start kelect "${short[@]}" --lease "$name" "${options[@]}" -- "$@" \
		>"$T/$tag.out" 2>"$T/$tag.err"
	kelect=$!
	pid[$tag]=$!
}
options=()

# lives PID: whether it exists and is not a zombie
lives() {
	grep -q '^State:[[:space:]]*[^Z]*$' "/proc/$1/status" 2>/dev/null
}

dead() {
	! lives "$1"
}

# ends TAG CODE WHAT
ends() {
	wait_for 10 dead "${pid[$1]}" || kill -9 "${pid[$1]}"
	wait "${pid[$1]}" 2>/dev/null
	is "$?" "$2" "$3" || quote <"$T/$1.err"
}

says() {
	grep -qF "$2" "$T/$1.err"
}

# anonymous: replaces what differs from run to run
anonymous() {
	sed -E 's/_[0-9a-f]{32}/_RANDOM/g; s/[0-9]{4}-[0-9-]+T[0-9:]+\.[0-9]{6}Z/MICROTIME/g'
}

# ---- a command, from end to end ----

# Not renewed, however long the command takes.
runs 3 "the code of the command is ours" \
	kelect --retry-period 8s --lease a -- \
	sh -c 'cat; echo "$KPIPE_FENCE" >&2
		[ "$KPIPE_LEASH" = "$KPIPE_FENCE" ] && exit 3' <<'END'
through and through
END
is "$(<"$T/out")" "through and through" "... standard input and output are"
is "$(sed -E 's/^[0-9]+,[0-9]+$/fence/' "$T/err")" \
	"kelect: became leader: holds the lease default/a
fence
kelect: sh has ended with 3" "... and it has a fence"
host=$(hostname)
is "$(jq -c 'select(.resource == "leases") | [.method, .code, .body.spec]' \
	"$T/journal" | anonymous)" "[\"GET\",404,null]
[\"POST\",201,{\"holderIdentity\":\"${host}_RANDOM\",\"leaseDurationSeconds\":15,\
\"acquireTime\":\"MICROTIME\",\"renewTime\":\"MICROTIME\",\"leaseTransitions\":0}]
[\"GET\",200,null]
[\"PUT\",200,{\"holderIdentity\":\"\",\"leaseDurationSeconds\":1,\
\"acquireTime\":\"MICROTIME\",\"renewTime\":\"MICROTIME\",\"leaseTransitions\":0}]" \
	"... created and given back as client-go does"
is "$(spec a | anonymous)" "{\"holderIdentity\":\"\",\"leaseDurationSeconds\":1,\
\"acquireTime\":\"MICROTIME\",\"renewTime\":\"MICROTIME\",\"leaseTransitions\":0}" \
	"... as the server keeps it"
runs 137 "a command that is killed" kelect --lease a -- sh -c 'kill -9 $$'
is "$(spec a | jq .leaseTransitions)" 1 "... at the second transition"
POD_NAME=pod-1 runs 0 "a Pod's name" kelect --lease a -- sh -c \
	"curl -s --cacert $T/ca.pem $url$leases/a >$T/lease"
is "$(jq -r .spec.holderIdentity "$T/lease" | anonymous)" "pod-1_RANDOM" \
	"... is in the identity"
runs 7 "what it leaves in its group is ended" kelect --lease a -- \
	sh -c "sleep 300 & echo \$! >$T/left; exit 7"
ok "... and gone before it is given back" test ! -e "/proc/$(<"$T/left")"

# ---- two of them ----

: >"$T/turns"
run b one sh -c "echo one >>$T/turns; sleep 300"
wait_for 10 says one 'became leader'
run b two sh -c "echo two >>$T/turns; sleep 300"
wait_for 10 says two "standing by: the lease default/b is held by"
is "$(anonymous <"$T/two.err")" \
	"kelect: standing by: the lease default/b is held by ${host}_RANDOM" \
	"the second stands by"
run b three true
wait_for 10 says three standing
kill -TERM "$kelect"
ends three 0 "a standby ends with SIGTERM"
wait_for 10 test -s "$T/turns"
is "$(<"$T/turns")" one "... and one alone leads"
kill -TERM "${pid[one]}"
ends one 0 "SIGTERM stops the leader"
is "$(<"$T/one.err")" "kelect: became leader: holds the lease default/b
kelect: sh has ended with 143" "... and its command"
ok "the second takes over" wait_for 10 says two 'became leader'
is "$(spec b | jq .leaseTransitions)" 1 "... one transition more"
kill -9 "${pid[two]}"
ends two 137 "kill -9"
run b four true
ends four 0 "after the lease has expired the next one leads"
is "$(spec b | jq .leaseTransitions)" 2 "... one transition more"
is "$(grep -c standing "$T/four.err")" 1 "... and has waited"

# ---- stopping the command ----

run c stubborn sh -c 'trap "" TERM; echo ready; while :; do sleep 0.1; done'
wait_for 10 test -s "$T/stubborn.out"
kill -TERM "$kelect"
renewed=$(spec c)
renews() {
	[ "$(spec c)" != "$renewed" ]
}
ok "while the command ends the lease is renewed" wait_for 10 renews
kill -INT "$kelect"
ends stubborn 137 "a second signal kills"
ok "... and the lease is given back" free c
options=(--grace-period 300ms)
run c stubborn2 sh -c 'trap "" TERM; echo ready; while :; do sleep 0.1; done'
wait_for 10 test -s "$T/stubborn2.out"
kill -INT "$kelect"
ends stubborn2 137 "so does the end of the grace period"
options=()
run c own sh -c 'trap "exit 5" TERM; echo ready; while :; do sleep 0.1; done'
wait_for 10 test -s "$T/own.out"
kill -HUP "$kelect"
ends own 5 "a command that ends in its own way: its code"

# ---- losing the Lease ----

# group NAME TAG: a leader whose command has a child; their pids in $T/TAG.pids
group() {
	run "$1" "$2" sh -c "sleep 300 & echo \$! \$\$ >$T/$2.pids; wait"
	wait_for 10 test -s "$T/$2.pids"
}

# A zombie counts as gone: a stopped kelect reaps no children.
group_gone() {
	local child parent

	read -r child parent <"$T/$1.pids"
	! lives "$child" && ! lives "$parent"
}

group d stolen
ask PATCH "$leases/d" '{"spec":{"holderIdentity":"thief"}}' \
	application/merge-patch+json >/dev/null
ends stolen 111 "another process holds the lease: lost"
is "$(<"$T/stolen.err")" "kelect: became leader: holds the lease default/d
kelect: fatal: lost the lease default/d: thief holds it" "... says who"
ok "... and the whole group is gone" group_gone stolen
is "$(holder d)" thief "... the lease is left to the other"

group e away
plan '{"resource":"leases","fault":"freeze","count":0}'
ends away 111 "a server that is silent past the deadline: lost"
is "$(<"$T/away.err")" "kelect: became leader: holds the lease default/e
kelect: fatal: lost the lease default/e: not renewed within 4000 ms" "... says so"
ok "... and the whole group is gone" group_gone away
ask DELETE /kapi/faults
spec e >"$T/record"
run e next true
ends next 0 "the next one waits for the lease to expire"
is "$(jq -r 'select(.resource == "leases" and .name == "e" and
	.fault == null and .body.spec.leaseTransitions == 0) |
	.body.spec.renewTime' "$T/journal" | sort | tail -n 1)" \
	"$(jq -r .renewTime "$T/record")" "... and no renewal came after that"

group f refused
plan '{"resource":"leases","verb":"update","code":503,"count":0}'
ends refused 111 "a server that does not want to write: lost"
is "$(tail -n 1 "$T/refused.err")" "kelect: fatal: lost the lease default/f: \
not renewed within 4000 ms; cannot take the lease default/f: \
the server is currently unable to handle the request" "... says why"
ask DELETE /kapi/faults

run g brief sleep 300
wait_for 10 says brief 'became leader'
renewed=$(spec g)
plan '{"resource":"leases","verb":"update","code":409}' \
	'{"resource":"leases","verb":"get","code":500}'
reread() {
	[ -z "$(ask GET /kapi/faults)" ] && # else we get the error
		[ "$(spec g)" != "$renewed" ]
}
ok "a conflict, and an error, are overcome" wait_for 10 reread
kill -TERM "$kelect"
ends brief 0 "... without losing it"

# ---- killed, and stopped: the command ends all the same ----

group h killed
kill -9 "$kelect"
ok "kill -9 of kelect ends the group of its command" \
	wait_for 10 group_gone killed

# Before its second fork, that of the watchdog, nothing of the command has run.
preload fork
start "${preloaded[@]}" FORK_STANDS=2 FORK_STANDS_AT="$T/second" \
	kelect "${short[@]}" --lease early -- sh -c "echo \$\$ >$T/early" \
	2>"$T/early.err"
waits() {
	! comes 1 test -s "$T/early"
}
wait_for 10 test -e "$T/second"
ok "the command waits for what kills its group" waits
command=$(pgrep -P "$!")
kill_now "$!"
ok "kill -9 of kelect before that ends it" wait_for 10 dead "$command"
ok "... and it has never run" test ! -e "$T/early"

group i stopped
kill -STOP "$kelect"
ok "so does stopping it for longer than the deadline" \
	wait_for 10 group_gone stopped
kill -CONT "$kelect"
ends stopped 111 "... and when it goes on it has lost"
is "$(tail -n 1 "$T/stopped.err")" \
	"kelect: fatal: lost the lease default/i: not renewed within 4000 ms" \
	"... by the clock"

# The command writes what the watchdog does just before it kills the group: so it
# is if kelect stands still in the middle of a renewal.
run i lapsed sh -c "sleep 300 & printf '\\1\\0\\0\\0\\0\\0\\0\\0' \
	>&\${KPIPE_FENCE#*,}; wait"
ends lapsed 111 "a fence that has been closed is not opened again"
is "$(tail -n 1 "$T/lapsed.err")" \
	"kelect: fatal: lost the lease default/i: not renewed in time" \
	"... the leadership is lost"

# ---- writers with a fence ----

cm() {
	echo "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\
\"name\":\"$1\",\"namespace\":\"default\"}}"
}

written() {
	ask GET "$maps/$1" >/dev/null
	[ "$(code)" = 200 ]
}

# writer NAME: kapply, outside of the group, with its input at descriptor 7
writer() {
	mkfifo "$T/$1.fifo"
	run "$1" "$1" setsid -w sh -c "kapply -o none 2>$T/$1.kapply <$T/$1.fifo
		echo \$? >$T/$1.kapply.code"
	exec 7>"$T/$1.fifo"
	cm "$1-before" >&7
	wait_for 10 written "$1-before"
}

writer j
kill -9 "$kelect"
wait_for 10 test -s "$T/j.kapply.code"
is "$(cat "$T/j.kapply.code" "$T/j.kapply")" "111
kapply: fatal: the leadership is over: kelect is gone" \
	"kill -9 of kelect ends a writer at once, wherever it is"
exec 7>&-

writer k
kill -STOP "$kelect"
wait_for 10 test -s "$T/k.kapply.code"
is "$(cat "$T/k.kapply.code" "$T/k.kapply")" "111
kapply: fatal: the leadership is over: kelect has not renewed it" \
	"a stopped kelect ends it by the time on the page"
kill -CONT "$kelect"
ends k 111 "... and has lost"
exec 7>&-

mkfifo "$T/l.fifo"
run l l setsid -w sh -c "kstatus 2>$T/l.kstatus <$T/l.fifo
	echo \$? >$T/l.kstatus.code"
exec 7>"$T/l.fifo"
wait_for 10 says l 'became leader'
kill -9 "$kelect"
wait_for 10 test -s "$T/l.kstatus.code"
is "$(cat "$T/l.kstatus.code" "$T/l.kstatus")" "111
kstatus: fatal: the leadership is over: kelect is gone" "kstatus, too"
exec 7>&-

for tool in kapply kstatus; do
	KPIPE_FENCE=7,8 runs 100 "$tool with an invalid fence" $tool </dev/null
	is "$(<"$T/err")" "$tool: fatal: KPIPE_FENCE is \"7,8\", not the \
numbers of two open descriptors (PIPE,PAGE)" "... says so"
	KPIPE_LEASH=7,8 runs 100 "$tool with that by its old name" \
		$tool </dev/null
done

# ---- serving kpipe ----

# served TAG [OPTION]: kelect without a command, between descriptors as kpipe
# makes them
served() {
	local tag=$1

	rm -f "$T/$tag.pipe" "$T/$tag.gate" "$T/$tag.report"
	mkfifo "$T/$tag.pipe"
	truncate -s 4096 "$T/$tag.page"
	start kelect "${short[@]}" --lease m --gate-fd 8 "${2:---fence-fd}" 6 \
		--page-fd 5 --report-fd 9 2>"$T/$tag.err" 5<>"$T/$tag.page" \
		6<>"$T/$tag.pipe" 8>"$T/$tag.gate" 9>"$T/$tag.report"
	kelect=$!
	pid[$tag]=$!
}

page() {
	od -An -t u8 -N 8 "$T/$1.page" | tr -d ' '
}

served first
wait_for 10 says first 'became leader'
wait_for 10 eval '[ "$(wc -l <"$T/first.report")" -ge 3 ]'
is "$(od -An -c "$T/first.gate" | tr -d ' ')" '\n' "the gate opens"
is "$(head -n 1 "$T/first.report")" "" "... kelect is ready"
is "$(sed -n 2p "$T/first.report" | jq -c '[.tool, .counters.leading]')" \
	'["kelect",1]' "... and reports"
is "$(sed -n 3p "$T/first.report" | jq -c '.metrics |
	with_entries(select(.key | startswith("leader")))')" \
	'{"leader_election_master_status{name=\"m\"}":1}' "... its metrics"
before=$(page first)
moved() {
	[ "$(page first)" -gt "$before" ]
}
ok "each renewal moves the page" wait_for 10 moved
served second --leash-fd # its old name
wait_for 10 says second standing
is "$(page second)" 0 "the page of a standby forbids writes"
is "$(for shell in bash zsh fish; do
	kelect --completion=$shell | grep -e leash
done)" "" "an old name of an option is not offered"
kill -TERM "${pid[first]}"
ends first 0 "SIGTERM: done"
is "$(page first)" 1 "... the page forbids writes again"
ok "... the other leads" wait_for 10 says second 'became leader'
plan '{"resource":"leases","fault":"cut","count":0}'
unready() {
	grep '"unready"' "$T/second.report" | jq -e \
		'.unready.leadership | startswith("cannot read the lease default/m: ")'
}
ok "it is not ready while it cannot renew" wait_for 10 unready
ends second 111 "lost"
is "$(page second)" 1 "... the page forbids writes again"
ask DELETE /kapi/faults

# ---- trouble, and bad options ----

plan '{"resource":"leases","verb":"get","code":403,"count":2,"message":"no right to that"}'
run n forbidden true
ends forbidden 0 "no right to look: tried again"
is "$(head -n 1 "$T/forbidden.err")" \
	"kelect: warning: cannot read the lease default/n: no right to that" \
	"... said once"
is "$(grep -c right "$T/forbidden.err")" 1 "... once"
ask DELETE /kapi/faults

# bad MESSAGE ARGUMENT...
bad() {
	refuses "$1" kelect "${@:2}"
}
bad "option --lease NAME is needed" -- true
bad "option --lease: \"..\": a name is not . or .. and has no /, % or NUL" --lease .. -- true
bad "there is no command to run (kelect --lease NAME -- COMMAND...)" --lease x
for name in nothing-of-that-name "" ..; do
	bad "there is no \"$name\" in PATH to run" --lease x -- "$name"
done
while IFS='|' read -r options message; do
	# shellcheck disable=SC2086
	bad "$message" --lease x $options
done <<'END'
-- /tmp|cannot run /tmp: Is a directory
-- /nowhere/x|cannot run /nowhere/x: No such file or directory
--lease-duration 1500ms -- true|option --lease-duration: whole seconds, at least 1s
--lease-duration 0 -- true|option --lease-duration: whole seconds, at least 1s
--lease-duration 600000h -- true|option --lease-duration: a Lease holds at most 2147483647s
--retry-period 0s -- true|option --retry-period must be more than nothing
--renew-deadline 0s -- true|option --renew-deadline must be more than 1.2 times --retry-period
--retry-period 9s -- true|option --renew-deadline must be more than 1.2 times --retry-period
--renew-deadline 15s -- true|option --renew-deadline must be less than --lease-duration
-n a,b -- true|option --namespace: "a,b" is not a name of a namespace
-n A -- true|option --namespace: "A" is not a name of a namespace
-n ä -- true|option --namespace: "ä" is not a name of a namespace
--gate-fd 1 -- true|--gate-fd, --fence-fd and --page-fd are for kelect without a command
--gate-fd 1|without a command to run, --gate-fd, --fence-fd and --page-fd are needed
--gate-fd 1 --fence-fd 2 --page-fd 99|option --page-fd: descriptor 99 is not open
--gate-fd 1 --fence-fd 2 --page-fd 0|descriptor 0 is not a page of memory
--for-life --retry-period 1s -- true|--lease-duration, --renew-deadline and --retry-period mean nothing with --for-life
END
bad 'option --namespace: "" is not a name of a namespace' --lease x -n "" -- true
POD_NAME=p bad "--for-life needs to know its Pod: set POD_NAME and \
POD_NAMESPACE" --lease x --for-life -- true
KUBERNETES_SERVICE_HOST=10.0.0.1 bad "--for-life needs to know its Pod: set \
POD_NAME and POD_NAMESPACE" --lease x --for-life -- true
POD_NAME=p POD_NAMESPACE=a/b bad "POD_NAMESPACE: \"a/b\" is not a name of a \
namespace" --lease x --for-life -- true
POD_NAME=p POD_NAMESPACE=here bad "--namespace is there, but a lock for life \
lives in the namespace of its Pod, here" --lease x --for-life -n there -- true

runs 100 "an invalid name" kelect --lease 'No Name' -- true
is "$(sed 's/ a lowercase RFC 1123.*//' "$T/err")" "kelect: fatal: cannot create the lease \
default/No Name: Lease.coordination.k8s.io \"No Name\" is invalid: metadata.name: Invalid value: \"No Name\":" "... is refused"

done_testing
