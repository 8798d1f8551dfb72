#!/bin/bash
# An operator is ready, and then cannot watch or write a kind any more: its
# rights are taken away, a conversion webhook or the kind is removed. It says so
# in /readyz, goes on with the rest, keeps what it has observed, and recovers.
# servers: kapi real: a conversion webhook
# check-all: long faults
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=cluster/lib.sh
. "${0%/*}/cluster/lib.sh"
export KAPI_OPTIONS=--authorization-mode=RBAC
cluster_start

# crd CONVERSION: things.example.com in two versions; v1 is stored
crd() {
	kubectl apply -f - >/dev/null <<-END
		apiVersion: apiextensions.k8s.io/v1
		kind: CustomResourceDefinition
		metadata: {name: things.example.com}
		spec:
		  group: example.com
		  names: {kind: Thing, plural: things}
		  scope: Namespaced
		  conversion: $1
		  versions:
		  - name: v1
		    served: true
		    storage: true
		    subresources: {status: {}}
		    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
		  - name: v2
		    served: true
		    storage: false
		    subresources: {status: {}}
		    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
	END
}
none='{strategy: None}'
dead='{strategy: Webhook, webhook: {conversionReviewVersions: [v1], clientConfig: {url: "https://127.0.0.1:9/convert"}}}'

# thing X: as v1, so that no conversion is needed to write it
thing() {
	printf '{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"t","namespace":"default"},"spec":{"x":"%s"}}' \
		"$1" | kubectl apply -f - >/dev/null
}

# The ConfigMap holds what the operator has observed: the thing's x, and all
# Secrets.
cat >"$T/w.yaml" <<'END'
- group: example.com
  version: v2
  kind: Thing
  program: p.jq
  namespaces: [default]
  dependents:
  - {apiVersion: v1, kind: ConfigMap, manage: true}
  related:
  - {apiVersion: v1, kind: Secret, fields: [metadata.labels]}
END
cat >"$T/p.jq" <<'END'
def desired: [{apiVersion: "v1", kind: "ConfigMap", metadata: {name: "seen"},
    data: {x: .primary.spec.x,
        secrets: ([.related.Secret[].metadata.name] | join(" "))}}];
END
seen_is() {
	[ "$(api /api/v1/namespaces/default/configmaps/seen |
		jq -r '.data | "\(.x): \(.secrets)"')" = "$1" ]
}
sees() {
	wait_for 40 seen_is "$1" || {
		quote <"$T/kpipe.log"
		return 1
	}
}

address=127.0.0.1:$(python3 -c 'import socket
s = socket.socket()
s.bind(("127.0.0.1", 0))
print(s.getsockname()[1])')
# readyz STAGE: the stage's line
readyz() {
	curl -s -m 10 "http://$address/readyz" | grep "$1"
}
is_ready() {
	[ "$(curl -s -m 10 -o /dev/null -w '%{http_code}' \
		"http://$address/readyz")" = 200 ]
}
says() { # STAGE TEXT
	readyz "$1" | grep -qF -- "[-]$1 failed: $2"
}
not_ready() { # TEXT [STAGE]
	wait_for 60 says "${2:-kwatch}" "$1" || {
		readyz "${2:-kwatch}" | quote
		return 1
	}
}

# may VERB...: what the operator may do to the ConfigMaps of its Things
may() {
	kubectl apply -f - >/dev/null <<END
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: operator, namespace: default}
rules:
- {apiGroups: [example.com], resources: [things], verbs: [get, list, watch, patch]}
- {apiGroups: [""], resources: [configmaps], verbs: [$1]}
- {apiGroups: [events.k8s.io], resources: [events], verbs: [create, patch]}
END
}

crd "$none"
may "get, list, watch, create, patch, delete"
kubectl create rolebinding -n default operator --role=operator --user=user1 \
	>/dev/null
kubectl create role -n default secrets --verb=list,watch \
	--resource=secrets >/dev/null
kubectl create rolebinding -n default secrets --role=secrets --user=user1 \
	>/dev/null
kubectl create secret generic -n default one >/dev/null
kubectl create secret generic -n default two >/dev/null
wait_for 20 kubectl wait --for=condition=established crd/things.example.com
wait_for 10 thing 1
start kpipe -f "$T/w.yaml" --kubeconfig "$(config user1)" \
	--health-probe-bind-address "$address" 2>"$T/kpipe.log"
ok "it works" sees "1: one two"
ok "... and is ready" wait_for 10 is_ready

# A running watch does not end with its rights: a new watch must begin.
kubectl delete rolebinding -n default secrets >/dev/null
server_down
server_up
forbidden='secrets in namespace default: secrets is forbidden: User "user1" cannot watch resource "secrets" in API group "" in the namespace "default"'
ok "rights are taken away: not ready, and it says why" \
	not_ready "Secret: cannot watch $forbidden"
kubectl delete secret -n default one >/dev/null
thing 2
ok "... other kinds go on, and what was seen is kept" sees "2: one two"
is "$(grep -c 'error: cannot watch' "$T/kpipe.log")" 1 "... it is logged once"
kubectl create rolebinding -n default secrets --role=secrets --user=user1 \
	>/dev/null
ok "rights are given back: ready" wait_for 40 is_ready
ok "... and what was missed is seen" sees "2: two"

can_not_patch() {
	[ "$(kubectl auth can-i patch configmaps --as=user1 -n default)" = no ]
}
may "get, list, watch"
wait_for 10 can_not_patch
thing 3
ok "a right to write is taken away: not ready, and it says why" \
	not_ready 'ConfigMap: User "user1" cannot patch resource "configmaps" in API group "" in the namespace "default"' kapply
may "get, list, watch, create, patch, delete"
ok "... given back: it is written" sees "3: two"
ok "... and ready" wait_for 10 is_ready

# A conversion webhook without a server: the kind's watches fail. (kapi asks no
# webhooks.)
if [ "$SERVER" = real ]; then
	crd "$dead"
	ok "a conversion webhook is gone: not ready" \
		not_ready "Thing.example.com: cannot watch things.example.com in namespace default: "
fi
kubectl delete secret -n default two >/dev/null
ok "... what was seen is kept, other kinds go on" sees "3: "
crd "$none"
thing 4
ok "... and when it is back all is" sees "4: "
ok "... and ready" wait_for 40 is_ready

kubectl delete crd things.example.com >/dev/null
ok "the kind is gone: not ready" \
	not_ready "Thing.example.com: the server has no Thing in example.com/v2"
crd "$none"
ok "... until it is back" wait_for 40 is_ready
done_testing
