#!/bin/bash
# Related objects that a primary names in a field, end to end: `map: {field:
# PATH}`.
# servers: kapi real
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=cluster/lib.sh
. "${0%/*}/cluster/lib.sh"
# shellcheck source=sets.sh
. "${0%/*}/sets.sh"
cluster_start
things_start

cat >"$T/watches.yaml" <<'X'
- group: example.com
  version: v1
  kind: Thing
  program: reconcile.jq
  namespaces: [default]
  dependents:
  - {apiVersion: v1, kind: ConfigMap, manage: true}
  related:
  - {apiVersion: v1, kind: Secret, map: {field: "spec.secrets[].name"}, fields: [metadata.labels]}
  - {apiVersion: v1, kind: Service, map: {field: spec.service, namespace: other}}
X
cat >"$T/reconcile.jq" <<'X'
include "operator";
def desired: [config_map("of-\(.primary.metadata.name)"; {};
  {secrets: [.related.Secret[].metadata | "\(.name)=\(.labels.v)"] | join(" "),
   services: [.related.Service[].metadata | "\(.namespace)/\(.name)"] | join(" ")})];
X
data_is() { # THING SECRETS SERVICES
	[ "$(kubectl get cm "of-$1" -o json |
		jq -r '.data | "\(.secrets)|\(.services)"')" = "$2|$3" ]
}
label() {
	kubectl label secret "$1" --overwrite "v=$2" >/dev/null
}
kubectl create namespace other >/dev/null
kubectl create -n other -f - >/dev/null <<'X'
{"apiVersion":"v1","kind":"Service","metadata":{"name":"web"},
 "spec":{"type":"ExternalName","externalName":"example.com"}}
X
for name in s1 s2; do
	kubectl create secret generic "$name" --from-literal=k=v >/dev/null
	label "$name" 1
done
thing a '{"secrets":[{"name":"s1"},{"name":"s3"}],"service":"web"}' >"$T/a"
thing b '{"secrets":[{"name":"s2"}],"service":"none"}' >"$T/b"
start kpipe -f "$T/watches.yaml" 2>"$T/err"
ok "each primary sees what it names" wait_for 60 data_is a s1=1 other/web
ok "... the other one too" wait_for 60 data_is b s2=1 ""
label s1 2
ok "a change reaches it" wait_for 60 data_is a s1=2 other/web
kubectl create secret generic s3 --from-literal=k=v >/dev/null
ok "... and an object that comes later" \
	wait_for 60 data_is a "s1=2 s3=null" other/web
kubectl patch thing b --type=merge \
	-p '{"spec":{"secrets":[{"name":"s3"}],"service":"web"}}' >/dev/null
ok "other names in the primary" wait_for 60 data_is b s3=null other/web
kubectl delete secret s3 >/dev/null
ok "what is deleted is gone for both" wait_for 60 data_is b "" other/web
ok "... indeed" wait_for 60 data_is a s1=2 other/web

done_testing
