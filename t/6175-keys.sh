#!/bin/bash
# Keys of watches.yaml end to end, one after another: `map: {field: PATH}`,
# `when`, `retiredFinalizers`.
# servers: kapi real
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=cluster/lib.sh
. "${0%/*}/cluster/lib.sh"
# shellcheck source=sets.sh
. "${0%/*}/sets.sh"
cluster_start
things_start
for name in other far; do
	kubectl create namespace "$name" >/dev/null
done
# is_thing THING JSON: its finalizers, and whether it has a status
is_thing() {
	[ "$(kubectl get thing "$1" -o json |
		jq -c '[.metadata.finalizers, .status.n != null]')" = "$2" ]
}
change() { # THING SPEC
	kubectl patch thing "$1" --type=merge -p "{\"spec\":$2}" >/dev/null
}

# ---- related objects that a primary names in a field ----

things_watches 'namespaces: [default]' \
	'dependents: [{apiVersion: v1, kind: ConfigMap, manage: true}]' 'related:' \
	'- {apiVersion: v1, kind: Secret, map: {field: "spec.secrets[].name"}, fields: [metadata.labels]}' \
	'- {apiVersion: v1, kind: Service, map: {field: spec.service, namespace: other}}'
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
kubectl create -n other -f - >/dev/null <<'X'
{"apiVersion":"v1","kind":"Service","metadata":{"name":"web"},
 "spec":{"type":"ExternalName","externalName":"example.com"}}
X
for name in s1 s2; do
	kubectl create secret generic "$name" --from-literal=k=v >/dev/null
	label "$name" 1
done
thing a '{"secrets":[{"name":"s1"},{"name":"s3"}],"service":"web"}' >/dev/null
thing b '{"secrets":[{"name":"s2"}],"service":"none"}' >/dev/null
things_run
ok "each primary sees what it names" wait_for 60 data_is a s1=1 other/web
ok "... the other one too" wait_for 60 data_is b s2=1 ""
label s1 2
ok "a change reaches it" wait_for 60 data_is a s1=2 other/web
kubectl create secret generic s3 --from-literal=k=v >/dev/null
ok "... and an object that comes later" \
	wait_for 60 data_is a "s1=2 s3=null" other/web
change b '{"secrets":[{"name":"s3"}],"service":"web"}'
ok "other names in the primary" wait_for 60 data_is b s3=null other/web
kubectl delete secret s3 >/dev/null
ok "what is deleted is gone for both" wait_for 60 data_is b "" other/web
ok "... indeed" wait_for 60 data_is a s1=2 other/web
things_over

# ---- when: which primaries are the operator's, and one that no longer is ----

far='dependents: [{apiVersion: v1, kind: ConfigMap, manage: true, namespaces: []}]'
things_watches 'namespaces: [default]' 'finalizer: example.com/x' \
	'when: .spec.class == "ours"' "$far"
cat >"$T/reconcile.jq" <<'X'
include "operator";
def desired: [config_map("of-\(.primary.metadata.name)"; {}; {}) | in_namespace("far")];
def status: {n: 1};
X
thing theirs '{"class":"theirs"}' >/dev/null
thing ours '{"class":"ours"}' >/dev/null
things_run
ok "one that is ours" wait_for 60 kubectl get cm -n far of-ours
ok "... with finalizer and status" \
	wait_for 60 is_thing ours '[["example.com/x"],true]'
change ours '{"class":"theirs"}'
ok "it is not ours any more: its finalizer goes" \
	wait_for 60 is_thing ours '[null,true]'
ok "... after its object" absent cm -n far of-ours
ok "one that never was has nothing" is_thing theirs '[null,false]'
change theirs '{"class":"ours"}'
ok "... until it is ours" \
	wait_for 60 is_thing theirs '[["example.com/x"],true]'
ok "... with its object" wait_for 60 kubectl get cm -n far of-theirs
kubectl delete thing theirs --wait=false >/dev/null
wait_for 60 absent thing theirs
things_over

# ---- a finalizer that has another name now, and a primary without items ----

things_watches 'namespaces: [default]' 'finalizer: example.com/new' \
	'retiredFinalizers: [example.com/old]' "$far"
cat >"$T/reconcile.jq" <<'X'
include "operator";
def desired: [range(.primary.spec.n)
  | config_map("of-\(.)"; {}; {}) | in_namespace("far")];
def status: {n: .primary.spec.n};
X
for n in 0 1; do
	thing "t$n" "{\"n\":$n}" >/dev/null
done
thing old '{"n":0}' >/dev/null
for name in t1 old; do
	kubectl patch thing "$name" --type=merge \
		-p '{"metadata":{"finalizers":["example.com/old"]}}' >/dev/null
done
things_run
ok "the new one instead of the old one" \
	wait_for 60 is_thing t1 '[["example.com/new"],true]'
ok "the old one goes where nothing is desired" wait_for 60 is_thing old '[null,true]'
ok "a primary without items has none" wait_for 60 is_thing t0 '[null,true]'
ok "its item is there" wait_for 60 kubectl get cm -n far of-0
kubectl delete thing t0 t1 old >/dev/null
is "$(kubectl get things -o json | jq '.items | length')" 0 \
	"all can be deleted"
is "$(kubectl get cm -n far -o json | jq '[.items[] | select(.metadata.name | startswith("of-"))] | length')" \
	0 "... and nothing is left"
done_testing
