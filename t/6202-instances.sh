#!/bin/bash
# Two instances of an operator: what one has made, the other leaves alone, with
# one key of marks or two. What operators without a name made gets the name, and
# no Pod is restarted for that. A former instance's objects are taken over. Two
# operators of one kind each have their finalizer, and their claim with it.
# servers: kapi real
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=cluster/lib.sh
. "${0%/*}/cluster/lib.sh"
# shellcheck source=sets.sh
. "${0%/*}/sets.sh"
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
  related:
  - {apiVersion: v1, kind: Service, namespaces: [far], patch: true}
- group: example.com
  version: v1
  kind: Plain
  program: p.jq
  dependents:
  - {apiVersion: v1, kind: ConfigMap, manage: true}
  - {apiVersion: apps/v1, kind: Deployment, manage: true}
END
cat >"$T/p.jq" <<'END'
include "operator";
def far: if .primary.kind == "Thing" then {namespace: "far"} else {} end;
def desired: .primary.metadata.name as $name | [
	{apiVersion: "v1", kind: "ConfigMap", metadata: ({name: $name} + far),
	 data: {k: .primary.spec.k}},
	{apiVersion: "apps/v1", kind: "Deployment", metadata: {name: $name},
	 spec: {replicas: 1, selector: {matchLabels: {app: $name}},
		template: {metadata: {labels: {app: $name}},
		spec: {containers: [{name: "c", image: "i"}]}}}},
	(select(.primary.kind == "Thing") | patch_only({apiVersion: "v1",
		kind: "Service", metadata: {name: "shared", namespace: "far",
		labels: {"k-\($name)": .primary.spec.k}}}))];
