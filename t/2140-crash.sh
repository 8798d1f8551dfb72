#!/bin/bash
# Programs that crash libjq, and processes that are killed: one primary fails,
# and no other is affected.
. "${0%/*}/lib.sh"
. t/ireconcile.sh
. t/preload.sh

# children PID: of that process
children() {
	grep -ls "^PPid:[[:space:]]*$1\$" /proc/[0-9]*/status | cut -d/ -f3
}

# processes PID: sets forkserver and worker of that ireconcile
processes() {
	forkserver=$(children "$1")
	[ -n "$forkserver" ] && worker=$(children "$forkserver") && [ -n "$worker" ]
}

# write_cases: a program whose primary named "c-N" evaluates the Nth line of
# $T/cases; any other primary desires a ConfigMap.
write_cases() {
	local n=0 expression

	{
		printf 'include "operator";\ndef evaluate: .primary.spec.n as $n | .primary.spec.in |\n'
		while IFS= read -r expression; do
			n=$((n + 1))
			printf 'if $n == %d then (%s) else\n' "$n" "$expression"
		done
		printf '"good"'
		for ((; n > 0; n--)); do
			printf ' end'
		done
		cat <<'END'
;
def desired: [config_map(.primary.metadata.name; {}; {a: (evaluate | tostring)})];
def status: {error: .error};
END
	} <"$1" >"$T/cases.jq"
	sed 's/program.jq/cases.jq/' "$T/watches.yaml" >"$T/cases.yaml"
}

write_program

# Sanitizers print what they found, and have no sandbox.
sanitized="" sandbox=--sandbox=auto
! nm -D "$BIN/ireconcile" | grep -q __asan_init ||
	sanitized=yes sandbox=--sandbox=off

# ---- libjq ----

# Expressions that ended libjq 1.6 by SIGABRT, SIGSEGV or SIGFPE, and its
# message if it prints one.
cat >"$T/cases" <<'END'
1e17 | rfc3339
1e18 | todate
nan | todate
infinite | todate
1e17 | strflocaltime("%Y")
-1e300 | gmtime | mktime
[1, 2, 3] | .[nan:1]
[1, 2, 3] | .[nan:2] = [1]
[1, 2, 3] | del(.[nan:2])
"abc" | .[("nan" | tonumber):1]
0 | strftime([])
"é" | [scan("[a-z]*")]
"é" | [splits(" *")]
"aé" | [match("b*"; "g")]
[] | .[2147483647] = 1
null | setpath([2147483647]; 1)
[] | .[1431655765] = 1
-9223372036854775808 % -1
9223372036854775807 % -1
-1e19 % -1
def f: f; f
def g: 1 + g; g
[range(1e9)]
reduce range(200000) as $i (1; [.]) | tojson
END
write_cases "$T/cases"
cases=$(wc -l <"$T/cases")
{
	for ((i = 1; i <= cases; i++)); do
		thing "c-$i" 1 "" "\"spec\":{\"n\":$i,\"in\":0}"
		echo
	done
	thing good 1 "" '"spec":{"n":0}'
	echo
} >"$T/in"
runs 1 "expressions that end libjq end no process of ours" \
	bash -c "ulimit -c unlimited; cd '$T' && exec ireconcile -f '$T/cases.yaml' $sandbox <'$T/in'"
is "$(jq -r .reconcile.primary.name "$T/out" | sort -u | wc -l)" "$((cases + 1))" \
	"... each primary gets its line"
is "$(jq -r 'select(.reconcile.primary.name == "good").items[0].data.a' "$T/out")" \
	good "... the one whose expression is good what it desires"
# Where a later libjq or a definition of ours gives a value, that is not a
# failure.
is "$(jq -r 'select(.reconcile.primary.name != "good")
	| select((.items | length) == 0)
	| select(.reconcile.status.error | (type != "string" or length == 0))
	| .reconcile.primary.name' "$T/out")" "" \
	"... each other one a value, or the reason in its status"
[ "$sanitized" ] || is "$(grep -cv '^ireconcile: error: thing.example.com ns/c-[0-9]*: ' "$T/err")" 0 \
	"... and nothing of libjq's own is in the log"
is "$(find "$T" -name 'core*' | wc -l)" 0 "... and no core is left"

# ---- workers ----

# The time is bounded, and so is each test here: 20 s of CPU time at most.
sed -i 's/^def desired: /&(if .primary.spec.k == "loop" then (def f: f; f) else . end) | /' \
	"$T/program.jq"
mkfifo "$T/input"

# begin_ireconcile [WORD...]: its input is what is written to descriptor 6
# shellcheck disable=SC2120
begin_ireconcile() {
	rm -f "$T/err" "$T/out"
	start "$@" bash -c "exec ireconcile -f '$T/watches.yaml' $sandbox <'$T/input' >'$T/out' 2>'$T/err'"
	pid=$!
	exec 6>"$T/input"
	{
		initially
	} >&6
	event ADDED "$(thing first 1 "" "$(spec 1 v)")" >&6
	wait_for 10 grep -q '"name":"first"' "$T/out" &&
		wait_for 10 processes "$pid"
}
at_work() { # has the worker used more CPU time than the first line takes?
	[ "$(awk '{print $14 + $15}' "/proc/$1/stat")" -ge 15 ]
}

