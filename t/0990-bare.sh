#!/bin/bash
# On a Debian 13 with make and gcc and nothing else, both commands of README.md
# install what they need, and work. .ci/run does that on Debian 12.
# check-all: a bare machine
export TEST_SECONDS=3600
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"

t/debian/chroot bare-13 >"$T/root" 2>"$T/err" || {
	quote <"$T/err"
	skip_all "$(tail -n 1 "$T/err")"
}
is "$(for command in curl jq git python3 xxd col pkg-config; do
	chroot "$(<"$T/root")" sh -c "command -v $command"
done)" "" "the machine is bare"
runs 0 "make demo, then make check" t/debian/bare 13 "make demo" "make check"
quote < <(grep -E '^ +[0-9.]+ s  |^From nothing|^Files=|^Result: |^left out' "$T/out")
grep ' skipped: ' "$T/out" >"$T/skipped"
is "$(<"$T/skipped")" "" "... skips nothing"

# Not as root: what installs packages asks sudo.
sudoer='apt-get -qq update && apt-get -qq install sudo && useradd -m user &&
	echo "user ALL=(ALL) NOPASSWD: ALL" >/etc/sudoers.d/user &&
	cp -R . /home/user/kpipe && chown -R user: /home/user/kpipe'
[ "$failed" -ne 0 ] ||
	runs 0 "make demo as a user with sudo" t/debian/bare 13 "$sudoer" \
		"su user -c 'cd ~/kpipe && make demo'"
[ "$failed" -eq 0 ] || grep -vE '^(\[.* ok |  (CC|AR|LD) )' "$T/out" | tail -n 200 | quote
done_testing