def status: {k: .owned.ConfigMap[0].data.k, error: .error};
END
kind_start Thing Namespaced
kind_start Plain Namespaced
kubectl create namespace far >/dev/null
kubectl apply -f - >/dev/null <<'END'
{apiVersion: v1, kind: Service, metadata: {name: shared, namespace: far}, spec: {ports: [{port: 80}]}}
END
# holds FIELDS: those that Things hold of it
holds() {
	[ "$(kubectl get -n far service shared -o json | jq -Sc '.metadata.labels
		// {} | with_entries(select(.key | startswith("k-")))')" = "$1" ]
}
# primary KIND NAME K
primary() {
	printf '{"apiVersion":"example.com/v1","kind":"%s","metadata":{"name":"%s","namespace":"default"},"spec":{"k":"%s"}}' "$@" |
		kubectl apply -f - >/dev/null
}
# instance NAME [OPTION]...: kpipe of that name, until stop NAME; its log is
# $T/log.NAME. An empty NAME: without one. WATCHES: another file
declare -A pids
instance() {
	local name=$1

	shift
	: >"$T/log.$name"
	OPERATOR_NAME=$name start kpipe -f "${WATCHES:-$T/watches.yaml}" \
		-n default "$@" \
		>"$T/out.$name" 2>"$T/log.$name"
	pids[.$name]=$!
}
stop() {
	kill "${pids[.$1]}"
	wait "${pids[.$1]}"
}
says() { # NAME TEXT
	grep -q -e "$2" "$T/log.$1"
}
shows() { # RESOURCE NAME K
	kubectl wait -n default "$1/$2" --timeout=60s --for=jsonpath='{.status.k}'="$3"
}
claim=$(claim_of example.com/f)
# all PROGRAM: every object of both, with what that prints of it. Controllers
# make ReplicaSets and Pods, on the real server.
all() {
	kubectl get -A -o json \
		configmaps,deployments.apps,replicasets.apps,pods,things,plains |
		jq -c --arg of "$1" --arg claim "$claim" '.items[]
			| (.kind | IN("ReplicaSet", "Pod")) as $made
			| select(.metadata.name | test("^[abc]($|-)"))
			| select($of == "spec" or ($made | not))
			| [.kind, .metadata.namespace, .metadata.name, .metadata.uid,
				if $of == "version" then .metadata.resourceVersion else empty end,
				if $of == "spec" then .spec else empty end,
				if $of == "instance" then .metadata.annotations
					| .["kpipe.dev/instance"] // .[$claim] else empty end]' |
		sort
}
same_specs() { # WHAT: as those in $T/before
	all spec >"$T/after"
	same "$T/after" "$T/before" "$1"
}
has_pods() { # COUNT
	[ "$SERVER" != real ] ||
		[ "$(kubectl get pods -n default -o name | wc -l)" = "$1" ]
}
is_gone() { # RESOURCE NAME [NAMESPACE]
	! kubectl get -n "${3:-default}" "$1" "$2"
}
deleted() { # RESOURCE NAME [NAMESPACE]: it is gone in the end
	kubectl wait -n "${3:-default}" "$1/$2" --timeout=60s --for=delete
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
ok "... and holds fields of what is not its own" wait_for 30 holds '{"k-a":"1"}'
wait_for 30 has_pods 2
ok "... names nothing" members_name null
stop ""
all spec >"$T/before"
instance one
ok "another one with a name gives it to all" wait_for 30 members_name one
same_specs "... no object is another, no Pod is restarted"
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
	stop one
	primary Thing a "$key"
	primary Plain b "$key"
	all version | grep -v '"c-' >"$T/before"
	instance "two-$key" "${options[@]}"
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
	ok "... the first one goes on" wait_for 30 shows things a "$key"
	ok "... with both" wait_for 30 shows plains b "$key"
	others="${others:-}${others:+,}\"k-c-$key\":\"1\""
	ok "... and each holds its fields" wait_for 30 \
		holds "$(echo "{\"k-a\":\"$key\",$others}" | jq -Sc .)"
	ok "... and leaves the other's alone" wait_for 30 says one \
		"thing.example.com default/c-$key: left alone: instance \"two-$key\""
	all version | grep '"c-' >"$T/after"
	same "$T/after" "$T/before" "... wholly"
	stop "two-$key"
done
kubectl delete -n default thing c-same --wait=false >/dev/null
kubectl delete -n default thing a --wait=false >/dev/null
ok "a deletion is the business of its own" wait_for 30 deleted thing a
ok "... of what it made, too" wait_for 30 deleted configmap a far
ok "... and the fields that it held" wait_for 30 \
	holds '{"k-c-other":"1","k-c-same":"1"}'
is "$(kubectl get -n default things -o name | sort | tr '\n' ' ')" \
	"thing.example.com/c-other thing.example.com/c-same " \
	"... the other's deletion waits for the other"
stop one

# ---- taking over ----

all spec | grep '"b"' >"$T/before"
instance three --take-over-instance=one --take-over-instance=two-same
ok "a third one that takes over finishes that deletion" wait_for 30 \
	deleted thing c-same
ok "... gives back its fields" holds '{"k-c-other":"1"}'
b_is_named() {
	[ "$(all instance | grep '"b"' | jq -r 'select(.[0] != "Plain") | .[4]' | sort -u)" = three ]
}
ok "... names what is there" wait_for 30 b_is_named
all spec | grep '"b"' >"$T/after"
same "$T/after" "$T/before" "... which are the same objects, without a restart"

# ---- what an older version has claimed ----

# by_older NAME...: the claims are as it wrote them, for every finalizer
by_older() {
	kubectl patch -n default thing "$1" --type=merge -p "{\"metadata\":{
		\"annotations\":{\"$claim\":null,\"kpipe.dev/instance\":\"three\"}}}" \
		>/dev/null
}
# claims NAME: those of a Thing
claims() {
	kubectl get -n default thing "$1" -o json | jq -r '.metadata.annotations
		| to_entries[] | select(.key | startswith("kpipe.dev/instance"))
		| .value' | sort | tr '\n' ' '
}
has_claims() { # NAME CLAIMS
	[ "$(claims "$1")" = "$2" ]
}
primary Thing a 1
wait_for 30 shows things a 1
wait_for 30 has_pods "$(kubectl get -n default deployments -o name | wc -l)"
stop three
by_older a
all spec >"$T/before"
instance other
ok "an older version's claim holds, too" wait_for 30 says other \
	'thing.example.com default/a: left alone: instance "three"'
is "$(claims a)" "three " "... nothing is written"
stop other
instance three
moved() {
	[ "$(kubectl get -n default thing a -o json |
		jq -r --arg claim "$claim" '.metadata.annotations
		| "\(.[$claim]) \(.["kpipe.dev/instance"])"')" = "three null" ]
}
ok "it is moved over" wait_for 30 moved
same_specs "... without a restart"

# ---- another operator of the kind ----

cat >"$T/guest.yaml" <<'END'
- group: example.com
  version: v1
  kind: Thing
  program: guest.jq
  finalizer: guest.example.com/f
  manageStatus: false
  dependents:
  - {apiVersion: v1, kind: Secret, manage: true, namespaces: []}
  - {apiVersion: v1, kind: ConfigMap, manage: true, namespaces: []}
END
cat >"$T/guest.jq" <<'END'
def desired: [{apiVersion: "v1", kind: "Secret",
	metadata: {name: .primary.metadata.name, namespace: "far"},
	data: {k: (.primary.spec.k | @base64)}},
	{apiVersion: "v1", kind: "ConfigMap",
	metadata: {name: "guest-\(.primary.metadata.name)", namespace: "far"}}];
END
secret_has() { # NAME K
	[ "$(kubectl get -n far secret "$1" -o jsonpath='{.data.k}')" = \
		"$(printf %s "$2" | base64)" ]
}
WATCHES=$T/guest.yaml instance guest
ok "another operator works on it as well" wait_for 30 secret_has a 1
ok "... each has its claim" wait_for 30 has_claims a "guest three "
primary Thing a 2
ok "... and both follow a change" wait_for 30 shows things a 2
ok "... the other one" wait_for 30 secret_has a 2
stop guest
kubectl delete -n default thing a --wait=false >/dev/null
ok "a deletion: the one cleans up" wait_for 30 deleted configmap a far
finalizers_of_a() {
	kubectl get -n default thing a -o json | jq -c '[.metadata.finalizers,
		(.metadata.annotations | keys | map(select(startswith("kpipe.dev/instance"))) | length)]'
}
only_guest() {
	[ "$(finalizers_of_a)" = '[["guest.example.com/f"],1]' ]
}
ok "... its finalizer goes, with its claim" wait_for 30 only_guest
ok "... the other one's are there" secret_has a 2
WATCHES=$T/guest.yaml instance guest
ok "... the other one ends it" wait_for 30 deleted thing a
ok "... and has cleaned up" is_gone secret a far
ok "... of a kind that both have, too" is_gone configmap guest-a far
stop guest

# ---- a newer version with another finalizer ----

sed 's,finalizer: example.com/f,finalizer: example.com/new\n  retiredFinalizers: [example.com/f],' \
	"$T/watches.yaml" >"$T/newer.yaml"
primary Thing b-v 3
wait_for 30 shows things b-v 3
WATCHES=$T/newer.yaml instance newer
ok "a newer version of another name leaves it alone" wait_for 30 says newer \
	'thing.example.com default/b-v: left alone: instance "three"'
kubectl delete -n default thing b-v --wait=false >/dev/null
ok "... also when it is deleted" wait_for 30 deleted thing b-v
is "$(grep -c 'default/b-v: .*removed finalizer' "$T/log.three") $(grep -c \
	'default/b-v: .*finalizer' "$T/log.newer")" "1 0" "... its own has ended it"
stop newer
primary Thing a 4
wait_for 30 shows things a 4
wait_for 30 has_pods "$(kubectl get -n default deployments -o name | wc -l)"
stop three
all spec >"$T/before"
WATCHES=$T/newer.yaml instance three
renamed() {
	[ "$(finalizers_of_a)" = '[["example.com/new"],1]' ]
}
ok "of the same name it has the new one, and its claim" wait_for 30 renamed
same_specs "... without a restart"
stop three

# ---- a primary that another operator has made ----

cat >"$T/top.yaml" <<'END'
- group: example.com
  version: v1
  kind: Plain
  program: top.jq
  manageStatus: false
  dependents:
  - {apiVersion: example.com/v1, kind: Thing, manage: true}
END
cat >"$T/top.jq" <<'END'
def desired: [{apiVersion: "example.com/v1", kind: "Thing",
	metadata: {name: .primary.metadata.name}, spec: {k: .primary.spec.k}}];
END
primary Plain n 1
WATCHES=$T/top.yaml instance top
WATCHES=$T/guest.yaml instance guest
ok "an operator works on what another one makes" wait_for 30 secret_has n 1
is "$(claims n)" "guest top " "... it has claimed what names the other one"
primary Plain n 2
ok "... and both follow a change" wait_for 30 secret_has n 2
kubectl delete -n default plain n --wait=false >/dev/null
# A garbage collector deletes the Thing, if there is one.
kubectl delete -n default thing n --wait=false >/dev/null 2>&1
ok "... and the deletion" wait_for 30 deleted thing n
ok "... of everything" is_gone secret n far
stop guest
stop top

done_testing
