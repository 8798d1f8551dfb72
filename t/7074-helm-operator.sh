#!/bin/bash
# The operator of a chart in the place of a Helm operator: what that one made is
# kept, and its finalizer goes.
# servers: kapi
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=cluster/lib.sh
. "${0%/*}/cluster/lib.sh"
cluster_start
cd "$T" || exit

mkdir -p chart/templates
printf 'name: web\nversion: 1.0.0\n' >chart/Chart.yaml
echo 'color: red' >chart/values.yaml
cat >chart/templates/all.yaml <<'END'
apiVersion: v1
kind: ConfigMap
metadata: {name: {{ .Release.Name }}-web}
data: {color: {{ .Values.color }}}
---
apiVersion: v1
kind: Secret
metadata: {name: {{ .Release.Name }}-web}
END
runs 0 "kgen new" kgen new web --from-chart chart --group charts.example.com
kubectl apply -f web/crd.yaml >/dev/null
wait_for 20 kubectl get webs.charts.example.com >/dev/null

# made KIND NAME DATA: as a Helm operator makes it for the object
made() {
	jq -nc --arg kind "$1" --arg name "$2" --arg uid "$uid" '{apiVersion: "v1",
		$kind, metadata: {$name, namespace: "default",
			labels: {"app.kubernetes.io/managed-by": "Helm"},
			annotations: {"meta.helm.sh/release-name": "a"},
			ownerReferences: [{apiVersion: "charts.example.com/v1alpha1",
				kind: "Web", name: "a", $uid, controller: true,
				blockOwnerDeletion: true}]},
		data: '"$3"'}' | kubectl create -f - >/dev/null
}
kubectl create -f - >/dev/null <<'END'
apiVersion: charts.example.com/v1alpha1
kind: Web
metadata:
  name: a
  namespace: default
  finalizers: [helm.sdk.operatorframework.io/uninstall-release]
spec: {color: blue}
END
uid=$(kubectl get web a -o 'jsonpath={.metadata.uid}')
made ConfigMap a-web '{color: "green"}'
made Secret a-web '{}'
made Secret sh.helm.release.v1.a.v1 '{release: "YQ=="}'
before=$(kubectl get cm a-web -o 'jsonpath={.metadata.uid}')

POD_NAMESPACE=default start kpipe -f web/watches.yaml 2>"$T/log"
ok "it is ready" kubectl wait --timeout=60s --for=condition=Ready web/a
is "$(kubectl get cm a-web -o json | jq -c '[.metadata.uid, .data]')" \
	"[\"$before\",{\"color\":\"blue\"}]" "what the Helm operator made is kept"
is "$(kubectl get web a -o json | jq -c '.metadata.finalizers // []')" '[]' \
	"... its finalizer is gone"
released() {
	! kubectl get secret sh.helm.release.v1.a.v1 >/dev/null 2>&1
}
ok "... and the Secret of its release" wait_for 20 released
kubectl delete web a --timeout=60s >/dev/null
gone() {
	! kubectl get cm a-web >/dev/null 2>&1
}
ok "the object can be deleted, with what it made" wait_for 20 gone
done_testing