ok "it is three processes" begin_ireconcile
is "$(awk '/^Max core file size/ {print $5, $6}' \
	"/proc/$pid/limits" "/proc/$forkserver/limits" "/proc/$worker/limits" | sort -u)" \
	"0 0" "none of them writes a core"
[ "$sanitized" ] || {
	is "$(awk '/^(Seccomp|NoNewPrivs):/ {print $2}' "/proc/$pid/status" \
		"/proc/$forkserver/status" "/proc/$worker/status" | xargs)" \
		"1 2 1 2 1 2" "each is in a sandbox"
	is "$(find "/proc/$worker/fd" "/proc/$forkserver/fd" -lname "$T/*" 2>/dev/null)" "" \
		"the other two have nothing of the input or output open"
}
allowed() { # the processors that it may run on
	sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' "/proc/$1/status"
}
anywhere() { [ "$(allowed "$1")" = "$(allowed $$)" ]; }
ok "who asks runs anywhere when it waits for input" wait_for 10 anywhere "$pid"
ok "... the fork server, too" anywhere "$forkserver"
# (Sanitized, a call takes so long that the worker is already another one.)
[ "$sanitized" ] || ok "... the worker on the processor of the last call" \
	grep -qx '[0-9]*' <(allowed "$worker")

event ADDED "$(thing a 1 "" "$(spec 1 loop)")" >&6
wait_for 20 at_work "$worker"
kill -9 "$worker"
event ADDED "$(thing b 1 "" "$(spec 1 v)")" >&6
ok "a worker is killed at work: the others go on" \
	wait_for 20 grep -q '"name":"b"' "$T/out"
says "ireconcile: error: thing.example.com ns/a: program.jq:1: desired of Thing.example.com/ns/a took more than 1 s of CPU time and was stopped" \
	"... and the call was made once more"
wait_for 10 processes "$pid"
event MODIFIED "$(thing first 2 "" "$(spec 1 x)")" >&6
wait_for 10 grep -q '"resourceVersion":"2"' "$T/out"
wait_for 10 processes "$pid"
kill -9 "$worker"
event MODIFIED "$(thing first 3 "" "$(spec 1 y)")" >&6
ok "a worker is killed that has nothing to do: another one takes over" \
	wait_for 10 grep -q '"resourceVersion":"3"' "$T/out"
exec 6>&-
wait "$pid"
is "$?" 1 "... exit code: something had failed"

# A crash of a worker that was used before may be due to another primary; a
# crash of a fresh worker is not. (A call may take 20 s, so that it is at work
# when it crashes.)
preload slow
ok "once more" begin_ireconcile "${preloaded[@]}" CPU_SLOWER=20
event ADDED "$(thing a 1 "" "$(spec 1 loop)")" >&6
other() { processes "$pid" && [ "$worker" != "$1" ]; }
wait_for 20 at_work "$worker"
kill -ABRT "$worker"
wait_for 10 other "$worker"
wait_for 20 at_work "$worker"
kill -ABRT "$worker"
ok "a fault in a fresh worker" wait_for 20 grep -q '"name":"a"' "$T/out"
is "$(tail -n 1 "$T/err")" \
	"ireconcile: error: thing.example.com ns/a: program.jq:1: desired of Thing.example.com/ns/a crashed in jq (SIGABRT)" \
	"... is a failure, by name"
is "$(jq -r 'select(.reconcile.primary.name == "a").reconcile.status.error' "$T/out")" \
	"program.jq:1: desired of Thing.example.com/ns/a crashed in jq (SIGABRT)" \
	"... and in the status"

# ---- the other processes ----

kill -9 "$forkserver"
wait "$pid"
is "$?" 111 "the fork server is killed: exit code"
is "$(tail -n 1 "$T/err")" \
	"ireconcile: fatal: the process that starts evaluations is gone" \
	"... message"
exec 6>&-

gone() { ! [ -e "/proc/$forkserver" ] && ! [ -e "/proc/$worker" ]; }
for signal in KILL TERM; do
	ok "and again" begin_ireconcile
	event ADDED "$(thing a 1 "" "$(spec 1 loop)")" >&6
	wait_for 20 at_work "$worker"
	kill -$signal "$pid"
	wait "$pid" 2>/dev/null
	ok "SIG$signal: no process is left" wait_for 10 gone
	exec 6>&-
done

# A signal to all three at once, as from a terminal.
begin_ireconcile
kill -INT "$pid" "$forkserver" "$worker"
kill -TERM "$pid" "$forkserver" "$worker"
wait "$pid" 2>/dev/null
ok "a signal to all of them: no process is left" wait_for 10 gone
says "" "... without a word"
exec 6>&-

done_testing
