# shellcheck shell=bash disable=SC2034
# A library of t/stub in a tool that a test runs. After t/lib.sh, or with a folder
# $T:
#
#	preload fork			# builds t/stub/fork.c
#	"${preloaded[@]}" kelect ...	# that tool, and no other, has it

preload() {
	[ -e "$T/$1.so" ] || ${CC:-cc} -std=c11 -D_GNU_SOURCE -Wall -Wextra \
		-shared -fPIC -o "$T/$1.so" "t/stub/$1.c" || exit 100
	# The sanitizer's library insists on being the first; it need not be.
	preloaded=(env ASAN_OPTIONS="${ASAN_OPTIONS:-}:verify_asan_link_order=0"
		LD_PRELOAD="$T/$1.so")
}
