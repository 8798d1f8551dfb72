#!/bin/bash
# The example of `keep` in doc/program.md as an operator: Jobs are created, left
# as they are, and the oldest is deleted.
# servers: kapi real
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=cluster/lib.sh
. "${0%/*}/cluster/lib.sh"
# shellcheck source=sets.sh
. "${0%/*}/sets.sh"
cluster_start
things_start
cat >"$T/watches.yaml" <<'END'
- group: example.com
  version: v1
  kind: Thing
  program: reconcile.jq
  desiredReads: [owned]
  dependents: [{apiVersion: batch/v1, kind: Job, manage: true}]
END
things_example keep
start kpipe -f "$T/watches.yaml" --health-probe-bind-address 127.0.0.1:0 \
	2>"$T/err"
thing t '{"run":1,"image":"busybox"}' >/dev/null

jobs_are() {
	[ "$(kubectl get jobs -o json |
		jq -r '[.items[].metadata.name] | sort | join(" ")')" = "$1" ]
}
# settled N: the status counts that many Jobs, and nothing is left to do
settled() {
	[ "$(kubectl get thing t -o json |
		jq -c '[(.status.jobs | length), .status.outstanding]')" = "[$1,0]" ]
}
again() { # N
	kubectl patch thing t --type merge -p '{"spec":{"run":'"$1"'}}' >/dev/null
}

ok "a Job" wait_for 60 jobs_are "t-1"
ok "... which needs nothing more" wait_for 60 settled 1
kubectl patch job t-1 --type merge \
	-p '{"metadata":{"labels":{"by":"others"}},"spec":{"suspend":true}}' >/dev/null
again 2
ok "the next one" wait_for 60 jobs_are "t-1 t-2"
ok "... is there" wait_for 60 settled 2
is "$(kubectl get job t-1 -o json |
	jq -c '[.metadata.labels.by, .spec.suspend]')" '["others",true]' \
	"the first is left as others have it"
for n in 3 4; do
	again "$n"
	ok "Job $n" wait_for 60 kubectl get job "t-$n"
	[ "$n" = 4 ] || ok "... is there" wait_for 60 settled "$n"
done
ok "the oldest is deleted" wait_for 60 jobs_are "t-2 t-3 t-4"
ok "... and that is all" wait_for 60 settled 3
is "$(grep -c error "$T/err")" 0 "nothing failed"
done_testing
