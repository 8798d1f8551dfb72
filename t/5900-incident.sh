#!/bin/bash
# The incident of doc/recording.md as a reader follows it, from the fault to the
# release.
# servers: kapi real
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=cluster/lib.sh
. "${0%/*}/cluster/lib.sh"
# shellcheck source=readme.sh
. "${0%/*}/readme.sh"
cluster_start
export PIPELINE=$ROOT/pipeline
mkdir "$T/work"
readme_blocks "" doc/recording.md
ok "the page has examples" test -s "$T/blocks/020"
# Times of field managers are seconds: the fault comes in a later one.
is_later() {
	[ "$(date +%s)" -gt "$(kubectl get memcached example -o json \
		--show-managed-fields | jq '[.metadata.managedFields[].time |
			fromdate] | max')" ]
}
for block in "$T/blocks"/???; do
	! grep -q field-manager=helm "$block" ||
		ok "a second later" wait_for 10 is_later
	readme_type "$block" 120
done
[ "$failed" -eq 0 ] || quote <"$T/started"
ok "the page is one" grep -q '</html>' "$T/work/incident.html"
done_testing
