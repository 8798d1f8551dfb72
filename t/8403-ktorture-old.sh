#!/bin/bash
# ktorture: an old version of an operator beside the new one.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
unset OPERATOR_NAME MAKEFLAGS MFLAGS MAKELEVEL
new=pipeline/memcached/watches.yaml
mkdir "$T/old"
cp pipeline/memcached/*.* "$T/old"
sed -i 's/-m=64/-m=32/' "$T/old/reconcile.jq"
play=(ktorture -f "$new" --old="$T/old/watches.yaml" --seed=1)

for scenario in update rollback overlap; do
	runs 0 "$scenario ends as the new version alone" "${play[@]}" \
		--scenario=$scenario --schedules=3
done
runs 0 "make torture OLD=" make -s torture OPERATOR=memcached SEED=3 SECONDS=0 \
	OLD="$T/old" ARGS="--schedules=1 --scenario=update"
is "$(tail -n 1 "$T/out" | sed 's/, in.*;/;/')" "1 schedules, 0 failed; seed 3" \
	"... plays it"

# The new version gives what it makes another name, so each deletes the other's.
cp -r "$T/old" "$T/renamed"
sed -i 's/deployment(name; labels/deployment(name + "-new"; labels/
	s/named(.owned.Deployment; name)/named(.owned.Deployment; name + "-new")/' \
	"$T/renamed/reconcile.jq"
renamed=(ktorture -f "$T/renamed/watches.yaml" --old="$T/old/watches.yaml"
	--seed=1)
runs 0 "another name: one at a time is well" "${renamed[@]}" \
	--scenario=update --schedules=3
cd "$T" || exit
runs 1 "... both at once is not" "${renamed[@]}" --scenario=overlap --schedules=1
is "$(head -n 1 "$T/out")" "overlap, without any fault:" "... needs no fault"
ok "... each deletes what the other makes" grep -q \
	'^  twice: Deployment default/example-new: the operator deleted it' "$T/out"
last=$(tail -n 1 "$T/out")
ok "... the last line has both versions" grep -qF -e "--old='$T/old/watches.yaml'" \
	<<<"$last"
runs 1 "... and fails again" bash -c "$last"
cd "$ROOT" || exit

runs 100 "another operator is refused" ktorture -f "$new" \
	--old=pipeline/at/watches.yaml
ok "... and the message names both" grep -q \
	'at/watches.yaml: it is not an earlier version of .*no kind At ' "$T/err"
runs 100 "without --old there is no update" ktorture -f "$new" --scenario=update
done_testing
