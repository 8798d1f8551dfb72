#!/bin/bash
# kpipe is told to end while a kind that a program depends on is not complete,
# because the server does not have it or a filter drops its lines: nothing is
# decided, nothing is deleted.
# servers: kapi
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=cluster/lib.sh
. "${0%/*}/cluster/lib.sh"
# shellcheck source=sets.sh
. "${0%/*}/sets.sh"
cluster_start
mkdir "$T/work"
things_start
kubectl get crd things.example.com -o json | sed 's/thing/part/g; s/Thing/Part/g' |
	jq 'del(.status) | .metadata |= {name}' | kubectl apply -f - >/dev/null
wait_for 60 kubectl get parts
cat >"$T/work/watches.yaml" <<'YAML'
- group: example.com
  version: v1
  kind: Thing
  program: thing.jq
  dependents:
  - {apiVersion: v1, kind: ConfigMap, manage: true}
  related:
  - apiVersion: example.com/v1
    kind: Part
    map: {field: spec.part}
YAML
cat >"$T/work/thing.jq" <<'JQ'
include "operator";
def desired: [.related.Part[] | config_map(.metadata.name; {}; {})];
def status: {parts: (.related.Part | length)};
JQ
kubectl apply -f - >/dev/null <<'YAML'
{apiVersion: example.com/v1, kind: Thing, metadata: {name: t, namespace: default}, spec: {part: p}}
---
{apiVersion: example.com/v1, kind: Part, metadata: {name: p, namespace: default}}
YAML
start kpipe -f "$T/work/watches.yaml" 2>"$T/log"
kpipe=$!
ok "all is there: the member" wait_for 60 kubectl get configmap p
told_to_end "$kpipe" "... ends"

# Only for a kind that is empty would the member be deleted.
incomplete() {
	told_to_end "$kpipe" "$1: ends"
	is "$(grep '^ireconcile: ' "$T/log")" \
		"ireconcile: the input ends before it is complete: Part.example.com" \
		"... the log says what is missing, and not as an error"
	is "$(grep '^kapply: ' "$T/log")" "" "... kapply has nothing to do"
	ok "... and the member is still there" kubectl get configmap p
}
sed "s|^  program:|  filters: [[./without, KIND]]\n&|" \
	"$T/work/watches.yaml" >"$T/work/filters.yaml"
cat >"$T/work/without" <<'FILTER'
#!/bin/sh
# without KIND: lines of other kinds; says which kinds have ended
while read -r line; do
	case $line in
	*'"kind":"'$1'"'*) continue ;;
	*'"kind":"Thing"'*initial-events-end*) echo "all Things" >&2 ;;
	*'"kind":"ConfigMap"'*initial-events-end*) echo "all ConfigMaps" >&2 ;;
	esac
	printf '%s\n' "$line"
done
FILTER
chmod +x "$T/work/without"
# begin_without KIND: kpipe, until all else is complete
begin_without() {
	sed "s/KIND/$1/" "$T/work/filters.yaml" >"$T/work/without.yaml"
	start kpipe -f "$T/work/without.yaml" 2>"$T/log"
	kpipe=$!
	wait_for 60 grep -qx "all Things" "$T/log"
	wait_for 60 grep -qx "all ConfigMaps" "$T/log"
}
begin_without Part
incomplete "a filter that drops its lines"

kubectl delete crd parts.example.com >/dev/null
begin_without Nothing
ok "the server has no Part" wait_for 60 grep -q 'the server has no Part' "$T/log"
incomplete "a kind that the server does not have"
done_testing
