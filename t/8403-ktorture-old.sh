#!/bin/bash
# ktorture: an old version of an operator beside the new one.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
unset OPERATOR_NAME
new=pipeline/memcached/watches.yaml
mkdir "$T/old"
cp pipeline/memcached/*.* "$T/old"
sed -i 's/-m=64/-m=32/' "$T/old/reconcile.jq"
play=(ktorture -f "$new" --old="$T/old/watches.yaml" --seed=1)

"${play[@]}" --scenario=update --schedules=1 >"$T/out" 2>"$T/err"
is "$?" 0 "an update ends as the new version alone"
runs 100 "another operator is refused" ktorture -f "$new" \
	--old=pipeline/at/watches.yaml
ok "... and the message names both" grep -q \
	'at/watches.yaml: it is not an earlier version of .*no kind At ' "$T/err"
runs 100 "without --old there is no update" ktorture -f "$new" --scenario=update
done_testing
