#!/bin/bash
# t/torture/operators: the table of doc/torture.md, of a short run.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
unset MAKEFLAGS MFLAGS MAKELEVEL

runs 100 "an option that is not there" t/torture/operators --fast
is "$(<"$T/err")" "operators: unknown option --fast" "... is named"
runs 100 "an operator that is not there" t/torture/operators none
ok "... is named" grep -q 'pipeline/none/watches.yaml: No such file' "$T/err"

t/torture/operators --seed 3 --seconds 6 --out "$T/o" memcached >"$T/out" 2>"$T/err"
rc=$?
is "$(<"$T/err")" "" "a short run"
ok "... the seed, and when it was" grep -qxE \
	'Seed 3, 6 s for each, [0-9-]{10}, [0-9]+ processors\.' <(head -n 1 "$T/out")
# cells: of each row FAILED and PLAYED
cells() {
	sed -nE 's/^\| ([a-z ]+) \| ([0-9]+) of ([0-9]+) \|$/\1: \2 \3/p' "$T/out"
}
all=$(cells | sed -n 's/^all: //p')
is "$all" "$(sed -nE 's/^([0-9]+) schedules, ([0-9]+) failed, .*/\2 \1/p' \
	"$T/o/memcached.out")" "... as many as ktorture says"
is "$(cells | sed '/^all:/d; s/.*: //' | awk '{ f += $1; n += $2 }
	END { print f, n }')" "$all" "... which are in its rows"
is "$rc" "$((${all% *} > 0))" "... the exit code says whether one failed"
ok "how many there are" grep -qxE \
	'\| there are \| [0-9]+ scenarios, [0-9]+ faults \|' "$T/out"
done_testing
