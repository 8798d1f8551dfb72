# shellcheck shell=bash
# What shell tests share: TAP, a directory of their own, background processes.
#
#	. "${0%/*}/lib.sh"
#	runs 0 "it starts" mytool --version	# stdout in $T/out, stderr in $T/err
#	is "$(<"$T/out")" "mytool 0.1.0" "... and says its version"
#	done_testing
#
# A test begins in the root of the repository, with bin/ first in PATH (or
# $BIN: another build), then helpers (t/helpers/README). $T is its own
# directory, removed at the end; processes started with `start` are killed then,
# with their children. Bounded: after $TEST_SECONDS (1800) the test is ended
# from outside.
#
# A test succeeds only if its results were seen (0010-harness.sh). It fails if
# it tests nothing, if a wait ends without success, if it calls a command that
# does not exist, or if it tests in a subshell, whose result would be lost.

set -u
cd "${BASH_SOURCE[0]%/*}/.." || exit 1
ROOT=$PWD
BIN=$(cd "${BIN:-bin}" && pwd) || exit 1
PATH=$BIN:$ROOT/build/t/bin:$PATH
export PATH ROOT BIN
# Texts are UTF-8, and sorted by byte, wherever the tests run.
export LC_ALL=C.UTF-8
# No test uses the settings or the cluster of the user who runs it.
unset KUBECONFIG WATCH_NAMESPACE OPERATOR_NAME POD_NAME POD_NAMESPACE
T=$(mktemp -d "${TMPDIR:-/tmp}/kpipe-test.XXXXXX") || exit 1
export T
# kubectl keeps for hours what an API server at an address has, and another one
# may be at the same address soon.
export KUBECACHEDIR=$T/.kube-cache
tests=0 failed=0 started=() finished=

# is_child PID: whether it is still ours. The pid of a child that has ended may
# belong to another process by now, such as a test that runs beside this one.
is_child() {
	local key value= # as it is if the process ends now

	while read -r key value; do
		[ "$key" != PPid: ] || break
	done 2>/dev/null <"/proc/$1/status" || return
	[ "$value" = $$ ]
}

# kill_tree PID: and its children, which it may not have told to end
kill_tree() {
	local child children=

	read -r children <"/proc/$1/task/$1/children"
	kill -9 "$1"
	for child in $children; do
		kill_tree "$child"
	done
}

cleanup() {
	local pid

	# A child that gets a signal before it is the command must not clean up.
	[ "$BASHPID" = $$ ] || exit 143
	for pid in "${started[@]}"; do
		is_child "$pid" || continue
		kill_tree "$pid"
		wait "$pid" # else bash reports the kill
	done 2>/dev/null
	rm -rf "$T"
	if [ -z "$finished" ]; then
		tap 1 "${0##*/} ended early"
		echo "1..$tests"
		exit 1
	fi
}
trap cleanup EXIT
trap 'echo "# too slow: ended after ${TEST_SECONDS:-1800} s"; exit 1' ALRM
trap 'exit 1' TERM INT HUP

# A failure is reported by a signal, so that a hanging command ends, too (bash
# runs a trap only between commands: the second signal does not wait for that).
(
	trap - EXIT
	exec >/dev/null 2>&1 <> <(:)
	for ((i = 0; i < ${TEST_SECONDS:-1800}; i++)); do
		read -r -t 1 # nothing comes: it sleeps, and is not a process
		kill -0 $$ || exit
	done
	kill -ALRM $$
	for ((i = 0; i < 30; i++)); do
		read -r -t 1
		kill -0 $$ || exit
	done
	# A process that lives on would hold the pipe that prove reads to its
	# end.
	mapfile -t children < <(pgrep -P $$)
	kill -9 $$ "${children[@]/#$BASHPID/}"
) &
started+=($!)
disown $!

# real_jq: from now on jq is jq itself, for tests of what works with it. It is
# called after cluster_start, which sets PATH.
real_jq() {
	mkdir "$T/.jq"
	ln -s "$(PATH=${PATH//"$ROOT/build/t/bin:"/} command -v jq)" "$T/.jq"
	PATH=$T/.jq:$PATH
}

quote() {
	sed 's/^/# /'
}

note() {
	printf '%s\n' "$*" | quote
}

# flaw TEXT: makes the test fail at its end, also from a subshell.
flaw() {
	note "$1" >&2
	printf '%s\n' "$1" >>"$T/.flaws"
}

command_not_found_handle() {
	flaw "no command $1 (t/install-packages)"
	return 127
}

