#!/bin/bash
# kwatch's scanner beside jq: both take managedFields out of the same watch
# frames. Rates are per second of CPU (wall time tells how busy the machine
# is), the best of three. Fails below 50 times.
# usage: t/bench/kwatch-scanner.sh [FRAMES]
set -eu
cd "${0%/*}/../.."
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

make -s build/libkpipe.a build/cmd/kwatch/frames.o
${CC:-cc} -std=c11 -D_GNU_SOURCE -O2 -iquote lib -iquote cmd/kwatch -o "$tmp/cut" \
	t/bench/cut.c build/cmd/kwatch/frames.o build/libkpipe.a

t/bench/make-pods "${1:-3000}" >"$tmp/in"
size=$(wc -c <"$tmp/in")

filter='del(.object.metadata.managedFields)'

# jq_rate: by user and system time of jq, as cut measures its own
jq_rate() {
	local user system

	TIMEFORMAT='%3U %3S'
	{ time jq -c "$filter" <"$tmp/in" >/dev/null; } 2>"$tmp/time"
	read -r user system <"$tmp/time"
	echo $((size / 1000 / (10#${user/./} + 10#${system/./})))
}

# best COMMAND...: the largest of three results
best() {
	for _ in 1 2 3; do "$@"; done | sort -n | tail -n 1
}

# First check that both give the same result.
"$tmp/cut" <"$tmp/in" >"$tmp/ours"
jq -c "$filter" <"$tmp/in" >"$tmp/jqs"
cmp "$tmp/ours" "$tmp/jqs"

our_rate() {
	"$tmp/cut" 50 <"$tmp/in"
}
ours=$(best our_rate)
jqs=$(best jq_rate)
echo "kwatch's scanner $ours MB/s, jq $jqs MB/s: $((ours / jqs)) times"
[ $((ours / jqs)) -ge 50 ]
