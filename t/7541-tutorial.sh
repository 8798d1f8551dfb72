#!/bin/bash
# doc/tutorial.md as a reader follows it: on kapi, which the page starts, and on
# a real API server, with the playground there. What it makes is the operator of
# pipeline/cronjob.
# servers: kapi real
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=cluster/lib.sh
. "${0%/*}/cluster/lib.sh"
# shellcheck source=readme.sh
. "${0%/*}/readme.sh"
export PIPELINE=$ROOT/pipeline KUBECTL
mkdir "$T/work"
if [ "$SERVER" = real ]; then
	cluster_start
	playground
	cat doc/tutorial.md >"$T/page"
else
	own_kubectl
	sed 's/^<!-- kapi: /<!-- /' doc/tutorial.md >"$T/page"
fi
readme_blocks "" "$T/page"
ok "the page has examples" test -s "$T/blocks/020"
is "$(readme_unnamed doc/tutorial.md)" "" "... says the name of each file"
for block in "$T/blocks"/???; do
	readme_type "$block"
done
for file in watches.yaml jobs.jq timing.jq reconcile.jq report.jq; do
	same "$T/work/cronjob/$file" "pipeline/cronjob/$file" \
		"$file is the one of pipeline/cronjob"
done
[ "$failed" -eq 0 ] || quote <"$T/started"
done_testing
