#!/bin/bash
# A program copies a Secret's value into a container's environment: the value is
# not in the log, an Event, the status or a metric, neither the one that another
# client wrote there, nor the one before the Secret was changed.
# servers: kapi
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=kapi.sh
. "${0%/*}/kapi.sh"
# shellcheck source=sets.sh
. "${0%/*}/sets.sh"
kapi_up
export KUBECONFIG=$T/kubeconfig
own_kubectl
things_start
mkdir "$T/operator"
cat >"$T/operator/watches.yaml" <<'END'
- group: example.com
  version: v1
  kind: Thing
  program: program.jq
  dependents:
  - {apiVersion: apps/v1, kind: Deployment, manage: true}
  related:
  - {apiVersion: v1, kind: Secret, map: {field: spec.secret}}
END
cat >"$T/operator/program.jq" <<'END'
include "operator";
def password: .related.Secret[0].data.password | if . then @base64d else "none" end;
def desired: [deployment("d"; {app: "d"}; {replicas: 1, containers: [
	{name: "c", image: "i", env: [{name: "PW", value: password}]}]})];
def status: {phase: (if .outstanding == [] then "Ready" else "Pending" end)};
END
# secret VALUE
secret() {
	cat >"$T/secret.yaml" <<END
apiVersion: v1
kind: Secret
metadata: {name: s, namespace: default}
stringData: {password: $1}
END
	kubectl apply -f "$T/secret.yaml" >>"$T/out"
}
secret hunter2
log=$T/kpipe.err
start kpipe -f "$T/operator/watches.yaml" -v --metrics-bind-address=127.0.0.1:0 \
	2>"$log"
kpipe=$!
# times N LINE: it was logged so often
times() {
	[ "$(grep -cE " kapply: thing.example.com default/t: $2\$" "$log")" -ge "$1" ]
}
password='\.spec\.template\.spec\.containers\[name=c\]\.env\[name=PW\]\.value'
ok "it starts" wait_for 30 grep -q 'kpipe: ready$' "$log"
thing t '{"secret": "s"}' >>"$T/out"
ok "the copy is made" wait_for 30 times 1 'created Deployment.apps default/d.*'
kubectl patch deployment d --field-manager=kubectl-set --type=merge -p '{"spec":
	{"template":{"spec":{"containers":[{"name":"c","image":"i",
	"env":[{"name":"PW","value":"evil7"}]}]}}}}' >>"$T/out"
ok "a repair names the field and the manager" wait_for 30 times 1 \
	"configured Deployment.apps default/d: $password differs; set by kubectl-set"
secret rotated9
ok "a new value: the field" wait_for 30 times 1 \
	"configured Deployment.apps default/d: $password differs"
kubectl patch deployment d --field-manager=kubectl-scale --type=merge \
	-p '{"spec":{"replicas":7}}' >>"$T/out"
ok "a number is told" wait_for 30 times 1 \
	'configured Deployment.apps default/d: .spec.replicas 7, wanted 1; set by kubectl-scale'
is "$(kubectl get deployment d -o json |
	jq -r '.spec.template.spec.containers[0].env[0].value')" rotated9 \
	"the last value is there"
address=$(sed -n 's/.*kpipe-http: metrics at //p' "$log")
has_metrics() {
	curl -sS --max-time 20 "http://$address/metrics" >"$T/metrics"
	grep -q '^controller_runtime_reconcile_total' "$T/metrics"
}
has_status() {
	kubectl get thing t -o json | jq .status >"$T/status"
	grep -q phase "$T/status"
}
ok "there are metrics" wait_for 30 has_metrics
ok "... and a status" wait_for 30 has_status
kubectl get events -o json >"$T/events"
values=hunter2\|evil7\|rotated9
for value in hunter2 evil7 rotated9; do
	encoded=$(printf %s "$value" | base64)
	values+=\|${encoded%%=*}
done
for file in kpipe.err metrics events status; do
	is "$(grep -E "$values" "$T/$file")" "" "no value in $file"
done
kill "$kpipe"
wait "$kpipe"
is "$(grep -E "$values" "$log")" "" "... nor in the log at its end"
done_testing
