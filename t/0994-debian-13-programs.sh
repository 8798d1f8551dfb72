#!/bin/bash
# Programs and the library for them with libjq 1.7, on Debian 13:
# t/debian/suite. The other tests of it are for a release (0991).
# check-all: another libjq
export TEST_SECONDS=3600
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"

t/debian/chroot 13 >"$T/root" 2>"$T/err" || {
	quote <"$T/err"
	skip_all "$(tail -n 1 "$T/err")"
}
runs 0 "they pass" t/debian/suite 13 programs
quote < <(grep -E '^Files=|^Result: | skipped: ' "$T/out")
is "$(head -n 1 "$T/out" | cut -d '|' -f 4 | cut -d . -f -2)" " 1.7" "libjq is 1.7"
[ "$failed" -eq 0 ] || grep -v '^\[.* ok ' "$T/out" | tail -n 200 | quote
done_testing
