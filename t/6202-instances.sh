#!/bin/bash
# Two instances of an operator: what one has made, the other leaves alone, with
# one key of marks or two. What operators without a name made gets the name, and
# no Pod is restarted for that. A former instance's objects are taken over.
# servers: kapi real
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=cluster/lib.sh
. "${0%/*}/cluster/lib.sh"
cluster_start

cat >"$T/watches.yaml" <<'END'
- group: example.com
  version: v1
  kind: Thing
  program: p.jq
  finalizer: example.com/f
  dependents:
  - {apiVersion: v1, kind: ConfigMap, manage: true, namespaces: []}
  - {apiVersion: apps/v1, kind: Deployment, manage: true}
- group: example.com
  version: v1
  kind: Plain
  program: p.jq
  dependents:
  - {apiVersion: v1, kind: ConfigMap, manage: true}
  - {apiVersion: apps/v1, kind: Deployment, manage: true}
END
cat >"$T/p.jq" <<'END'
def far: if .primary.kind == "Thing" then {namespace: "far"} else {} end;
def desired: .primary.metadata.name as $name | [
	{apiVersion: "v1", kind: "ConfigMap", metadata: ({name: $name} + far),
	 data: {k: .primary.spec.k}},
	{apiVersion: "apps/v1", kind: "Deployment", metadata: {name: $name},
	 spec: {replicas: 0, selector: {matchLabels: {app: $name}},
		template: {metadata: {labels: {app: $name}},
		spec: {containers: [{name: "c", image: "i"}]}}}}];
def status: {k: .owned.ConfigMap[0].data.k, error: .error};
END
crd() { # KIND PLURAL
	kubectl apply -f - >/dev/null <<-END
		apiVersion: apiextensions.k8s.io/v1
		kind: CustomResourceDefinition
		metadata: {name: $2.example.com}
		spec:
		  group: example.com
		  scope: Namespaced
		  names: {kind: $1, plural: $2}
		  versions:
		  - name: v1
		    served: true
		    storage: true
		    subresources: {status: {}}
		    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
	END
	wait_for 20 kubectl wait --for=condition=Established "crd/$2.example.com"
	wait_for 20 kubectl get "$2" -A
}
crd Thing things
crd Plain plains
kubectl create namespace far >/dev/null
# primary KIND NAME K
primary() {
	printf '{"apiVersion":"example.com/v1","kind":"%s","metadata":{"name":"%s","namespace":"default"},"spec":{"k":"%s"}}' "$@" |
		kubectl apply -f - >/dev/null
}
# instance NAME [OPTION]...: kpipe of that name; its pid in $pid, its log in
# $T/log.NAME. An empty NAME: without one.
instance() {
	local name=$1

	shift
	: >"$T/log.$name"
	OPERATOR_NAME=$name start kpipe -f "$T/watches.yaml" -n default "$@" \
		>"$T/out.$name" 2>"$T/log.$name"
	pid=$!
}
stop() { # PID
	kill "$1"
	wait "$1"
}
says() { # NAME TEXT
	grep -q -e "$2" "$T/log.$1"
}
shows() { # RESOURCE NAME K
	[ "$(kubectl get -n default "$1" "$2" -o jsonpath='{.status.k}')" = "$3" ]
}
# all: every object of both, with what PROGRAM prints of it
all() {
	kubectl get -A -o json configmaps,deployments.apps,things,plains |
		jq -c --arg of "$1" '.items[]
			| select(.metadata.name | test("^[abc]($|-)"))
			| [.kind, .metadata.namespace, .metadata.name, .metadata.uid,
				if $of == "version" then .metadata.resourceVersion else empty end,
				if $of == "spec" then .spec else empty end,
				if $of == "instance" then .metadata.annotations["kpipe.dev/instance"] else empty end]' | sort
}
is_gone() { # RESOURCE NAME [NAMESPACE]
	! kubectl get -n "${3:-default}" "$1" "$2"
}
members_name() { # NAME: but the Plains, which have no finalizer
	[ "$(all instance | jq -r 'select(.[0] != "Plain") | .[4]' | sort -u)" = "$1" ]
}

# ---- what an operator without a name made ----

primary Thing a 1
primary Plain b 1
instance ""
ok "an operator without a name works" wait_for 30 shows things a 1
ok "... on both kinds" wait_for 30 shows plains b 1
wait_for 30 kubectl get -n far configmap a
wait_for 30 kubectl get -n default deployment a b
ok "... names nothing" members_name null
stop "$pid"
all spec >"$T/before"
instance one
one=$pid
ok "another one with a name gives it to all" wait_for 30 members_name one
all spec >"$T/after"
same "$T/after" "$T/before" "... no object is another, no Pod is restarted"
is "$(grep -c 'in namespace default as instance one;' "$T/log.one")" 2 \
	"... it logs its name"

# ---- the other instance ----

for key in same other; do
	if [ $key = same ]; then
		options=()
	else
		printf '%064d\n' 7 >"$T/key"
		options=(--marks-key-file="$T/key")
	fi
	stop "$one"
	primary Thing a "$key"
	primary Plain b "$key"
	all version | grep -v '"c-' >"$T/before"
	instance "two-$key" "${options[@]}"
	two=$pid
	ok "the $key key: another instance leaves the Thing alone" wait_for 30 \
		says "two-$key" 'thing.example.com default/a: left alone: instance "one"'
	ok "... and the Plain" wait_for 30 \
		says "two-$key" 'plain.example.com default/b: left alone: instance "one"'
	# It does its own work meanwhile.
	primary Thing "c-$key" 1
	ok "... it works itself" wait_for 30 shows things "c-$key" 1
	wait_for 30 kubectl get -n default deployment "c-$key"
	all version | grep -v '"c-' >"$T/after"
	same "$T/after" "$T/before" "... and has written to none of these"
	all version | grep '"c-' >"$T/before"
	instance one
	one=$pid
	ok "... the first one goes on" wait_for 30 shows things a "$key"
	ok "... with both" wait_for 30 shows plains b "$key"
	ok "... and leaves the other's alone" wait_for 30 says one \
		"thing.example.com default/c-$key: left alone: instance \"two-$key\""
	all version | grep '"c-' >"$T/after"
	same "$T/after" "$T/before" "... wholly"
	stop "$two"
done
kubectl delete -n default thing c-same --wait=false >/dev/null
kubectl delete -n default thing a --wait=false >/dev/null
ok "a deletion is the business of its own" wait_for 30 is_gone thing a
ok "... of what it made, too" wait_for 30 is_gone configmap a far
is "$(kubectl get -n default things -o name | sort | tr '\n' ' ')" \
	"thing.example.com/c-other thing.example.com/c-same " \
	"... the other's deletion waits for the other"
stop "$one"

# ---- taking over ----

all spec | grep '"b"' >"$T/before"
instance three --take-over-instance=one --take-over-instance=two-same
three=$pid
ok "a third one that takes over finishes that deletion" wait_for 30 \
	is_gone thing c-same
b_is_named() {
	[ "$(all instance | grep '"b"' | jq -r 'select(.[0] != "Plain") | .[4]' | sort -u)" = three ]
}
ok "... names what is there" wait_for 30 b_is_named
all spec | grep '"b"' >"$T/after"
same "$T/after" "$T/before" "... which are the same objects, without a restart"
stop "$three"

done_testing
