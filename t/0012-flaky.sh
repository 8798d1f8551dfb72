#!/bin/bash
# t/flaky: which tests it runs, what it says, and that it leaves nothing behind.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"

commit() {
	git add -A && git -c user.name=a -c user.email=a@example.com \
		-c commit.gpgsign=false commit -q -m "$1"
}
plant() { # NAME COMMANDS: a test
	printf '%s\n' "$2" >"t/$1" && chmod +x "t/$1"
}

unset JITTER
export BUSY=0
mkdir -p "$T/tree/t/unit/lib" "$T/tree/t/stub"
cp t/flaky t/busy t/exec t/preload.sh "$T/tree/t"
cp t/stub/jitter.c "$T/tree/t/stub"
cd "$T/tree" || exit
git init -q -b main
echo /build/ >.gitignore
plant 1-good.sh 'echo ok 1; echo 1..1'
plant 2-third.sh 'echo run >>"$T/third"
[ $(($(wc -l <"$T/third") % 3)) -ne 0 ] || printf "not "
echo ok 1; echo 1..1'
commit one
echo A page. >README
commit two
git checkout -q -b topic
runs 0 "on a branch that changed no test" t/flaky 1
is "$(<"$T/out")" "0 runs of 0 tests: 0 failures" "... it runs none"

echo '# more' >>t/1-good.sh
runs 0 "a test that never fails" t/flaky 3
is "$(<"$T/out")" "3 runs of 1 tests: 0 failures" \
	"... runs because it changed"
is "$(ls build/flaky)" "" "... and leaves no log"

commit three
echo '# more' >>t/2-third.sh
runs 1 "one that fails every third time" t/flaky 3
is "$(<"$T/out")" "t/2-third.sh: run 3 failed: build/flaky/2-third.sh.3
6 runs of 2 tests: 1 failures" \
	"... is found beside one that is committed"
is "$(grep -lr '^not ok 1' build/flaky)" build/flaky/2-third.sh.3 \
	"... and its log is there"

commit four
git checkout -q -B main
runs 0 "on main" t/flaky 1
is "$(<"$T/out")" "1 runs of 1 tests: 0 failures" \
	"... it runs what the last commit changed"
BASE=HEAD runs 0 "since another commit" t/flaky 1
is "$(<"$T/out")" "0 runs of 0 tests: 0 failures" "... nothing"
BASE=none runs 100 "since a commit that is not there" t/flaky 1

mkdir -p build/t/lib
plant unit/lib/test-a.c ''
ln -s ../../../t/1-good.sh build/t/lib/test-a
BASE=HEAD runs 0 "a unit test that is new" t/flaky 1
is "$(<"$T/out")" "1 runs of 1 tests: 0 failures" "... runs, too"
plant 3-skips.sh 'echo 1..0 "# SKIP${KPIPE_NO_SKIP:+ not}"
exit "${KPIPE_NO_SKIP:-0}"'
runs 1 "a test that cannot run fails" t/flaky 1 t/3-skips.sh
runs 100 "it wants a number" t/flaky t/1-good.sh
runs 1 "a test that is not there fails" t/flaky 1 t/4-gone.sh

# The first of two is faster, by the milliseconds that the other counts, unless
# it pauses.
plant 4-race.sh 'for ((i = 0; i < 5000; i++)); do
	: >"$T/race"
	echo first >>"$T/race" &
	for ((n = 0; n < 3000; n++)); do :; done
	echo second >>"$T/race"
	wait
	read -r one <"$T/race"
	[ "$one" = first ] || break
done
echo "$one" >"$T/winner"
echo ok 1; echo 1..1'
JITTER=60 runs 0 "with jitter" t/flaky 1 t/4-race.sh
is "$(<"$T/winner")" second "... it is not, now and then"
rm t/stub/jitter.c
JITTER=10 runs 100 "jitter that cannot be built" t/flaky 1 t/1-good.sh

# loops: how many run for $flaky
loops() {
	pgrep -fc "t/busy $flaky\$"
}
# A test that is interrupted: its own shell ends, too.
plant 5-waits.sh 'trap "echo >>\"$T/ended\"; exit 1" TERM
echo >"$T/began"
read -r <>"$T/fifo"'
mkfifo "$T/fifo"
unset BUSY
for signal in TERM KILL; do
	rm -f "$T/began"
	start t/flaky 1 t/5-waits.sh >"$T/out"
	flaky=$!
	wait_for 10 test -e "$T/began"
	is "$(loops)" 4 "four loops run"
	kill -s "$signal" "$flaky"
	wait "$flaky" 2>/dev/null
	none() { [ "$(loops)" = 0 ]; }
	if [ "$signal" = TERM ]; then
		ok "... none after it was interrupted" none
		ok "... and its test ends" wait_for 60 test -e "$T/ended"
	else
		ok "... none soon after it was killed" wait_for 10 none
		echo >"$T/fifo"
	fi
done
done_testing
