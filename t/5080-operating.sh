#!/bin/bash
# doc/operating.md: the tests and scripts that it names are there, and its
# commands do what it says, on kapi, in its order: sizing to uninstall.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=kapi.sh
. "${0%/*}/kapi.sh"

page=$PWD/doc/operating.md
missing=
for file in $(grep -oE '\bt/[a-z0-9/-]*\.sh' "$page"); do
	[ -x "$file" ] || missing="$missing $file"
done
is "$missing" "" "the tests that the page names are there"

# block NUMBER: the commands of that block.
block() {
	awk -v n="$1" '/^```/ { inside = inside ? 0 : ++count; next }
		inside == n' "$page"
}
# has TEXT: in what the last command printed
has() {
	grep -q -- "$1" "$T/out"
}
# run_block NUMBER WHAT
run_block() {
	runs 0 "$2" bash -euc "$(block "$1")"
}

kapi_up
export KUBECONFIG=$T/kubeconfig
own_kubectl
cp -r pipeline/memcached "$T/operator"
cat >>"$T/operator/watches.yaml" <<'END'
  finalizer: example.com/memcached
END
kubectl apply -f "$T/operator/crd.yaml" >"$T/out"
kubectl create namespace ops >"$T/out"
kubectl apply -f - >"$T/out" <<'END'
apiVersion: v1
kind: Pod
metadata: {name: operator-0, namespace: ops}
spec: {containers: [{name: kpipe, image: i}]}
---
apiVersion: v1
kind: Secret
metadata: {name: kpipe-marks-thing.example.com, namespace: ops}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: operator, namespace: ops}
spec:
  selector: {matchLabels: {a: b}}
  template:
    metadata: {labels: {a: b}}
    spec: {containers: [{name: kpipe, image: i}]}
END
kubectl apply -f "$T/operator/example.yaml" >"$T/out"
POD_NAMESPACE=ops OPERATOR_NAME=operator start \
	kpipe -f "$T/operator/watches.yaml" --all-namespaces \
	--marks-key-secret ops/kpipe-marks 2>"$T/kpipe.err"
kpipe=$!
deployed() {
	kubectl get deployments -A -o json | grep -q '"kind": *"Memcached"'
}
ok "the operator works" wait_for 30 deployed

cd "$T/operator" || exit
is "$(block 2)" \
	"POD_NAMESPACE=ops OPERATOR_NAME=operator kpipe -f watches.yaml --dry-run" \
	"a command before an upgrade"
run_block 2 "what an upgrade would change"
ok "... nothing" test ! -s "$T/out"
cd "$ROOT" || exit
run_block 1 "the last words of a container"
run_block 3 "a backup"
ok "... with the primaries" has '"Memcached"'
ok "... and the key" has kpipe-marks-thing.example.com
cd "$T/operator" || exit
run_block 11 "why a primary is not ready"
is "$(<"$T/out")" '{"error":null,"outstanding":[]}' "... nothing is outstanding"
cd "$ROOT" || exit
run_block 4 "uninstalled in the order of the page"
ok "... no primary is left" has 'memcached.cache.example.com ".*deleted'
is "$(kubectl get deployments -n ops -o json | jq '.items | length')" 0 \
	"... nor the operator"
runs 1 "... nor the kind" kubectl get memcacheds -A
kill "$kpipe"
wait "$kpipe"
done_testing
