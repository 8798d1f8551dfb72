#!/bin/bash
# The same exchanges with kapi and with a real API server: t/parity/README.md.
# shellcheck source=t/lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=t/cluster/lib.sh
. "${0%/*}/cluster/lib.sh"

# Nobody else writes: only what kapi does itself runs there, too.
export CLUSTER_CONTROLLERS=namespace-controller,garbage-collector-controller
cluster_start

start kapi --kubeconfig-out "$T/kapi.kubeconfig"
if ! wait_for 30 test -s "$T/kapi.kubeconfig"; then
	ok "kapi starts" false
	done_testing
	exit
fi
t/parity/play "$T/kapi.kubeconfig" t/parity/*.http >"$T/kapi.jsonl" &
played=$!
t/parity/play "$(config admin)" t/parity/*.http >"$T/real.jsonl" ||
	echo "Bail out! the real server was not asked everything"
wait "$played"
finished=yes
t/parity/compare "$T/real.jsonl" "$T/kapi.jsonl" doc/kapi.md
