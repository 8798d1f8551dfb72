#!/bin/bash
# While nothing happens, no process of an operator wakes up.
# servers: kapi real
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=cluster/lib.sh
. "${0%/*}/cluster/lib.sh"
# shellcheck source=http.sh
. "${0%/*}/http.sh"
# shellcheck source=processes.sh
. "${0%/*}/processes.sh"
cluster_start
memcacheds=/apis/cache.example.com/v1alpha1/namespaces/default/memcacheds

# wakes: how often each thread of the operator has slept
wakes() {
	# shellcheck disable=SC2046
	awk '$1 == "Name:" { name = $2 }
		$1 == "voluntary_ctxt_switches:" { print name, $2 }' \
		$(printf '/proc/%s/task/*/status ' $(below "$kpipe"))
}

settled() {
	[ "$(api "$memcacheds" |
		jq '[.items[] | select(.status)] | length')" -eq 20 ]
}

# applied: what /metrics says that kapply has created
applied() {
	get /metrics | sed -n 's/^kpipe_applied_total{result="created"} //p'
}

kubectl apply -f pipeline/memcached/crd.yaml >/dev/null
with_rights && kubectl create clusterrolebinding user1 --user=user1 \
	--clusterrole=cluster-admin >/dev/null
wait_for 20 api "$memcacheds" >/dev/null
for ((i = 0; i < 20; i++)); do
	echo "{\"apiVersion\":\"cache.example.com/v1alpha1\",\"kind\":\"Memcached\",\"metadata\":{\"name\":\"m$i\"},\"spec\":{\"size\":1}}"
done | kapply --kubeconfig "$KUBECONFIG" -o none
start kpipe -f pipeline/memcached/watches.yaml \
	--kubeconfig "$(config user1)" \
	--health-probe-bind-address=127.0.0.1:0 \
	--metrics-bind-address=127.0.0.1:0 2>"$T/log"
kpipe=$!
wait_for 30 grep -q 'metrics at' "$T/log"
metrics=$(sed -n 's/.*metrics at //p' "$T/log")
probes=$metrics
wait_for 60 settled
reported() {
	[ "$(applied)" = 20 ]
}
ok "without being asked the stages report what they have done" \
	wait_for 60 reported
# 16 s are three reports' time. A bookmark of the API server, once a minute, is a
# reason to wake up: then the time begins again.
ok "then no process of it wakes up in 16 s" rests 16 wakes
note "$(wakes | paste -sd ' ')"
ok "... though all live" [ "$(wakes | grep -c ' [1-9]')" -ge 7 ]
done_testing
