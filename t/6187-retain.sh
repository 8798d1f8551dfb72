#!/bin/bash
# The example of `retain` in doc/program.md as an operator: a claim outlives its
# primary, and the next one of that name has it again.
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
  dependents:
  - {apiVersion: v1, kind: ConfigMap, manage: true}
  - {apiVersion: v1, kind: PersistentVolumeClaim, manage: true, retain: true}
END
things_example retain
start kpipe -f "$T/watches.yaml" --health-probe-bind-address 127.0.0.1:0 \
	2>"$T/err"
pipeline=$!

# claim PATH: of the claim
claim() {
	kubectl get pvc t-data -o json | jq -c "$1"
}
claims() { # of the status of t
	[ "$(kubectl get thing t -o json | jq -c .status.claims)" = "$1" ]
}
gone() {
	kubectl get "$@" 2>&1 | grep -q NotFound
}
thing t '{"size":"1","storage":"1Gi"}' >/dev/null
ok "a claim" wait_for 60 claims '["t-data"]'
is "$(claim '[.metadata.ownerReferences, .metadata.annotations["kpipe.dev/retain"]]')" \
	'[null,"true"]' "... without an owner"
uid=$(claim .metadata.uid)
is "$(kubectl get thing t -o json | jq -c .metadata.finalizers)" null \
	"the primary needs no finalizer"

kubectl delete thing t >/dev/null
ok "the primary goes, and its ConfigMap" wait_for 60 gone configmap t
is "$(claim .metadata.uid)" "$uid" "the claim stays"
thing t '{"size":"2","storage":"1Gi"}' >/dev/null
ok "another primary of that name has it" wait_for 60 claims '["t-data"]'
is "$(claim .metadata.uid)" "$uid" "... the same claim"
is "$(claim '[.metadata.ownerReferences, .metadata.deletionTimestamp]')" \
	'[null,null]' "... still without an owner"

# What is not desired any more; after a restart, too.
kill "$pipeline"
wait "$pipeline"
cat >"$T/reconcile.jq" <<'END'
include "operator";
def desired: [config_map("other"; {}; {})];
def status: {claims: [.owned.PersistentVolumeClaim[].metadata.name]};
END
start kpipe -f "$T/watches.yaml" --health-probe-bind-address 127.0.0.1:0 \
	2>>"$T/err"
ok "a program that does not desire it" wait_for 60 kubectl get configmap other
ok "... what was a usual member is deleted" wait_for 60 gone configmap t
is "$(claim '[.metadata.uid, .metadata.deletionTimestamp]')" "[$uid,null]" \
	"... the claim is not"
ok "... and is owned" claims '["t-data"]'
is "$(grep -c 'PersistentVolumeClaim.*orphan' "$T/err")" 0 "no orphan is logged"
done_testing
