#!/bin/bash
# kapply and kstatus: a ceiling of writes per second.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=writes.sh
. "${0%/*}/writes.sh"

# items N: so many ConfigMaps
items() {
	local i list=

	for ((i = 1; i <= $1; i++)); do
		list+=,$(cm "c$i" v)
	done
	echo "${list:1}"
}
held() { # FILE: whether writes waited
	grep -o 'kpipe_writes_held_seconds_total[^:]*:[0-9.]*' "$1" | tail -n 1 |
		grep -vc ':0$'
}
counts() { # the numbers depend on the time that the burst took
	sed 's/last [0-9]*, [0-9]* are/last N, N are/' "$T/err" | besides_work
}
many=$(items 30)
of_all() {
	requests | grep -c "^PATCH $1"
}

# The bucket holds twenty seconds' worth: 20 writes. What is beyond takes ten
# seconds more, unless the machine is so slow that it needs them anyway.
serve '{}'
{
	set_line "$many"
	set_line "$(cm other v)" "" u
} >"$T/in"
runs 0 "more writes than the ceiling" kapply --server "$url" --timeout=60s \
	--max-writes-per-second=1 --report-fd 5 -o none <"$T/in" 5>"$T/report"
is "$(of_all c) $(of_all other)" "30 1" "... all are done in the end"
is "$(counts)" "kapply: warning: more writes than 1 a second (--max-writes-per-second): what is beyond waits; of the last N, N are for Thing.example.com/default/t" \
	"... said once, with who wrote most"
is "$(held "$T/report")" 1 "... and counted"
ok "another primary has its turn: request $(requests | grep -n other | cut -d: -f1)" \
	[ "$(requests | grep -n other | cut -d: -f1)" -lt 28 ]

serve '{}'
runs 0 "without a ceiling" kapply --server "$url" --timeout=60s \
	--max-writes-per-second=0 --report-fd 5 -o none <"$T/in" 5>"$T/report"
is "$(of_all c) $(besides_work "$T/err") $(held "$T/report")" "30  0" "... nothing waits"
serve '{}'
jq -c '.items[]' "$T/in" >"$T/plain"
runs 0 "plain objects have none" kapply --server "$url" --timeout=60s \
	--max-writes-per-second=1 --report-fd 5 -o none <"$T/plain" 5>"$T/report"
is "$(of_all c) $(besides_work "$T/err") $(held "$T/report")" "30  0" "... nothing waits"

serve '{}'
for i in {1..30}; do
	wrote '{"phase":"x"}' | sed "s/\"name\":\"t\"/\"name\":\"t$i\"/"
	echo
done >"$T/in"
runs 0 "kstatus" kstatus --server "$url" --timeout=60s \
	--max-writes-per-second=1 --report-fd 5 <"$T/in" 5>"$T/report"
is "$(requests | grep -c '^PATCH')" 30 "... all are written in the end"
is "$(counts | sed 's/default.t[0-9]*/NAME/')" "kstatus: warning: more writes than 1 a second (--max-writes-per-second): what is beyond waits; of the last N, N are for Thing.example.com/NAME" \
	"... said once"
is "$(held "$T/report")" 1 "... and counted"

for tool in kapply kstatus; do
	runs 100 "$tool: no number" "$tool" --max-writes-per-second=1000001 </dev/null
	is "$(cat "$T/err")" "$tool: fatal: option --max-writes-per-second: from 0 to 1000000" \
		"... refused"
done
done_testing
