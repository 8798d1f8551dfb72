#!/bin/bash
# The same exchanges with kapi and with a real API server: t/parity/README.md.
# shellcheck source=t/lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=t/cluster/lib.sh
. "${0%/*}/cluster/lib.sh"

# Nobody else writes: only what kapi does itself runs there, too.
CLUSTER_CONTROLLERS="namespace-controller,garbage-collector-controller"
CLUSTER_CONTROLLERS+=,serviceaccount-controller
CLUSTER_CONTROLLERS+=,root-ca-certificate-publisher-controller
export CLUSTER_CONTROLLERS
cluster_start
real=$(config admin)

kapi_start
t/parity/play "$KUBECONFIG" t/parity/*.http >"$T/kapi.jsonl" &
played=$!
t/parity/play "$real" t/parity/*.http >"$T/real.jsonl" ||
	echo "Bail out! the real server was not asked everything"
wait "$played"
finished=yes
CLUSTER=${real%/*}
t/parity/compare "$T/real.jsonl" "$T/kapi.jsonl" doc/kapi.md
