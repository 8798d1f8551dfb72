#!/bin/bash
# The log of an operator: what it does and why, and nothing while there is
# nothing to do. doc/operating.md, "Logs", has such a log: its lines are compared.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=kapi.sh
. "${0%/*}/kapi.sh"
kapi_up
export KUBECONFIG=$T/kubeconfig
own_kubectl
kubectl apply -f pipeline/memcached/crd.yaml >"$T/out"
log=$T/kpipe.err
# A timer for each primary, so that it is evaluated without an event, too.
cp -r pipeline/memcached "$T/operator"
sed -i 's/^  program:/  reconcilePeriod: 1s\n&/' "$T/operator/watches.yaml"
OPERATOR_NAME=memcached start kpipe -f "$T/operator/watches.yaml" -n default \
	--metrics-bind-address=127.0.0.1:0 2>"$log"
kpipe=$!
logged() { # LINE, as it is behind the name of the primary
	grep -qE "^k[a-z]*: memcached.cache.example.com default/example: $1\$" "$log"
}
ok "it starts" wait_for 30 grep -qx 'kpipe: ready' "$log"
is "$(head -n 1 "$log" | sed 's/kpipe: [^ ]* ([^)]*)/kpipe: N (C)/')" \
	"kpipe: N (C) runs memcached for Memcached.cache.example.com in namespace default as instance memcached; dependents Deployment.apps, Pod" \
	"the first line: version, operator, kinds, namespace"
is "$(sed -n '1s/^kpipe: \([^ ]*\) (\(............\).*/\1 \2/p' "$log")" \
	"$(kpipe --version | sed -n '1s/.* //p; 2s/^commit \(.\{12\}\).*/\1/p' | xargs)" \
	"... of this build"

kubectl apply -f pipeline/memcached/example.yaml >"$T/out"
ok "an object is created" wait_for 30 logged \
	'created Deployment.apps default/example: after ADDED Memcached.cache.example.com default/example by kubectl-client-side-apply'
ok "a status that is new" wait_for 30 logged 'Ready False \(Progressing\)'
# Not before: of two statuses that wait only the newest is written.
for file in watches controllers; do
	start kpipe -f pipeline/playground/$file.yaml 2>>"$T/playground.log"
done
ok "... becomes another" wait_for 60 logged \
	'Ready False \(Progressing\) -> True \([A-Za-z]*\) after [0-9]*\.[0-9] s'
kubectl patch deployment example --field-manager=kubectl-scale --type=merge \
	-p '{"spec":{"replicas":7}}' >"$T/out"
ok "a repair: the field, its values, its manager" wait_for 30 logged \
	'configured Deployment.apps default/example: .spec.replicas 7, wanted 3; set by kubectl-scale'
kubectl patch memcached example --type=merge -p '{"spec":{"size":2}}' >"$T/out"
ok "a change of the spec: the field" wait_for 30 logged \
	'configured Deployment.apps default/example: .spec.replicas 3, wanted 2'
kubectl delete deployment example >"$T/out"
ok "an object that was deleted" wait_for 30 logged \
	'created Deployment.apps default/example: it was deleted'

# --- converged
address=$(sed -n 's/^kpipe-http: metrics at //p' "$log")
metrics() { curl -sS --max-time 20 "http://$address/metrics"; }
# count METRIC: the sum over its labels
count() {
	metrics | awk -v m="$1" '$1 == m || index($1, m "{") == 1 { n += $NF }
		END { print n + 0 }'
}
is_ready() {
	kubectl get memcached example -o json | jq -e '.metadata.generation as $n
		| .status.conditions[] | select(.type == "Ready")
		| .status == "True" and .observedGeneration == $n'
}
ok "ready again" wait_for 60 is_ready
ok "... and that is logged" wait_for 30 eval '[ "$(grep -c -e "-> True" "$log")" = \
	"$(grep -c -e "-> False" -e " Ready False (Progressing)\$" "$log")" ]'
evaluated() { # whether it was evaluated so often since then
	[ "$(count controller_runtime_reconcile_total)" -ge $((from + $1)) ]
}
# What was decided before it was ready may be on its way.
from=$(count controller_runtime_reconcile_total)
POLL=.3 wait_for 60 evaluated 3
from=$(count controller_runtime_reconcile_total)
cp "$log" "$T/before"
version=$(kubectl get memcached example -o jsonpath='{.metadata.resourceVersion}')
for i in 1 2 3; do
	kubectl patch deployment example --type=merge \
		-p '{"metadata":{"labels":{"touched":"n'$i'"}}}' >"$T/out"
done
POLL=.3 ok "evaluated again and again, with new events" wait_for 60 evaluated 6
same "$log" "$T/before" "... a converged operator logs nothing"
is "$(kubectl get memcached example -o jsonpath='{.metadata.resourceVersion}')" \
	"$version" "... and writes no status"

kubectl delete memcached example >"$T/out"
kill "$kpipe"
wait "$kpipe"

# --- the page
sed -n '/^## Logs/,/^## /{/^```/,/^```/{/^```/d;p}}' doc/operating.md >"$T/page"
plain() {
	sed -E -e 's/kpipe: [^ ]+ \([^)]*\)/kpipe: N (C)/' \
		-e 's/after [0-9.]+ s$/after N s/' -e 's/, *$//' "$@"
}
plain "$log" | sort -u >"$T/lines"
ok "the page has a log" test -s "$T/page"
is "$(plain "$T/page" | sort -u | comm -23 - "$T/lines")" "" \
	"... each line of it is in this one"
done_testing
