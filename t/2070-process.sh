#!/bin/bash
# ireconcile as a process: the gate, reports, a reader that ends, the sandbox,
# programs that never end.
. "${0%/*}/lib.sh"
. t/ireconcile.sh

sanitized=
! nm -D "$BIN/ireconcile" | grep -q __asan_init || sanitized=yes

write_program
given thing a 1 "" "$(spec 1 v)"
and echo

# Nothing is printed before the gate opens.
mkfifo "$T/gate" "$T/input" "$T/lines"
start bash -c "exec ireconcile -f '$T/watches.yaml' --gate-fd=7 --report-fd=8 \
	--lines-fd=9 <'$T/input' >'$T/gated' 7<>'$T/gate' 8>'$T/report' 9<>'$T/lines'"
pid=$!
exec 6>"$T/input" 5>"$T/lines"
echo first >&5
{
	begin_all
	cat "$T/in"
	end_all
} >&6
ok "--report-fd: a newline when every kind is complete" \
	wait_for 10 test -s "$T/report"
is "$(<"$T/gated")" "" "--gate-fd: nothing is printed before it opens"
echo >"$T/gate"
ok "... and then it is" wait_for 10 test -s "$T/gated"
is "$(head -n 1 "$T/gated")" first "--lines-fd: a line that is there comes before all others"
printf 'seco' >&5
printf 'nd\nthird\n' >&5
ok "... later ones are printed, too" \
	wait_for 10 grep -qx third "$T/gated"
is "$(tail -n 2 "$T/gated")" "second
third" "... as they are"
exec 5>&-
exec 6>&-
wait "$pid"
is "$?" 0 "... exit code at the end of the input"
is "$(head -n 1 "$T/report")" "" "... the newline is the first line"
is "$(grep counters "$T/report" | tail -n 1)" \
	'{"tool":"ireconcile","counters":{"events":7,"bad_lines":0,"evaluations":1,"failures":0,"lines":1,"tolerated":0,"loops":0,"unsettled":0}}' \
	"... then counters, the last ones at the end"
runs 1 "a gate that is closed" \
	bash -c "ireconcile -f '$T/watches.yaml' --gate-fd=7 7</dev/null <'$T/in'"
is "$(<"$T/out")" "" "... nothing is printed"
says "ireconcile: error: the gate was closed before it opened" "... message"

echo first >"$T/line"
runs 0 "--lines-fd without a gate" bash -c \
	"ireconcile -f '$T/watches.yaml' --lines-fd=9 9<'$T/line' </dev/null"
is "$(<"$T/out")" first "... is printed"
for kind in ConfigMap Pod; do
	begin v1 "$kind"
	end v1 "$kind"
done >"$T/two"
runs 1 "... and a kind that was never announced" bash -c \
	"ireconcile -f '$T/watches.yaml' --lines-fd=9 9<'$T/line' <'$T/two'"
says "ireconcile: error: the input ends before it is complete: Thing.example.com" \
	"... is not complete"
runs 1 "... nor if the writer of the lines is gone" bash -c \
	"exec 9< <(:); wait \$!; ireconcile -f '$T/watches.yaml' --lines-fd=9 <'$T/two'"
says "ireconcile: the input ends before it is complete: Thing.example.com" \
	"... which was told to end"

# The reader has ended.
replay_in() {
	ireconcile -f "$T/watches.yaml" <"$T/in"
}
unread 1 "a reader that is gone ends ireconcile" replay_in
says "ireconcile: error: the reader of standard output is gone" \
	"... which says why"
runs 111 "standard output that is full" \
	bash -c "ireconcile -f '$T/watches.yaml' <'$T/in' >/dev/full"
says "ireconcile: error: cannot write standard output: No space left on device" \
	"... message"

# A slow reader: the queue holds keys, not lines.
one=$(thing tNAME 1 "" "$(spec 1 PAD)")
for i in {1..600}; do
	printf -v pad %0200d "$i"
	padded=${one/PAD/$pad}
	echo "${padded//NAME/$i}"
