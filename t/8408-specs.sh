#!/bin/bash
# ktorture: generated specs. What is wrong with one alone, with two of them, with
# one that cannot be put back; and the command that plays it again.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
watches=pipeline/memcached/watches.yaml

# ---- what it refuses ----

for options in --specs --spec=.; do
	refuses "option ${options%%=*}: without --scenario and --fault" \
		ktorture -f "$watches" "$options" --scenario=life
done
runs 100 "an edit that is not jq" ktorture -f "$watches" --spec='.spec ='
runs 100 "an edit that gives no object" ktorture -f "$watches" --spec=.spec.size
is "$(tail -n 1 "$T/err")" \
	"ktorture: fatal: .spec.size: it does not give an object" "... is named"

# ---- a clean run ----

specs=(ktorture -f "$watches" --seed=3 --specs)
runs 0 "each edit alone" "${specs[@]}" --seconds=0
"${specs[@]}" --list >"$T/list"
is "$(sed -n 's/^specs *\([0-9]*\) *\([0-9]*\).*/\1 \2/p' "$T/out")" \
	"$(wc -l <"$T/list") 0" "... is a row of the table"
is "$(sort "$T/list")" 'spec .spec = null
spec .spec = {}
spec .spec.ktorture = {"unknown":[null]}
spec .spec.size = "x"
spec .spec.size = -1
spec .spec.size = 0
spec .spec.size = 1
spec .spec.size = 2
spec .spec.size = 40
spec .spec.size = null
spec del(.spec)
spec del(.spec.size)' "... --list has them"
runs 0 "--list of all" ktorture -f "$watches" --seed=3 --list
is "$(grep '^spec ' "$T/out")" "$(<"$T/list")" "... has the same, in this order"
runs 0 "one" ktorture -f "$watches" --spec='.spec.size = 1' --record="$T/recording"
is "$(grep -c '^--- {"do":"settle"}' "$T/out")" 2 "... with its story"
ok "... and a recording" test -s "$T/recording/digests.key"
runs 0 "faults, and specs between them" \
	ktorture -f "$watches" --seed=3 --schedules=16
ok "... in the table" grep -q '^specs  *1 ' "$T/out"

# ---- what is wrong ----

# operator NAME SED: a copy of memcached with a bug that no example shows
operator() {
	cp -r "$ROOT/pipeline/memcached" "$T/$1"
	rm "$T/$1"/t/*.scenario
	sed -i "$2" "$T/$1/reconcile.jq"
	sed -i "s/^  program:.*/&\n  desiredReads: [owned]/" \
		"$T/$1/watches.yaml"
	! cmp -s "$ROOT/pipeline/memcached/reconcile.jq" "$T/$1/reconcile.jq" ||
		flaw "$1: no bug"
}

operator null 's/replicas: .primary.spec.size,/replicas: (.primary.spec.size | if . == 0 then null | keys else . end),/'
runs 1 "a program that fails with a value" \
	ktorture -f "$T/null/watches.yaml" --seed=3 --specs --seconds=0
is "$(tail -n 1 "$T/out")" \
	"ktorture -f $T/null/watches.yaml --seed=3 --spec='.spec.size = 0'" \
	"... the last line has the edit"
ok "... behind what is wrong" grep -q \
	'^  crash: ireconcile: edited: a program fails by itself: .*: reconcile.jq:' \
	"$T/out"
runs 1 "... which fails again" bash -c "$(tail -n 1 "$T/out")"
runs 1 "... in a run of all" \
	ktorture -f "$T/null/watches.yaml" --seed=3 --schedules=96
ok "... too" grep -qF -- "--spec='.spec.size = 0'" "$T/out"

# What there are more of stays, so that a smaller size is not what it would be.
operator grows 's/replicas: .primary.spec.size,/replicas: ([.primary.spec.size, .owned.Deployment[].spec.replicas] | max),/'
grows=(ktorture -f "$T/grows/watches.yaml" --seed=3)
runs 1 "an end that depends on the spec before" \
	"${grows[@]}" --spec='.spec.size = 5'
ok "... is not that of the example" grep -q \
	'^  end: Deployment default/example: put back: .spec.replicas is 5, should be 3' \
	"$T/out"
runs 1 "... less" "${grows[@]}" --spec='.spec.size = 1'
ok "... is not that of a fresh operator" grep -q \
	'^  end: Deployment default/example: edited: .spec.replicas is 3, should be 1' \
	"$T/out"
runs 0 "... nor an end of a spec that the server refuses" \
	"${grows[@]}" --spec='.spec.size = -1'
mkdir -p "$T/grows/t"
echo 'remembers "it never shrinks" true' >"$T/grows/t/all.scenario"
runs 0 "... as the author says" "${grows[@]}" --spec='.spec.size = 5'

for rule in 'nothing |' '.[' '.x'; do
	echo "remembers \"it\" $rule" >"$T/grows/t/all.scenario"
	runs 100 "a rule that is wrong: $rule" \
		"${grows[@]}" --spec='.spec.size = 5'
done
ok "... is named" grep -q '^ktorture: fatal: .*Cannot index array' "$T/err"

# Two edits.
operator pair 's/replicas: .primary.spec.size,/replicas: (.primary.spec.size as $n | if $n == 1 and .owned.Deployment[0].spec.replicas == 2 then 2 else $n end),/'
pair=(ktorture -f "$T/pair/watches.yaml" --seed=3)
runs 0 "one edit" "${pair[@]}" --spec='.spec.size = 1'
runs 1 "two edits" "${pair[@]}" --spec='.spec.size = 2' --spec='.spec.size = 1'

# An error that the status keeps to itself.
operator quiet 's/def need_good_name:/&\n  need(.primary.spec.size != 0; "it is 0") |/; s/if .error != null/if false/; s/elif running/elif true/'
runs 1 "an error that no status tells of" \
	ktorture -f "$T/quiet/watches.yaml" --seed=3 --spec='.spec.size = 0'
ok "... is told" grep -q '^  claim: edited: the status does not tell of an error: ' \
	"$T/out"
rm "$T/pair/example.yaml"
runs 100 "specs without an example" \
	ktorture -f "$T/pair/watches.yaml" --specs
done_testing
