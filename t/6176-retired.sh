#!/bin/bash
# A finalizer that has another name now, end to end: the new one is set, the old
# one goes, and deletion does not hang. A primary without items gets none.
# servers: kapi real
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=cluster/lib.sh
. "${0%/*}/cluster/lib.sh"
# shellcheck source=sets.sh
. "${0%/*}/sets.sh"
cluster_start
things_start

cat >"$T/watches.yaml" <<'X'
- group: example.com
  version: v1
  kind: Thing
  program: reconcile.jq
  namespaces: [default]
  finalizer: example.com/new
  retiredFinalizers: [example.com/old]
  dependents:
  - {apiVersion: v1, kind: ConfigMap, manage: true, namespaces: []}
X
cat >"$T/reconcile.jq" <<'X'
include "operator";
def desired: [range(.primary.spec.n)
  | config_map("of-\(.)"; {}; {}) | in_namespace("far")];
def status: {n: .primary.spec.n};
X
finalizers_are() { # THING JSON
	[ "$(kubectl get thing "$1" -o json |
		jq -c '[.metadata.finalizers, .status.n != null]')" = "$2" ]
}
kubectl create namespace far >/dev/null
for n in 0 1; do
	thing "t$n" "{\"n\":$n}" >/dev/null
done
thing old '{"n":0}' >/dev/null
for name in t1 old; do
	kubectl patch thing "$name" --type=merge \
		-p '{"metadata":{"finalizers":["example.com/old"]}}' >/dev/null
done
start kpipe -f "$T/watches.yaml" 2>"$T/err"
ok "the new one instead of the old one" \
	wait_for 60 finalizers_are t1 '[["example.com/new"],true]'
ok "the old one goes where nothing is desired" \
	wait_for 60 finalizers_are old '[null,true]'
ok "a primary without items has none" \
	wait_for 60 finalizers_are t0 '[null,true]'
ok "its item is there" wait_for 60 kubectl get cm -n far of-0
kubectl delete thing t0 t1 old >/dev/null
is "$(kubectl get things -o json | jq '.items | length')" 0 \
	"all can be deleted"
is "$(kubectl get cm -n far -o json | jq '[.items[] | select(.metadata.name | startswith("of-"))] | length')" \
	0 "... and nothing is left"

done_testing