done >"$T/many"
runs 0 "a slow reader gets all" bash -c \
	"ireconcile -f '$T/watches.yaml' <'$T/many' | { sleep 0.3; wc -l; }"
is "$(<"$T/out")" 600 "... lines"

# A reader that takes nothing: ireconcile still reads its input, so that its
# writer does not wait; memory holds the objects and not the events.
mkfifo "$T/flood" "$T/sink"
sed 's/^def desired: /&[range(20)] as $many | /; s/k: .primary.spec.k/k: (.primary.spec.k * 200)/' \
	"$T/program.jq" >"$T/large.jq"
sed 's/program.jq/large.jq/' "$T/watches.yaml" >"$T/large.yaml"
{
	initially
} >"$T/flood.in"
pad=$(printf '%0400d' 0)
for i in {1..5000}; do
	printf '{"type":"MODIFIED","object":{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"t%d","namespace":"ns","uid":"uid-%d","resourceVersion":"%d"},"spec":{"n":1,"k":"%s"}}}\n' \
		$((i % 50)) $((i % 50)) "$i" "$pad"
done >>"$T/flood.in"
start bash -c "exec ireconcile -f '$T/large.yaml' <'$T/flood' >'$T/sink'"
pid=$!
start bash -c "cat '$T/flood.in' >'$T/flood'; touch '$T/fed'"
exec 6<"$T/sink"
ok "a reader that takes nothing: the input is read" \
	wait_for 20 test -e "$T/fed"
cat <&6 >"$T/flood.out"
exec 6<&-
wait "$pid"
is "$?" 0 "... and all comes in the end"
is "$(tail -n 50 "$T/flood.out" | jq -r .reconcile.primary.name | sort -u | wc -l)" \
	50 "... for each primary"

# While nothing may be decided (the gate is closed, or a kind is incomplete),
# primaries that come and go leave no memory behind. come_and_go WHAT COMMAND:
# ireconcile reads it all, and stays small
come_and_go() {
	rm -f "$T/flood" "$T/fed"
	mkfifo "$T/flood"
	start bash -c "exec $2 <'$T/flood' >/dev/null 7<>'$T/gate'"
	pid=$!
	exec 6>"$T/flood"
	cat "$T/flood.in" >&6
	# The last line is an error: when it is reported, all was read.
	ok "$1: all is read" wait_for 20 grep -q WHATEVER "$T/flood.err"
	kb=$(awk '/VmRSS/ {print $2}' "/proc/$pid/status")
	# A sanitizer does not give freed memory back.
	[ "$sanitized" ] ||
		ok "... and nothing kept ($kb KiB)" [ "$kb" -lt 9000 ]
	exec 6>&-
	kill "$pid"
}
{
	initially
	for i in {1..15000}; do
		printf '{"type":"%s","object":{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"t%d","namespace":"ns","uid":"uid-%d"}}}\n' \
			ADDED "$i" "$i" DELETED "$i" "$i"
	done
	printf '{"type":"WHATEVER","object":{"apiVersion":"v1","kind":"Pod"}}\n'
} >"$T/flood.in"
come_and_go "a closed gate" \
	"ireconcile -f '$T/watches.yaml' --gate-fd=7 2>'$T/flood.err'"
sed -i '/initial-events-end.*ConfigMap/d;/ConfigMap.*initial-events-end/d' \
	"$T/flood.in"
come_and_go "an incomplete kind" \
	"ireconcile -f '$T/watches.yaml' 2>'$T/flood.err'"

# A program that never ends, for one primary; another takes all memory.
sed -i 's/^def desired: /&(if .primary.spec.k == "loop" then (def f: f; f) \
	elif .primary.spec.k == "grow" then "x" | until(false; . + .) \
	else . end) | /' \
	"$T/program.jq"
