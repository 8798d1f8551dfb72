#!/bin/bash
# ireconcile -v: each evaluation, what caused it, and what it decided.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=ireconcile.sh
. "${0%/*}/ireconcile.sh"
write_program
sed -i 's/^  program:/  reconcilePeriod: 1m\n&/' "$T/watches.yaml"
echo 'def requeue: 5;' >>"$T/program.jq"
{
	begin_all
	event ADDED "$(thing a 1 "" "$(spec 1 v)")" 2026-01-01T00:00:00Z
	end_all
	event ADDED "$(observed a-0 a v 2)"
	event MODIFIED "$(thing a 3 "" "$(spec 1 v),$(status false)")"
	tick 00:05
	event MODIFIED "$(observed a-0 a other 4)"
	event MODIFIED "$(thing a 5 '"deletionTimestamp":"2026-01-01T00:00:06Z"' \
		"$(spec 1 v),$(status false)")"
} >"$T/in"
runs 0 "-v" ireconcile -f "$T/watches.yaml" --clock=input -v <"$T/in"
sed -n 's/.* ireconcile: debug: thing.example.com ns\/a: //p' "$T/err" >"$T/got"
cat >"$T/want" <<'END'
the start: 1 item, 0 deletions, 1 outstanding, status, requeue in 5.0 s; a line
ADDED ConfigMap/ns/a-0: 0 items, 0 deletions, 0 outstanding, status, requeue in 5.0 s; a line
MODIFIED Thing.example.com/ns/a: 0 items, 0 deletions, 0 outstanding, requeue in 5.0 s; no line
timer: requeue: 0 items, 0 deletions, 0 outstanding, requeue in 5.0 s; no line
MODIFIED ConfigMap/ns/a-0: 1 item, 0 deletions, 1 outstanding, status, requeue in 5.0 s; a line
MODIFIED Thing.example.com/ns/a: 0 items, 0 deletions, 0 outstanding; a line
END
same "$T/got" "$T/want" "each evaluation"
cp "$T/out" "$T/verbose"
runs 0 "without" ireconcile -f "$T/watches.yaml" --clock=input <"$T/in"
is "$(<"$T/err")" "" "... nothing is logged"
same "$T/out" "$T/verbose" "... and the same printed"
done_testing
