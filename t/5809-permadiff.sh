#!/bin/bash
# A difference that the API server leaves: tolerated, told, and no drift waits
# behind it. An operator without a status, so that nothing but the object tells.
# servers: kapi real
. "${0%/*}/lib.sh"
. "${0%/*}/cluster/lib.sh"
. "${0%/*}/sets.sh"
cluster_start
things_start

cat >"$T/watches.yaml" <<'END'
- group: example.com
  version: v1
  kind: Thing
  program: program.jq
  dependents:
  - {apiVersion: apps/v1, kind: Deployment, manage: true}
END
# A false that the server drops, and maps that it drops.
cat >"$T/program.jq" <<'END'
include "operator";
def desired: [deployment(.primary.metadata.name; {app: "a"}; {replicas: 3,
	hostNetwork: .primary.spec.hostNetwork, nodeSelector: {},
	containers: [{name: "m", image: "i",
		resources: {limits: {}, requests: {}}}]})];
END
replicas() {
	api /apis/apps/v1/namespaces/default/deployments/"$1" |
		jq -e ".spec.replicas == $2"
}
repaired() { [ "$(grep -c 'spec.replicas 0, wanted 3' "$T/log")" = "$1" ]; }
start kpipe -f "$T/watches.yaml" 2>"$T/log"
wait_for 30 grep -q ready "$T/log"

# Empty maps are as good as none.
thing plain >/dev/null
thing a '{"hostNetwork": false}' >/dev/null
wait_for 30 replicas plain 3
wait_for 60 grep -q "is tolerated" "$T/log"
is "$(grep "is tolerated" "$T/log" | sed 's/^[^:]*: //; s/warning: //')" \
	"thing.example.com default/a: the difference stays after it was applied and is tolerated: Deployment.apps/default/a: .spec.template.spec.hostNetwork is nothing, wanted false" \
	"a false that the server drops is told, with object, path and values"
event() {
	api /api/v1/namespaces/default/events |
		jq -e '.items[] | select(.reason == "DifferenceStays")
			| .message | test("hostNetwork is nothing, wanted false")'
}
ok "... by an Event, too" wait_for 30 event

# Drift beside it.
change() { # DEPLOYMENT REPLICAS
	kubectl patch deployment "$1" -n default --type=merge \
		-p "{\"spec\":{\"replicas\":$2}}"
}
for n in 1 2; do
	ok "somebody changes the replicas" change a 0
	ok "... which are back" wait_for 30 replicas a 3
	wait_for 30 repaired "$n"
done
is "$(grep -c "is tolerated" "$T/log")" 1 "it is told once"
is "$(grep -c "configured Deployment.apps default/a" "$T/log")" 3 \
	"one apply finds out what stays, one repairs each drift"
is "$(grep -c "configured Deployment.apps default/plain" "$T/log")" 0 \
	"empty maps that the server drops equal absent ones"
done_testing
