#!/bin/bash
# The example of `patch_only` in doc/program.md as an operator: Namespaces get a
# label, which is repaired, not taken from others, and given back, with the rights
# that kgen grants; and with the API server's word on what does not exist.
# servers: kapi real
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=operator.sh
. "${0%/*}/operator.sh"
# shellcheck source=sets.sh
. "${0%/*}/sets.sh"
cluster_start
things_start
folder=$T/patches
mkdir "$folder"
things_watches 'finalizer: example.com/patches' \
	'related: [{apiVersion: v1, kind: Namespace, patch: true, map: {field: "spec.namespaces[]"}}]'
things_example patch_only
folder_rights

# space NAME JQ: of a Namespace
space() {
	kubectl get namespace "$1" -o json | jq -c "$2"
}
team() { # NAME VALUE
	[ "$(space "$1" .metadata.labels.team)" = "$2" ]
}
unmarked() { # NAME: nothing is held of it any more
	space "$1" '[.metadata.annotations // {} | keys[] | select(startswith("kpipe.dev/"))] == []' |
		grep -qx true
}
error() { # THING PATTERN
	kubectl get thing "$1" -o json | jq -r '.status.error // ""' | grep -q "$2"
}
kubectl create namespace one >/dev/null
kubectl create namespace two >/dev/null
kubectl label namespace one app=x >/dev/null
thing t '{"team":"a","namespaces":["one","later"]}' >/dev/null
runs 0 "a dry run" timeout 300 bash -c \
	'exec kwatch -f "$0" --once </dev/null | ireconcile -f "$0" |
	kapply --dry-run=server -o result' "$folder/watches.yaml"
is "$(jq -c 'select(.kind == "Namespace") | [.metadata.name, .result]' "$T/out")" \
	'["one","configured"]' "... tells what would be patched"
ok "... and leaves it" team one null

operator --health-probe-bind-address 127.0.0.1:0 -v
ok "a Namespace has the label" wait_for 60 team one '"a"'
is "$(space one '[.metadata.ownerReferences, .metadata.labels.app]')" \
	'[null,"x"]' "... and no owner, and its other labels"
ok "what is absent is not created" absent namespace later
kubectl create namespace later >/dev/null
ok "... it has the label when it comes" wait_for 60 team later '"a"'
kubectl label --overwrite namespace one team=other >/dev/null
ok "what another client changes is repaired" wait_for 60 team one '"a"'

# ---- others ----

kubectl label namespace two team=mine >/dev/null
thing u '{"team":"b","namespaces":["two"]}' >/dev/null
ok "a label of others is not taken" wait_for 60 error u 'metadata.labels.team'
ok "... it is still theirs" team two '"mine"'
kubectl label namespace two team- >/dev/null
kubectl patch thing u --type=merge -p '{"spec":{"n":1}}' >/dev/null
ok "... but once it is free" wait_for 60 team two '"b"'

# ---- the same value as others ----

marked() {
	! unmarked "$1"
}
kubectl create namespace three >/dev/null
kubectl label namespace three team=c >/dev/null
thing w '{"team":"c","namespaces":["three"]}' >/dev/null
ok "a label that others have set so is held, too" wait_for 60 marked three
kubectl patch thing w --type=merge -p '{"spec":{"team":"d"}}' >/dev/null
ok "... another value is not taken" wait_for 60 error w 'metadata.labels.team'
ok "... it is still theirs" team three '"c"'
kubectl delete thing w >/dev/null
ok "... what was held is given back" wait_for 60 unmarked three
ok "... and stays" team three '"c"'

# ---- given back ----

kubectl patch thing t --type=merge -p '{"spec":{"namespaces":["later"]}}' >/dev/null
ok "what is not desired any more goes" wait_for 60 team one null
ok "... with its mark" wait_for 60 unmarked one
is "$(space one .metadata.labels.app)" '"x"' "... and nothing else"
kubectl delete thing t u >/dev/null
ok "the primaries go" wait_for 60 absent thing t
ok "... both" wait_for 60 absent thing u
for name in later two; do
	ok "... $name has no label any more" team "$name" null
	ok "... and no mark" unmarked "$name"
	is "$(space "$name" .metadata.deletionTimestamp)" null "... and stays"
done

# ---- an apply with a uid ----

thing v '{}' >/dev/null
line='{"apiVersion":"v1","kind":"List","items":[{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"never","labels":{"team":"a"}}}],"reconcile":{"primary":{"apiVersion":"example.com/v1","kind":"Thing","namespace":"default","name":"v","uid":"u"},"known":{"Namespace//never":"6d4a1c9e-0000-4000-8000-000000000000"},"patch":{"Namespace//never":"take"}}}'
echo "$line" >"$T/in"
runs 0 "an object that went meanwhile" timeout 300 kapply --kubeconfig "$(config user1)" "$T/in"
ok "... is not created" absent namespace never
is "$(grep -c -e panic -e 'forbidden' "$T/operator.log")" 0 \
	"no tool failed, and no right was missing"
done_testing
