#!/bin/bash
# What the tests cost: README's two commands on a machine where nothing is
# installed, or all of .ci/run in a clone; the dearest tests, seconds of the
# clock and of processor time.
#
#	BUSY=2 t/bench/suite.sh [12 | 13 | ci]
#
# BUSY: that many busy loops beside it. 12 and 13: of Debian. What the packages
# take to come is in it, unless they came before.
cd "${0%/*}/../.." || exit 100
what=${1:-12} loops=() T=$(mktemp -d)
trap 'kill "${loops[@]}" 2>/dev/null; rm -rf "$T"' EXIT
trap 'exit 1' INT TERM HUP
for ((i = 0; i < ${BUSY:-0}; i++)); do
	t/busy $$ &
	loops+=($!)
done

timed() {
	"$@" >"$T/log" 2>&1 </dev/null || {
		tail -n 40 "$T/log"
		exit 1
	}
	grep -E '^(real|user|sys|Files=)|^ +[0-9.]+ s  ' "$T/log"
}
case $what in
12 | 13)
	timed t/debian/bare "$what" "time make demo" "time make check"
	;;
ci)
	git clone -q . "$T/clone"
	cd "$T/clone" || exit
	time timed .ci/run
	;;
*)
	echo "usage: t/bench/suite.sh [12 | 13 | ci]" >&2
	exit 100
	;;
esac
