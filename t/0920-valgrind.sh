#!/bin/bash
# The unit tests under valgrind: no invalid access, no leak. Not those of kapi,
# nor others that are slow: they run with ASan, leaks included.
# check-all: valgrind
. "${0%/*}/lib.sh"

for test in build/t/*/test-*; do
	[ -x "$test" ] && [ ! -d "$test" ] || continue
	case $test in
	*/kapi/* | */test-stream | */test-program | */test-jvtext) continue ;;
	esac
	valgrind -q --error-exitcode=99 --leak-check=full \
		--errors-for-leak-kinds=definite --child-silent-after-fork=yes \
		"$test" >"$T/log" 2>&1
	tap $? "${test#build/t/}" ||
		grep -v '^ok ' "$T/log" | head -n 60 | quote
done
done_testing
