#!/bin/bash
# The same exchanges with kapi and with a real API server: t/parity/README.md.
# servers: real
# shellcheck source=t/lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=t/cluster/lib.sh
. "${0%/*}/cluster/lib.sh"

# No other client writes: of the real controllers only those run that kapi has,
# too, and that of Endpoints: without their Endpoints Services have no proxy.
CLUSTER_CONTROLLERS="namespace-controller,garbage-collector-controller"
CLUSTER_CONTROLLERS+=,serviceaccount-controller
CLUSTER_CONTROLLERS+=,root-ca-certificate-publisher-controller
CLUSTER_CONTROLLERS+=,clusterrole-aggregation-controller
CLUSTER_CONTROLLERS+=,service-cidr-controller
CLUSTER_CONTROLLERS+=,endpoints-controller
export CLUSTER_CONTROLLERS
pages="--cors-allowed-origins=//app[.]example(:|$)"
cluster_start -- "$pages"
real=$(config admin)

export KAPI_OPTIONS="--authorization-mode=RBAC $pages"
kapi_start
# play CONFIG NAME: three scenarios at a time; most of it is waiting for watches
play() {
	mkdir "$T/$2.parts"
	printf '%s\n' t/parity/*.http | xargs -P 3 -I FILE sh -c \
		't/parity/play "$1" "$2" >"$3/${2##*/}.jsonl"' - "$1" FILE \
		"$T/$2.parts" &&
		cat "$T/$2.parts"/*.jsonl >"$T/$2.jsonl"
}
play "$KUBECONFIG" kapi &
played=$!
play "$real" real || echo "Bail out! the real server was not asked everything"
wait "$played"
finished=yes
CLUSTER=${real%/*}
t/parity/compare "$T/real.jsonl" "$T/kapi.jsonl" doc/kapi.md