# tap STATUS WHAT
tap() {
	[ "$BASH_SUBSHELL" -eq 0 ] || flaw "tested in a subshell: $2"
	tests=$((tests + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $tests - $2"
	else
		failed=$((failed + 1))
		echo "not ok $tests - $2"
	fi
	return "$1"
}

# ok WHAT COMMAND...: the command succeeds. Returns its status.
ok() {
	local what=$1

	shift
	"$@" >"$T/ok.out" 2>&1
	tap $? "$what" && return
	note "$* failed: $(head -c 2000 "$T/ok.out")"
	return 1
}

# is GOT WANT WHAT: the same text.
is() {
	[ "$1" = "$2" ]
	tap $? "$3" ||
		diff -u --label want --label got <(printf '%s\n' "$2") \
			<(printf '%s\n' "$1") | quote
}

# same GOT WANT WHAT: both files have the same bytes.
same() {
	cmp -s "$1" "$2"
	tap $? "$3" || diff -u --label want --label got "$2" "$1" |
		head -n 60 | quote
}

# runs CODE WHAT COMMAND...: with that exit code; stdout and stderr are in
# $T/out and $T/err.
runs() {
	local want=$1 what=$2 got

	shift 2
	"$@" >"$T/out" 2>"$T/err"
	got=$?
	[ "$got" -eq "$want" ]
	tap $? "$what" || note "$* gave $got, not $want: $(head -c 2000 "$T/err")"
}

# refuses MESSAGE TOOL ARGUMENT...: with 100, in these words and no others
refuses() {
	runs 100 "${*:2}" "${@:2}" </dev/null
	is "$(cat "$T/out" "$T/err")" "$2: fatal: $1" "... is refused: $1"
}

# told_to_end PID WHAT: it ends with 0
told_to_end() {
	kill "$1"
	wait "$1"
	is "$?" 0 "$2"
}

# besides_work [FILE...]: a log without the lines of an operator's normal work
besides_work() {
	sed -E -e '/^kapply: [^ ]+ [^ ]+: [A-Z][A-Za-z]+: /d' \
		-e '/^kwatch: no .* found in namespace /d' \
		-e '/^k(apply|status): [^ ]+ [^ ]+: (created|configured|deleted|phase|Ready|Available|(added|removed) finalizer) /d' \
		-e '/^kpipe: [^ ]+ \(.*\) runs /d' "$@"
}

# unread CODE WHAT COMMAND...: as runs, with a standard output whose reader is
# gone; stderr is in $T/err.
unread() {
	local want=$1 what=$2

	shift 2
	{
		trap '' PIPE
		while echo; do :; done 2>/dev/null
		"$@" 2>"$T/err"
		echo $? >"$T/unread.code"
	} | true
	[ "$(<"$T/unread.code")" -eq "$want" ]
	tap $? "$what" || note "$* gave $(<"$T/unread.code"), not $want: $(head -c 2000 "$T/err")"
}

# start COMMAND...: in the background; its pid is in $!.
start() {
	"$@" &
	started+=($!)
}

# start from FD COMMAND...: sets the standard input, which is /dev/null otherwise
from() {
	exec "${@:2}" <&"$1"
}

# kill_now PID: a child of ours, and back when it is gone, with its sockets.
kill_now() {
	kill -9 "$1"
	while is_child "$1"; do
		nap .01
	done
}

# nap SECONDS: as sleep, without a process
nap() {
	[ -p "$T/.nap" ] || mkfifo "$T/.nap"
	read -r -t "$1" _ <>"$T/.nap"
}

# comes SECONDS COMMAND...: whether it succeeds in that time; it may fail. It is
# tried every $POLL seconds, or at first often, then every 0.1 s.
comes() {
	local end=$((SECONDS + $1)) pauses=(.02 .03 .05 .08)

	shift
	until "$@" >/dev/null 2>&1; do
		[ "$SECONDS" -le "$end" ] || return 1
		nap "${POLL:-${pauses[0]:-.1}}"
		pauses=("${pauses[@]:1}")
	done
}

# taken FD: the reader of the pipe behind that descriptor has read all that was
# written
taken() {
	perl -e '$n = pack("i", 0); ioctl(STDIN, 0x541b, $n) or die; # FIONREAD
		exit unpack("i", $n) != 0' <&"$1"
}

# patience SECONDS: how long a wait may take that takes so long on an idle
# machine. Tests do not measure speed, so every wait has at least a minute, and
# three where others' work may take the processor (CI).
patience() {
	local limit=$(($1 > 0 && $1 < 60 ? 60 : $1))

	[ -z "${CI:-}" ] || limit=$((limit * 3))
	echo "$limit"
}

# wait_for SECONDS COMMAND...: until it succeeds, SECONDS of an idle machine. If
# it does not, the test fails, whether wait_for is a command of its own or that
# of `ok`.
wait_for() {
	local limit

	limit=$(patience "$1")
	comes "$limit" "${@:2}" && return
	if [ "${FUNCNAME[1]}" != ok ]; then
		flaw "line ${BASH_LINENO[0]} of ${BASH_SOURCE[1]##*/}: waited $limit s, without success, for: ${*:2}"
	fi
	return 1
}

# freeze PID...: SIGSTOP, until they stand: another signal before that ends them
freeze() {
	local pid

	kill -STOP "$@"
	for pid; do
		wait_for 30 stands "$pid"
	done
}
stands() {
	local state

	state=$(<"/proc/$1/stat") && [[ ${state##*)} == " T "* ]]
}

# claim_of FINALIZER: the annotation by which an instance claims a primary for it
claim_of() {
	echo "kpipe.dev/instance-$(printf %s "$1" | sha256sum | cut -c1-32)"
}

# own_kubectl: kubectl is that of t/helpers, which needs no Go, from here on. It
# is the same in a test of another build ($BIN).
own_kubectl() {
	KUBECTL=$ROOT/build/t/bin/kubectl
	if [ ! -x "$KUBECTL" ]; then
		tap 1 "build/t/bin/kubectl is not there: make unit-tests"
		finished=1
		echo "1..$tests"
		exit 1
	fi
	PATH=$BIN:${KUBECTL%/*}:$PATH
	export KUBECTL
}

# skip_all REASON: nothing of this test can run here. A failure in CI.
skip_all() {
	finished=1
	if [ -n "${KPIPE_NO_SKIP:-}" ]; then
		echo "Bail out! must not be skipped: $1"
		exit 1
	fi
	echo "1..0 # SKIP $1"
	exit 0
}

done_testing() {
	local flaw

	finished=1
	[ ! -e "$T/.flaws" ] || while IFS= read -r flaw; do
		tap 1 "$flaw"
	done <"$T/.flaws"
	if [ "$tests" -eq 0 ]; then
		echo "Bail out! ${0##*/} has tested nothing"
		exit 1
	fi
	echo "1..$tests"
	exit $((failed > 0))
}
