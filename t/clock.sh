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

clock_new() {
	[ -e "$T/clock.so" ] || ${CC:-cc} -std=c11 -D_GNU_SOURCE -Wall -Wextra \
		-shared -fPIC -o "$T/clock.so" t/stub/clock.c || exit 1
	head -c 24 /dev/zero >"$T/clock"
	# The sanitizer's library insists on being the first; it need not be.
	with_clock=(env ASAN_OPTIONS="${ASAN_OPTIONS:-}:verify_asan_link_order=0"
		LD_PRELOAD="$T/clock.so" CLOCK_PAGE="$T/clock")
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
