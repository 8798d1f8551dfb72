#!/bin/bash
# A password of `random` stays the same when its Secret is lost and the operator
# is another process: kpipe keeps the key.
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
  random: true
  dependents: [{apiVersion: v1, kind: Secret, manage: true}]
END
things_example random
run() {
	start kpipe -f "$T/watches.yaml" \
		--health-probe-bind-address 127.0.0.1:0 2>"$T/err"
	operator=$!
}
# password: of the only Secret of the Thing
password() {
	kubectl get secrets -o json | jq -er '[.items[]
		| select(.metadata.name | startswith("t-"))][0].data.password // empty'
}
thing t '{"version":1}' >/dev/null
run
ok "a password" wait_for 60 password
first=$(password | base64 -d)
is "${#first}" 22 "... of 22 characters"
kill "$operator"
wait "$operator"
name=$(kubectl get secrets -o json | jq -r '.items[].metadata.name
	| select(startswith("t-"))')
kubectl delete secret "$name" >/dev/null
is "$(password)" "" "the Secret is deleted while no operator runs"
run
ok "another process makes one" wait_for 60 password
is "$(password | base64 -d)" "$first" "... with the same password"
done_testing
