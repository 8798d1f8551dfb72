#!/bin/bash
# The example of `delete_foreign` in doc/program.md as an operator: ConfigMaps
# with a label are deleted once they are old.
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
  desiredReads: [now]
  dependents:
  - {apiVersion: v1, kind: Secret, manage: true}
  related:
  - {apiVersion: v1, kind: ConfigMap, delete: true}
END
things_example delete_foreign

gone() {
	kubectl get "$@" 2>&1 | grep -q NotFound
}
make_cm() { # NAME LABEL
	kubectl create configmap "$1" --from-literal=k=v >/dev/null
	kubectl label configmap "$1" "$2" >/dev/null
}
make_cm old ttl=0
make_cm other by=others
thing t '{"label":"ttl"}' >/dev/null
runs 0 "a dry run" timeout 300 bash -c \
	'exec kwatch -f "$0" --once </dev/null | ireconcile -f "$0" |
	kapply --dry-run=server -o result' "$T/watches.yaml"
is "$(jq -c 'select(.kind == "ConfigMap") | [.metadata.name, .result]' "$T/out")" \
	'["old","deleted"]' "... tells what would be deleted"
ok "... and keeps it" kubectl get configmap old

start kpipe -f "$T/watches.yaml" --health-probe-bind-address 127.0.0.1:0 -v \
	2>"$T/err"
ok "what is old is deleted" wait_for 60 gone configmap old
make_cm next ttl=0
ok "... and the next one" wait_for 60 gone configmap next
make_cm young ttl=100000
make_cm last ttl=0
ok "... and another" wait_for 60 gone configmap last
ok "what is young stays" kubectl get configmap young
ok "... and what has no such label" kubectl get configmap other
is "$(grep -c 'deleted ConfigMap default/old, which was not a member' "$T/err")" 1 \
	"it is logged"
is "$(grep -c error: "$T/err")" 0 "nothing failed"
done_testing
