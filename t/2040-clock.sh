#!/bin/bash
# ireconcile: time. Deadlines, tolerance, requeue, periods; --clock=input.
. "${0%/*}/lib.sh"
. t/ireconcile.sh

write_program
due=$(creates a 1)
a=$(thing a 1 "" "$(spec 1 v)")

# After 10 s, then 20, 40, ... as long as nothing changes.
given initially
and event ADDED "$a" 2026-01-01T00:00:00Z
and tick 00:09.999999
echo "$due" >"$T/want"
replay 0 "before the deadline"
tick 00:10 >>"$T/in"
echo "$due" >>"$T/want"
replay 0 "at the deadline the line is said again"
and tick 00:29
and tick 00:10
replay 0 "time does not go back"
tick 00:30 >>"$T/in"
echo "$due" >>"$T/want"
replay 0 "20 s later again"
tick 09:59 >>"$T/in"
for _ in 1 2 3 4; do echo "$due"; done >>"$T/want" # 1:10 2:30 5:10 ...
sed -i '$d' "$T/want"
replay 0 "twice as long each time, all that are due"
and event MODIFIED "$(thing a 2 "" "$(spec 1 w)")"
and tick 09:59.5
line "$(configmap a-0 a w)" a 2 \
	"$(known a-0 null),$(status true),$(on_error)" >>"$T/want"
replay 0 "something new starts the deadline again"

# The same bytes twice, in any time zone.
cp "$T/out" "$T/first"
TZ=Europe/Berlin ireconcile -f "$T/watches.yaml" --clock=input \
	<"$T/in" >"$T/second"
same "$T/second" "$T/first" "the same file gives the same bytes"

# What is asked for again has a code, if it was observed: t/2049-permadiff.sh.
stuck=$(observed a-0 a other 3)
given initially "$(thing a 1 "" "$(spec 1 v),$(status false)")" "$stuck"
and tick 00:10
and event MODIFIED "$(thing a 4 "" "$(spec 1 v)"',"status":{"busy":true,"error":"no"}')"
and tick 00:30
want line "$(configmap a-0 a v)" a 1 \
	"$(known a-0 uid-a-0),$(status true),$(on_error),$(because a-0 3)"
also line "$(tried "$(configmap a-0 a v)")" a 1 \
	"$(known a-0 uid-a-0),$(status true),$(on_error),$(because a-0 3)"
also line "$(tried "$(configmap a-0 a v)")" a 4 \
	"$(known a-0 uid-a-0),$(on_error),$(because a-0 3)"
replay 0 "a difference is said again at the deadline"

# requeue: seconds, or a time. `now` moves with the input.
cat >"$T/program.jq" <<'END'
def desired: [];
def status: {at: .now};
def requeue: .primary.spec.requeue;
END
sed -i 's/  program:/  reconcilePeriod: 1h\n&/' "$T/watches.yaml"
at() { line "" "$1" 1 "\"status\":{\"at\":$2}"; }
given initially
and event ADDED "$(thing b 1 "" '"spec":{"requeue":0.5}')" 1970-01-01T00:00:01Z
and event ADDED "$(thing a 1 "" '"spec":{"requeue":"1970-01-01T00:00:01.5Z"}')"
and event ADDED "$(thing c 1 "" '"spec":{"requeue":null}')"
and event BOOKMARK "$(object Secret s 1)" 1970-01-01T00:00:02.25Z
{
	at b 1
	at a 1
	at c 1
	# Primaries that are due at the same time are sorted by key; b is due
	# again and again.
	at a 1.5
	at b 1.5
	at b 2
} >"$T/want"
replay 0 "requeue after seconds and at a time"

sed -i 's/.now/(.now \/ 600 | floor)/' "$T/program.jq"
period='"annotations":{"ansible.operator-sdk/reconcile-period":"40m"}'
given initially
and event ADDED "$(thing a 1 "" '"status":{"at":0}')" 1970-01-01T00:00:00Z
and event ADDED "$(thing b 1 "$period" '"status":{"at":0}')"
and event ADDED "$(object Secret s 1)" 1970-01-01T00:40:00Z
and event MODIFIED "$(thing b 1 "$period" '"status":{"at":4}')"
and event ADDED "$(object Secret s 1)" 1970-01-01T01:00:00Z
want at b 4
also at a 6
replay 0 "reconcilePeriod; an annotation wins"

# Lines without a time are of 1970: the timers of 50 years would run in silence.
sed -i '/Secret/d' "$T/in"
sed -i 's/1970-01-01T00:00:00Z//; s/"time":"",//' "$T/in"
cp "$T/in" "$T/hand"
event ADDED "$(object Secret s 1)" 2026-01-01T00:00:00Z >>"$T/in"
start bash -c "exec ireconcile -f '$T/watches.yaml' --clock=input <'$T/in' \
	>/dev/null 2>'$T/err'"
ok "timers of half a century fire with a warning" \
	wait_for 30 grep -q 'give the lines before it a time, too' "$T/err"
kill "${started[-1]}"
given event ADDED "$(object Secret s 1)" 2026-01-01T00:00:00Z
and cat "$T/hand"
and event ADDED "$(object Secret s 1)" 2026-01-01T02:00:00Z
decided 0 "from its first line on"
is "$(<"$T/err")" "" "... without one"

# By the real clock a file is decided about at its end. Silence is explained.
replays="--clock=input replays what was decided on the way"
# says LINES TEXT: of that many lines of a recording
says() {
	head -n "$1" pipeline/memcached/t/life.jsonl >"$T/in"
	ireconcile -f pipeline/memcached/watches.yaml <"$T/in" 2>&1 >"$T/out" |
		sed 's/.*ireconcile: //' >"$T/err"
	is "$(<"$T/err")" "$2" "$1 lines by the real clock"
}
says 20 "compared 1 primary: nothing is to be changed at the end of the input; \
$replays"
says 24 ""
ok "... which are a reason to write one" test -s "$T/out"
says 200 ""
runs 0 "by the input's clock" ireconcile -f pipeline/memcached/watches.yaml \
	--clock=input <pipeline/memcached/t/life.jsonl
is "$(<"$T/err")" "" "... nothing is to be explained"

done_testing