given thing a 1 "" "$(spec 1 loop)"
and thing b 1 "" "$(spec 1 v)"
runs 1 "a program that never ends" \
	ireconcile -f "$T/watches.yaml" <"$T/in"
is "$(jq -r '"\(.reconcile.primary.name) \(.items | length)"' "$T/out")" \
	"a 0
b 1" "... fails for that primary, the other goes on"
says "ireconcile: error: thing.example.com ns/a: program.jq:1: desired of Thing.example.com/ns/a took more than 1 s of CPU time and was stopped" \
	"... and is named"

# After any limit it is tried again after a delay that doubles, and no sooner,
# even if its spec changes or it is created again. A success ends the delays.
limit=grow
[ -z "$sanitized" ] || limit=loop # it has no limit of memory
gen() { printf '"generation":%s' "$1"; }
again() { sed 's/uid-a/uid-again/' <<<"$1"; }
given initially "$(thing a 1 "$(gen 1)" "$(spec 1 "$limit")")"
and event ADDED "$(object Pod p 2 '"labels":{"thing":"a"}')" 2026-01-01T00:00:09Z
and event ADDED "$(object Pod q 2)" 2026-01-01T00:00:10Z
and event MODIFIED "$(thing a 1 "$(gen 2)" "$(spec 1 v)")" 2026-01-01T00:00:28Z
and event DELETED "$(thing a 1 "$(gen 2)" "$(spec 1 v)")"
and event ADDED "$(again "$(thing a 2 "$(gen 1)" "$(spec 1 v)")")" 2026-01-01T00:00:29Z
and event ADDED "$(object Pod q 3)" 2026-01-01T00:00:29.9Z
and event ADDED "$(object Pod q 4)" 2026-01-01T00:00:30Z
and event MODIFIED "$(again "$(thing a 3 "$(gen 2)" "$(spec 2 v)")")" 2026-01-01T00:00:31Z
runs 1 "a limit, then another spec" \
	ireconcile -f "$T/watches.yaml" --clock=input --report-fd=8 \
	8>"$T/report" <"$T/in"
is "$(jq -c '.counters | select(. != null) | [.evaluations, .failures]' "$T/report" | tail -n 1)" \
	"[4,2]" "... is evaluated at 0, 10, 30 and 31 seconds"
is "$(jq -c '[.reconcile.primary.uid, (.items | length)]' "$T/out" | tail -n 2)" \
	'["uid-again",1]
["uid-again",2]' "... and recovers"

# A build with sanitizers has no sandbox.
[ -z "$sanitized" ] || done_testing

# The sandbox: once it runs, no file can be opened.
write_program
given begin example.com/v1 Thing
and thing a 1 "" "$(spec 1 v)"
and echo
and end example.com/v1 Thing
start bash -c "exec ireconcile -f '$T/watches.yaml' <'$T/input' >'$T/sandboxed' 2>'$T/err'"
pid=$!
exec 6>"$T/input"
cat "$T/in" >&6
ok "seccomp is on while it runs" \
	wait_for 10 grep -q '^Seccomp:[[:space:]]*2' "/proc/$pid/status"
exec 6>&-
wait "$pid"
is "$?" 0 "... and it works"
same "$T/err" /dev/null "... without a word"
runs 0 "--sandbox=off" ireconcile -f "$T/watches.yaml" --sandbox=off <"$T/in"
same "$T/out" "$T/sandboxed" "... gives the same"
same "$T/err" /dev/null "... without a word"

# On a system without seccomp.
none="there is no sandbox: the kernel has no seccomp"
runs 0 "no seccomp" t/no-seccomp ireconcile -f "$T/watches.yaml" <"$T/in"
same "$T/out" "$T/sandboxed" "... gives the same"
says "ireconcile: warning: $none" "... and warns once"
runs 100 "no seccomp, --sandbox=required" t/no-seccomp \
	ireconcile -f "$T/watches.yaml" --sandbox=required <"$T/in"
says "ireconcile: fatal: option --sandbox=required: $none" "... is refused"

done_testing
