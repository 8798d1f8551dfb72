# shellcheck shell=bash disable=SC2034,SC2154
# A test on a virtual clock (README). After t/lib.sh and cluster/lib.sh, before
# anything is started:
#
#	. "${0%/*}/clock/lib.sh"
#	clock_begin --at 2026-03-01T00:00:00Z
#
# The tools are those of virtual/ in their build then. Time stands while the test
# does something; wait_for, comes, sleep, rests, wait PID and a program that is
# called by `runs` let it pass. On the real API server the clock is the machine's.

# clock_begin [OPTION-OF-clock-new...]
clock_begin() {
	[ "${SERVER:-}" != real ] || return 0
	[ "$BIN" != "$ROOT/bin" ] || BIN=$ROOT/build/bin
	BIN=${BIN%bin}virtual/bin
	if [ ! -x "$BIN/kpipe" ]; then
		tap 1 "$BIN/kpipe is not there: make virtual"
		finished=1
		echo "1..$tests"
		exit 1
	fi
	PATH=$BIN:$PATH
	export BIN KPIPE_CLOCK=$T/clock
	clock new --root $$ "$@"
	eval "clock_real_$(declare -f runs)"
	clock_functions
}

# In the place of those in t/lib.sh
clock_functions() {
	# from timer to timer, or every $POLL seconds
	comes() {
		local ms end

		ms=$(clock ms)
		end=$((ms + $1 * 1000))
		shift
		until "$@" >/dev/null 2>&1; do
			[ "$ms" -lt "$end" ] || return 1
			if [ -n "${POLL:-}" ]; then
				clock pass "${POLL}s"
				ms=$(clock ms)
			else
				ms=$(clock step $((end - ms))ms)
			fi
		done
		return 0 # step's is 1 if there was no timer
	}

	sleep() {
		clock pass "${1}s"
	}

	wait() {
		clock ended "$1"
		builtin wait "$1"
	}

	# A function may call several programs, and look at them meanwhile.
	runs() {
		local run=()

		[ "$3" = clock ] || [ "$(type -t "$3")" != file ] ||
			run=(clock run 24h)
		clock_real_runs "$1" "$2" "${run[@]}" "${@:3}"
	}
}
