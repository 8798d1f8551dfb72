#!/bin/bash
# The tests that need no control plane, with the tools built by ASan and
# UBSan (SANITIZE=address,undefined make). The unit tests of that build are
# tests of their own.
# check-all: sanitizers
TEST_SECONDS=3600
. "${0%/*}/lib.sh"

sanitized=$ROOT/build-sanitize/bin
[ -d "$sanitized" ] || skip_all "no sanitized build"
# Leaks are found by the unit tests; a tool frees nothing at its end.
export ASAN_OPTIONS=detect_leaks=0:exitcode=99
export UBSAN_OPTIONS=print_stacktrace=1

# check TEST: its log is kept if it fails
check() {
	BIN=$sanitized "$1" >"$T/${1##*/}.log" 2>&1 || echo $? >"$T/${1##*/}.failed"
}

ran=()
for test in t/[0-8]*.sh; do
	case $test in
	# These do not run our tools, or run them as installed.
	t/00[1-6]*|t/09*|t/70[78]*|t/7[1-5]*) continue ;;
	# The demo, and t/foreign.
	t/63*) continue ;;
	# kpipe keeps $ASAN_OPTIONS from ireconcile, which then reports what
	# it still held when it refused its program.
	t/5010*) continue ;;
	# These tools are too slow for leases of two seconds.
	t/51[23]*|t/52*) continue ;;
	# Minutes of jq, or of other people's programs; all characters.
	t/64*|t/5310*|t/601*|t/6030*|t/6900*) continue ;;
	# Costs are counted without sanitizers, with which kpipe forks nothing.
	t/0540*|t/5420*) continue ;;
	# Sanitizers do not work with these filters and limits.
	t/5055*|t/5060*|t/5400*|t/5410*) continue ;;
	esac
	# The tools on an API server, each as users call it.
	! grep -q '^# servers: ' "$test" || continue
	ran+=("$test")
	# Most of the time they wait.
	[ "$(jobs -r | wc -l)" -lt 4 ] || wait -n
	check "$test" &
done
wait # for all but the watchdog, which is disowned
for test in "${ran[@]}"; do
	[ ! -e "$T/${test##*/}.failed" ]
	tap $? "$test" ||
		grep -v '^ok ' "$T/${test##*/}.log" | head -n 60 | quote
done
done_testing
