#!/bin/bash
# doc/kapi.md: a reader starts kapi and the playground, and a Deployment has Pods.
# servers: kapi
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=cluster/lib.sh
. "${0%/*}/cluster/lib.sh"
# shellcheck source=readme.sh
. "${0%/*}/readme.sh"
own_kubectl
export PIPELINE=$ROOT/pipeline
mkdir "$T/work"
readme_blocks "start: " doc/kapi.md
ok "the page has examples" test -s "$T/blocks/004"
for block in "$T/blocks"/???; do
	readme_type "$block"
done
export KUBECONFIG=$T/work/kubeconfig
kubectl apply -f - >/dev/null <<'END'
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: default}
spec:
  selector: {matchLabels: {a: b}}
  template:
    metadata: {labels: {a: b}}
    spec: {containers: [{name: c, image: i}]}
END
ok "a Deployment gets its Pods" kubectl wait --timeout=120s \
	--for=condition=Available deployment/web
[ "$failed" -eq 0 ] || quote <"$T/started"
done_testing
