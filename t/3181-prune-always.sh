#!/bin/bash
# prune: always: what is no longer desired is deleted although another item
# failed; without it, it stays.
# servers: kapi real
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=cluster/lib.sh
. "${0%/*}/cluster/lib.sh"
cluster_start
# shellcheck source=sets.sh
. "${0%/*}/sets.sh"
things_start
thing t >/dev/null

# member NAME: a ConfigMap of t
member() {
	set_line "$(cm "$1" 1)" >"$T/in"
	kapply_line -o none || note "cannot create $1"
}
# delete NAME [ALWAYS]: its element of `delete`
delete() {
	jq -cn --arg name "$1" --arg uid "$(uid cm "$1")" \
		--argjson always "${2:-null}" '{apiVersion: "v1",
		kind: "ConfigMap", namespace: "default", $name, $uid} +
		if $always then {$always} else {} end'
}
names() {
	kubectl get cm -o name | sed -n 's,configmap/,,; /^[a-z]$/p' | tr '\n' ' '
}
results() {
	jq -r '"\(.metadata.name) \(.result)"' "$T/out"
}

# --- kapply
member a
member b
kubectl create configmap x >/dev/null # not ours
set_line "$(jq -c -n '[inputs[]]' <<<"$(cm x 1)$(cm c 1)")" \
	"{\"delete\":[$(delete a true),$(delete b)]}" >"$T/in"
runs 1 "a set with an item that is blocked" kapply_line -o result
is "$(results)" "c created
a deleted
x failed" "... what is always deleted goes, behind the items; the rest stays"
is "$(names)" "b c x " "... in the cluster, too"
kubectl delete configmap x >/dev/null
set_line "$(cm x 1)" "{\"delete\":[$(delete b),$(delete c true)]}" >"$T/in"
runs 0 "without the obstacle" kapply_line -o result
is "$(results | sort)" "b deleted
c deleted
x created" "... all is done"

# A delete that fails does not keep later items waiting.
kubectl create configmap y >/dev/null # not ours
service=$(jq -cn '[{apiVersion: "v1", kind: "Service", metadata: {name: "z",
	namespace: "default"}, spec: {ports: [{port: 80}]}}]')
set_line "$service" \
	"{\"delete\":[$(delete y true)],\"refused\":[{\"item\":\"ConfigMap/default/n\",\"message\":\"no\"}]}" >"$T/in"
runs 1 "a delete that fails, after a refused item" kapply_line -o result
is "$(results | sort)" "n failed
y failed" "... which stops the next phase, as ever"
set_line "$service" "{\"delete\":[$(delete y true)]}" >"$T/in"
runs 1 "a delete that fails alone" kapply_line -o result
is "$(results | sort)" "y failed
z created" "... keeps nothing waiting"

# --- an operator that copies a Secret: its copy goes, the ConfigMap's stays
for ns in n1 n2 n4; do
	kubectl create namespace "$ns" >/dev/null
done
kubectl create configmap ca -n n4 >/dev/null # not ours
things_watches 'finalizer: example.com/copies' 'dependents:' \
	'- {apiVersion: v1, kind: Secret, namespaces: [], manage: true, prune: always}' \
	'- {apiVersion: v1, kind: ConfigMap, namespaces: [], manage: true}'
cat >"$T/reconcile.jq" <<'END'
def copy($kind): {apiVersion: "v1", kind: $kind,
    metadata: {namespace: ., name: "ca"}};
def desired: .primary.spec |
    [(.namespaces // [])[] | copy("Secret", "ConfigMap")];
def status: {failed: (.error != null)};
END
copies() {
	kubectl get secrets,configmaps -A -o json | jq -r '.items[] |
		select(.metadata.name == "ca") | "\(.metadata.namespace) \(.kind)"' |
		sort
}
have() {
	[ "$(copies)" = "$1" ]
}
wants() {
	kubectl patch thing t --type=merge \
		-p "{\"spec\":{\"namespaces\":$1}}" >/dev/null
}
wants '["n1","n2"]'
things_run
ok "an operator copies" wait_for 60 have "n1 ConfigMap
n1 Secret
n2 ConfigMap
n2 Secret
n4 ConfigMap"
wants '["n1","n4"]'
ok "a namespace less, and an object that blocks another: the Secret goes" \
	wait_for 60 have "n1 ConfigMap
n1 Secret
n2 ConfigMap
n4 ConfigMap
n4 Secret"
failed() {
	[ "$(kubectl get thing t -o jsonpath='{.status.failed}')" = true ]
}
ok "... the status says that something failed" wait_for 60 failed
ok "... the ConfigMap has stayed" have "n1 ConfigMap
n1 Secret
n2 ConfigMap
n4 ConfigMap
n4 Secret"
kubectl delete configmap ca -n n4 >/dev/null
ok "without the obstacle it goes as well" wait_for 120 have "n1 ConfigMap
n1 Secret
n4 ConfigMap
n4 Secret"
done_testing
