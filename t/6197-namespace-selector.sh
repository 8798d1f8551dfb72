#!/bin/bash
# An operator of namespaces by label, with rights in each of them alone: they
# come, go, are deleted, and one lacks a right.
# servers: kapi real: its own deletion of namespaces
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=cluster/lib.sh
. "${0%/*}/cluster/lib.sh"
# shellcheck source=sets.sh
. "${0%/*}/sets.sh"
export KAPI_OPTIONS=--authorization-mode=RBAC
cluster_start
things_start
things_watches 'namespaceSelector: {matchLabels: {team: a}}' \
	'dependents: [{apiVersion: v1, kind: ConfigMap, manage: true}]'
cat >"$T/reconcile.jq" <<'END'
def desired: [{apiVersion: "v1", kind: "ConfigMap",
    metadata: {name: .primary.metadata.name}, data: {k: "v"}}];
def status: {done: (.outstanding == [] and .error == null)};
END

kubectl create clusterrole namespaces --verb=list,watch \
	--resource=namespaces >/dev/null
kubectl create clusterrolebinding namespaces --clusterrole=namespaces \
	--user=user1 >/dev/null
kubectl apply -f - >/dev/null <<'END'
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: there}
rules:
- {apiGroups: [example.com], resources: [things, things/status], verbs: [get, list, watch, patch]}
- {apiGroups: [""], resources: [configmaps], verbs: [get, list, watch, create, patch, delete]}
- {apiGroups: [events.k8s.io], resources: [events], verbs: [create, patch]}
END
# room NAME [LABEL]: a namespace with a Thing of its name
room() {
	kubectl create namespace "$1" >/dev/null
	[ $# -lt 2 ] || kubectl label namespace "$1" "team=$2" >/dev/null
	kubectl create -f - >/dev/null <<-END
	{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"t","namespace":"$1"},"spec":{}}
	END
}
allow() {
	kubectl create rolebinding there -n "$1" --clusterrole=there \
		--user=user1 >/dev/null
}
made() { kubectl get configmap -n "$1" "${2:-t}"; }
log_has() { grep -qF -- "$1" "$T/err"; }
address=127.0.0.1:$(python3 -c 'import socket
s = socket.socket()
s.bind(("127.0.0.1", 0))
print(s.getsockname()[1])')
ready() {
	[ "$(curl -s -m 10 -o /dev/null -w '%{http_code}' \
		"http://$address/readyz")" = 200 ]
}

room a a
room b a
room c
allow a
allow b
allow c
ok "the rights are known" wait_for 20 has_right user1 watch things -n b
ok "... all" wait_for 20 has_right user1 watch namespaces
things_run --kubeconfig "$(config user1)" --record "$T/record" \
	--health-probe-bind-address "$address"
ok "a namespace with the label" wait_for 30 made a
ok "... and another" wait_for 30 made b
ok "... it is ready" wait_for 30 ready
ok "... one without the label is not served" absent configmap -n c t

kubectl label namespace c team=a >/dev/null
ok "it gets the label" wait_for 30 made c
room d a
ok "a namespace without rights" wait_for 30 log_has \
	"nothing is decided in namespace d until"
ok "... is not served" absent configmap -n d t
ok "... and it is ready all the same" ready
kubectl delete configmap -n a t >/dev/null
ok "... the others go on" wait_for 30 made a
allow d
ok "... until there are rights" wait_for 60 made d

kubectl label namespace b team- >/dev/null
ok "one loses the label" wait_for 30 log_has \
	"namespace b is not selected any more"
kubectl delete configmap -n b t >/dev/null
kubectl delete configmap -n a t >/dev/null
ok "... others are repaired" wait_for 30 made a
ok "... it is not" absent configmap -n b t
kubectl label namespace b team=a >/dev/null
ok "... until it has the label again" wait_for 30 made b

kubectl delete namespace c --wait=false >/dev/null
gone() { absent namespace c; }
[ "$SERVER" != real ] || controllers
ok "a namespace is deleted" wait_for 120 gone
kubectl delete configmap -n a t >/dev/null
ok "... the others go on" wait_for 30 made a
ok "it ends" things_stop
# In a namespace that is being deleted nothing can be created again.
is "$(grep 'error: ' "$T/err" | grep -v -e 'in namespace d' -e 'c/t')" "" \
	"no error but for the missing rights"

# What was recorded is decided again as it was.
krecord cat "$T/record" | ireconcile -f "$T/watches.yaml" --clock=input \
	>"$T/again" 2>"$T/again.err"
is "$(jq -r 'select(.items != []) | .reconcile.primary.namespace' "$T/again" |
	sort -u | xargs)" "a b c d" "the recording has all that was decided"
done_testing
