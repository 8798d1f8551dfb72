#!/bin/bash
# `when`, end to end: which primaries are the operator's, and one that no longer
# is.
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
  finalizer: example.com/x
  when: .spec.class == "ours"
  dependents:
  - {apiVersion: v1, kind: ConfigMap, manage: true, namespaces: []}
X
cat >"$T/reconcile.jq" <<'X'
include "operator";
def desired: [config_map("of-\(.primary.metadata.name)"; {}; {}) | in_namespace("far")];
def status: {n: 1};
X
thing_is() { # THING JSON: its finalizers, and whether it has a status
	[ "$(kubectl get thing "$1" -o json |
		jq -c '[.metadata.finalizers, .status.n != null]')" = "$2" ]
}
gone() {
	! kubectl get "$@"
}
class() { # THING CLASS
	kubectl patch thing "$1" --type=merge \
		-p "{\"spec\":{\"class\":\"$2\"}}" >/dev/null
}
kubectl create namespace far >/dev/null
thing theirs '{"class":"theirs"}' >/dev/null
thing ours '{"class":"ours"}' >/dev/null
start kpipe -f "$T/watches.yaml" 2>"$T/err"
ok "one that is ours" wait_for 60 kubectl get cm -n far of-ours
ok "... with finalizer and status" \
	wait_for 60 thing_is ours '[["example.com/x"],true]'
class ours theirs
ok "it is not ours any more: its finalizer goes" \
	wait_for 60 thing_is ours '[null,true]'
ok "... after its object" gone cm -n far of-ours
ok "one that never was has nothing" thing_is theirs '[null,false]'
class theirs ours
ok "... until it is ours" \
	wait_for 60 thing_is theirs '[["example.com/x"],true]'
ok "... with its object" wait_for 60 kubectl get cm -n far of-theirs

done_testing
