#!/bin/bash
# The memcached program on files that kwatch recorded on a real API server.
# instances.jsonl: of its Memcacheds, `new` has no Deployment yet, `ready` and
# `zero` are as desired, the Deployment of `scaled` was scaled by hand, and that
# of `foreign` has another owner.
. "${0%/*}/lib.sh"

folder=pipeline/memcached
unset MEMCACHED_IMAGE

# reconcile [OPTION]...: the sets for the events on stdin
# shellcheck disable=SC2120
reconcile() {
	ireconcile -f "$folder/watches.yaml" --clock=input "$@"
}

# accept GOT FILE WHAT: compares them; with ACCEPT=1 makes them the same.
accept() {
	[ -z "${ACCEPT:-}" ] || cp "$1" "$2"
	same "$1" "$2" "$3"
}

runs 0 "instances: exit 0" reconcile --must-answer --all <"$folder/t/instances.jsonl"
jq -Sc . "$T/out" >"$T/got"
accept "$T/got" "$folder/t/instances.out" "... all sets, whole"
runs 0 "... what is to be done: exit 0" reconcile <"$folder/t/instances.jsonl"
is "$(jq -r '[.reconcile.primary.name, .items[].spec.replicas] | join(" ")' \
	"$T/out")" "foreign 4
new 4
scaled 2" "... is what is not as it should be"

# The life of one: created with 3, then 5; its Deployment is scaled by hand, and
# gets another image; 1; its Deployment is deleted by hand; 0; deleted.
runs 0 "a life: exit 0" reconcile --must-answer <"$folder/t/life.jsonl"
cp "$T/out" "$T/first"
jq -r '[([.items[] | "size=\(.spec.replicas)"] | join(" ")),
	(.reconcile.status | "nodes=\(.nodes | length)"
		+ " \(.conditions[0].reason) of \(.observedGeneration)")]
	| join(" ")' "$T/first" >"$T/short"
accept "$T/short" "$folder/t/life.out" "... its lines, in short"
runs 0 "... again" reconcile <"$folder/t/life.jsonl"
same "$T/out" "$T/first" "... the same, to the byte"

# One Memcached that the test writes
memcached() {
	jq -cn --arg name "$1" --argjson size "$2" '{
		apiVersion: "cache.example.com/v1alpha1", kind: "Memcached",
		metadata: {name: $name, namespace: "default", uid: "u",
			generation: 1}, spec: {size: $size}}'
}
memcached a 1 | MEMCACHED_IMAGE=cache:9 reconcile >"$T/got"
is "$(jq -r '.items[0].spec.template.spec.containers[0].image' "$T/got")" \
	cache:9 "the image of MEMCACHED_IMAGE"
long=$(printf 'a%.0s' {1..64})
runs 1 "a name that is too long: exit 1" reconcile < <(memcached "$long" 1)
is "$(jq -c '[.items, (.reconcile.status.conditions[0]
	| [.status, .reason, .message])]' "$T/out")" \
	'[[],["False","Failed","the name is longer than 63 characters"]]' \
	"... Failed, nothing is made"
is "$(<"$T/err")" "ireconcile: error: memcached.cache.example.com default/$long: the name is longer than 63 characters" \
	"... and it is logged"
done_testing
