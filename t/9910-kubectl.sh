#!/bin/bash
# What kubectl says on kapi and on a real API server: t/parity/README.md.
# servers: real
# shellcheck source=t/lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=t/cluster/lib.sh
. "${0%/*}/cluster/lib.sh"

# As in 9900-parity.sh no other client writes.
CLUSTER_CONTROLLERS="namespace-controller,garbage-collector-controller"
CLUSTER_CONTROLLERS+=,serviceaccount-controller
CLUSTER_CONTROLLERS+=,root-ca-certificate-publisher-controller
export CLUSTER_CONTROLLERS
cluster_start
real=$(config admin)

kapi_start
t/parity/type "$KUBECONFIG" t/parity/*.txt >"$T/kapi.jsonl" &
typed=$!
t/parity/type "$real" t/parity/*.txt >"$T/real.jsonl" ||
	echo "Bail out! the real server was not asked everything"
wait "$typed"
finished=yes
CLUSTER=${real%/*}
t/parity/compare "$T/real.jsonl" "$T/kapi.jsonl" doc/kapi.md
