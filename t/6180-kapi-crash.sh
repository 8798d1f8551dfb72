#!/bin/bash
# A tenant's object that crashes libjq: the status of that primary says so, and
# the same process reconciles later objects of others.
# servers: kapi
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=cluster/lib.sh
. "${0%/*}/cluster/lib.sh"
# shellcheck source=sets.sh
. "${0%/*}/sets.sh"
cluster_start
things_start
things_watches
cat >"$T/reconcile.jq" <<'X'
include "operator";
def expires: (.primary.metadata.creationTimestamp | fromdate)
	+ (.primary.spec.ttl // 3600);
def desired: .primary.spec.n as $n | [config_map(.primary.metadata.name; {};
	{expires: (expires | rfc3339),
	 n: ([] | .[$n] = 1 | length | tostring)})];
def status: {error: .error};
X
thing first '{"n":0}' >/dev/null
start kpipe -f "$T/watches.yaml" 2>"$T/err"
operator=$!
there() { kubectl get cm "$1" >/dev/null 2>&1; }
ok "what a good object asks for is there" wait_for 20 there first
pids() { pgrep -P "$operator" -x ireconcile; }
before=$(pids)
thing ttl '{"ttl":100000000000000000,"n":0}' >/dev/null
thing index '{"n":2147483647}' >/dev/null
thing large '{"n":1431655765}' >/dev/null
thing nan '{"n":1e300}' >/dev/null
failed() {
	[ -n "$(kubectl get thing "$1" -o jsonpath='{.status.error}')" ] ||
		there "$1"
}
for name in ttl index large nan; do
	ok "$name: has a value or says why not" wait_for 20 failed "$name"
done
thing victim '{"n":0}' >/dev/null
ok "what others ask for afterwards is made" wait_for 20 there victim
is "$(pids)" "$before" "... by the same process"
is "$(grep -c 'ended\|killed' "$T/err")" 0 "... nothing was started again"
note "$(kubectl get things -o json | jq -c '[.items[] | {(.metadata.name): .status.error}] | add')"

done_testing
