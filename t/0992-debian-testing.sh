#!/bin/bash
# The tests that depend on libraries or on the compiler, on Debian testing,
# which changes daily. They must pass with the versions of doc/portability.md; a
# failure with newer ones is only shown (doc/decisions.md).
# check-all: other Debians
export TEST_SECONDS=3600
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"

t/debian/chroot testing >"$T/root" 2>"$T/err"
code=$?
if [ "$code" -eq 110 ]; then
	quote <"$T/err"
	tap 0 "Debian testing cannot be installed today"
	done_testing
elif [ "$code" -ne 0 ]; then
	quote <"$T/err"
	skip_all "$(tail -n 1 "$T/err")"
fi

t/debian/suite testing >"$T/out" 2>"$T/err"
code=$?
versions=$(head -n 1 "$T/out")
ok "it says which versions these are" grep -q '| gcc .* | llhttp ' \
	<<<"$versions"
grep -E '^Files=|^Result: ' "$T/out" | quote
[ "$code" -eq 0 ] || {
	quote <"$T/err"
	grep -v '^\[.* ok ' "$T/out" | tail -n 200 | quote
}
if grep -qF "| Debian testing | x86-64$versions" doc/portability.md; then
	is "$code" 0 "Debian testing: it builds, and its tests pass"
else
	note "doc/portability.md has other versions than$versions"
	tap 0 "Debian testing: exit code $code, with versions that are new"
fi
done_testing
