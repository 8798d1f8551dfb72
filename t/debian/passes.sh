# shellcheck shell=bash
# What 0991 and 0993 do. After t/lib.sh:
#
#	suite_passes 13 "Debian 13 | x86-64"	# the row of doc/portability.md
suite_passes() {
	t/debian/chroot "$1" >"$T/root" 2>"$T/err" || {
		quote <"$T/err"
		skip_all "$(tail -n 1 "$T/err")"
	}
	runs 0 "$2: it builds, and its tests pass" t/debian/suite "$1"
	grep -E '^Files=|^Result: | skipped: ' "$T/out" | quote
	# shellcheck disable=SC2154 # lib.sh counts them
	[ "$failed" -eq 0 ] || grep -v '^\[.* ok ' "$T/out" | tail -n 200 | quote
	ok "doc/portability.md has it" grep -qF "| $2 |" doc/portability.md
	grep -qF "| $2$(head -n 1 "$T/out")" doc/portability.md ||
		note "doc/portability.md has other versions than$(head -n 1 "$T/out")"
}
