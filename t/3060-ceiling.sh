#!/bin/bash
# kapply and kstatus: a ceiling of writes per second.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=writes.sh
. "${0%/*}/writes.sh"

# limited WHAT LIMIT TOOL [ARGUMENT...]: on $T/in
limited() {
	serve '{}'
	runs 0 "$1" "$3" --server "$url" --timeout=60s \
		--max-writes-per-second="$2" --report-fd 5 "${@:4}" <"$T/in" 5>"$T/report"
}
held() { # whether writes waited
	grep -o 'kpipe_writes_held_seconds_total[^:]*:[0-9.]*' "$T/report" |
		tail -n 1 | grep -vc ':0$'
}
# counts PRIMARY: the warning; the numbers depend on the time that the burst took
counts() {
	is "$(besides_work "$T/err" |
		sed 's/last [0-9]*, [0-9]* are/last N, N are/; s,default/t[0-9]\+$,NAME,')" "$1: warning: more writes than 1 a second (--max-writes-per-second): what is beyond waits; of the last N, N are for Thing.example.com/$2" \
		"... said once, with who wrote most"
	is "$(held)" 1 "... and counted"
}
of_all() {
	requests | grep -c "^PATCH $1"
}
nothing_waits() {
	is "$(of_all c) $(besides_work "$T/err") $(held)" "30  0" "... nothing waits"
}

# The bucket holds twenty seconds' worth: 20 writes. What is beyond takes ten
# seconds more, unless the machine is so slow that it needs them anyway.
many=$(for i in {1..30}; do printf ',%s' "$(cm "c$i" v)"; done)
{
	set_line "${many:1}"
	set_line "$(cm other v)" "" u
} >"$T/in"
limited "more writes than the ceiling" 1 kapply -o none
is "$(of_all c) $(of_all other)" "30 1" "... all are done in the end"
counts kapply default/t
ok "another primary has its turn: request $(requests | grep -n other | cut -d: -f1)" \
	[ "$(requests | grep -n other | cut -d: -f1)" -lt 28 ]
limited "without a ceiling" 0 kapply -o none
nothing_waits
jq -c '.items[]' "$T/in" >"$T/plain"
mv "$T/plain" "$T/in"
limited "plain objects have none" 1 kapply -o none
nothing_waits

for i in {1..30}; do
	wrote '{"phase":"x"}' | sed "s/\"name\":\"t\"/\"name\":\"t$i\"/"
	echo
done >"$T/in"
limited kstatus 1 kstatus
is "$(of_all '')" 30 "... all are written in the end"
counts kstatus NAME

for tool in kapply kstatus; do
	runs 100 "$tool: no number" "$tool" --max-writes-per-second=1000001 </dev/null
	is "$(<"$T/err")" "$tool: fatal: option --max-writes-per-second: from 0 to 1000000" \
		"... refused"
done
done_testing
