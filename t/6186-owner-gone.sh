#!/bin/bash
# A primary is deleted, or is leaving, and the operator is not told: what the
# garbage collector deletes is not made again.
# servers: kapi real: the collector
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=cluster/lib.sh
. "${0%/*}/cluster/lib.sh"
cluster_start
# shellcheck source=sets.sh
. "${0%/*}/sets.sh"
things_start
things_watches
cat >"$T/reconcile.jq" <<'END'
def desired: [("c", "d") | {apiVersion: "v1", kind: "ConfigMap",
	metadata: {name: .}}];
def status: {outstanding: (.outstanding | length)};
END

# The pipeline, without the news that a Thing is leaving or gone
mkfifo "$T/events" "$T/told" "$T/sets" "$T/statuses"
exec 4<>"$T/events" 5<>"$T/told" 6<>"$T/sets" 8<>"$T/statuses"
untold='"kind":"Thing","metadata":\{[^{}]*"deletionTimestamp"|^.*"DELETED".*"kind":"Thing","metadata"'
start kwatch -f "$T/watches.yaml" >&4
start from 4 grep --line-buffered -vE "$untold" >&5
start from 5 ireconcile -f "$T/watches.yaml" >&6
start from 6 kapply --log-level=warning >&8 2>"$T/err"
start from 8 kstatus

# there N: so many of its ConfigMaps
there() {
	[ "$(kubectl get configmaps -o name | grep -cE '/[cd]$')" -eq "$1" ]
}
# How often a Thing was looked at, and how many ConfigMaps were made, since
# audit_mark
looked() {
	audit 'select(.verb == "get" and .objectRef.resource == "things") | 1' | wc -l
}
is_looked_at() {
	[ "$(looked)" -gt 0 ]
}
made() {
	audit 'select(.verb == "patch" and .objectRef.resource == "configmaps"
		and .responseStatus.code == 201) | 1' | wc -l
}

audit_mark
thing t >/dev/null
ok "a primary" wait_for 60 there 2
is "$(looked)" 0 "... which nobody looks at"
kubectl delete configmap c >/dev/null
ok "what another client deletes is made again" wait_for 60 there 2
is "$(looked)" 1 "... after a look"

audit_mark
kubectl delete thing t --wait=false >/dev/null
ok "the primary is deleted: all of it goes" wait_for 60 there 0
ok "... which is seen" wait_for 60 is_looked_at
is "$(made)" 0 "... and nothing is made again"

thing t >/dev/null
ok "another one has the name" wait_for 60 there 2
kubectl patch thing t --type=merge -p '{"metadata":{"finalizers":["e/x"]}}' >/dev/null
kubectl delete thing t --wait=false >/dev/null
audit_mark
kubectl delete configmap c >/dev/null
ok "it is leaving when a part of it is deleted" wait_for 60 is_looked_at
is "$(made)" 0 "... that is not made again"
kubectl patch thing t --type=merge -p '{"metadata":{"finalizers":null}}' >/dev/null
ok "it goes" wait_for 60 there 0
is "$(made)" 0 "... for good"
is "$(<"$T/err")" "" "nothing was said"
done_testing
