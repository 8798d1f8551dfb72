#!/bin/bash
# kwatch's scanner beside jq: both take managedFields out of the same watch
# frames, from a pipe to a pipe. Prints both rates; fails below 50 times.
# usage: t/bench/kwatch-scanner.sh [FRAMES]
set -eu
cd "${0%/*}/../.."
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

make -s build/libkpipe.a build/cmd/kwatch/frames.o
${CC:-cc} -std=c11 -D_GNU_SOURCE -O2 -iquote lib -o "$tmp/cut" \
	t/bench/cut.c build/cmd/kwatch/frames.o build/libkpipe.a

t/bench/make-pods "${1:-3000}" >"$tmp/in"
size=$(wc -c <"$tmp/in")

# rate REPEAT COMMAND...: MB per second of CPU, user and system, best of three.
# (Not of wall time: that tells how busy the machine is.)
rate() {
	local repeat=$1 best=0 mbs try user system

	shift
	TIMEFORMAT='%3U %3S'
	for try in 1 2 3; do
		for ((n = 0; n < repeat; n++)); do cat "$tmp/in"; done |
			{ time "$@"; } 2>"$tmp/time$try" | cat >/dev/null
		read -r user system <"$tmp/time$try"
		mbs=$((size * repeat / 1000 / (10#${user/./} + 10#${system/./})))
		[ "$mbs" -le "$best" ] || best=$mbs
	done
	echo "$best"
}

"$tmp/cut" <"$tmp/in" >"$tmp/ours"
jq -c 'del(.object.metadata.managedFields)' <"$tmp/in" >"$tmp/jqs"
cmp "$tmp/ours" "$tmp/jqs"

ours=$(rate 50 "$tmp/cut")
jqs=$(rate 1 jq -c 'del(.object.metadata.managedFields)')
echo "kwatch's scanner $ours MB/s, jq $jqs MB/s: $((ours / jqs)) times"
[ $((ours / jqs)) -ge 50 ]
