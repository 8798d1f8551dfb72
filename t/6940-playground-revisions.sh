#!/bin/bash
# The playground's revisions: a Deployment has the annotation of its newest
# ReplicaSet, as kube-controller-manager has it.
# servers: kapi
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=cluster/lib.sh
. "${0%/*}/cluster/lib.sh"
cluster_start
playground
start pipeline/playground/revisions --kubeconfig "$(config admin)" \
	2>"$T/revisions.log"

kubectl create -f - >/dev/null <<'END'
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 1
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: a, image: one}]}
END
revision() {
	kubectl get deployment web -o json | jq -r '.metadata.annotations
		["deployment.kubernetes.io/revision"]'
}
is_revision() {
	[ "$(revision)" = "$1" ]
}
ok "a Deployment gets its revision" wait_for 60 is_revision 1
kubectl set image deployment/web a=two >/dev/null
ok "... the next one with another template" wait_for 60 is_revision 2
kubectl set image deployment/web a=one >/dev/null
ok "... also when it goes back" wait_for 60 is_revision 3
kubectl annotate --overwrite deployment/web \
	deployment.kubernetes.io/revision=17 >/dev/null
ok "one that was changed is put right" wait_for 60 is_revision 3
is "$(kubectl get deployment web -o json --show-managed-fields |
	jq -r '[.metadata.managedFields[] | select(.manager
		| startswith("deployment-controller")).operation] | join(" ")')" \
	Apply "it has a manager of its own"
is "$(<"$T/revisions.log")" "" "... that has nothing to complain about"
kubectl delete deployment web >/dev/null
ok "a Deployment that is deleted stays so" wait_for 30 gone deployment/web
done_testing
