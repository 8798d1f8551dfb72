# shellcheck shell=bash disable=SC2034
# A clock that the test sets (stub/clock.c), for tools that wait for minutes,
# and for tests that no load on the machine may disturb. After t/lib.sh:
#
#	clock_new				# as it is
#	start "${with_clock[@]}" kwatch pods	# that tool, and no other, sees it
#	clock_ahead boot 121000			# since boot, which timers go by:
#						# 121 s more have passed
#	clock_ahead wall 3700000		# a user sets the time of day
#	clock_still $(($(date +%s) * 1000))	# it stands, until it is set again
#	"${with_clock[@]}" CLOCK_CPU_SLOWER=8 ireconcile	# what may use a
#						# second of processor time has 8

. "${BASH_SOURCE[0]%/*}/preload.sh"

clock_new() {
	preload clock
	head -c 24 /dev/zero >"$T/clock"
	with_clock=("${preloaded[@]}" CLOCK_PAGE="$T/clock")
}

# clock_field N MS: one write of eight bytes
clock_field() {
	perl -e 'syswrite STDOUT, pack("q", shift)' "$2" |
		dd of="$T/clock" bs=8 seek="$1" conv=notrunc status=none
}

clock_ahead() {
	case $1 in
	wall) clock_field 0 "$2" ;;
	boot) clock_field 1 "$2" ;;
	esac
}

clock_still() {
	clock_field 2 "$1"
}
