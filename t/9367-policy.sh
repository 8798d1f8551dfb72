#!/bin/bash
# What only a real API server does: a policy that rewrites what is applied, fields
# that are only set when an object is created, and refusals by a policy or a
# webhook, whose cause is told of Secrets and ConfigMaps, too, without their
# values.
# servers: real
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=cluster/lib.sh
. "${0%/*}/cluster/lib.sh"
# shellcheck source=sets.sh
. "${0%/*}/sets.sh"
cluster_start
things_start
things_watches 'dependents:' \
	'- {apiVersion: apps/v1, kind: Deployment, manage: true}' \
	'- {apiVersion: apps/v1, kind: StatefulSet, manage: true}' \
	'- {apiVersion: batch/v1, kind: Job, manage: true}' \
	'- {apiVersion: v1, kind: Service, manage: true}' \
	'- {apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, manage: true}'
cat >"$T/reconcile.jq" <<'X'
def desired: .primary.spec.items // [];
def status: {ready: (.outstanding == []), error: .error};
X
template() { # IMAGE
	jq -cn --arg image "$1" '{metadata: {labels: {app: "x"}},
		spec: {restartPolicy: "Always", containers: [{name: "c", $image}]}}'
}
deployment() {
	jq -cn --argjson t "$(template app:1)" '{apiVersion: "apps/v1",
		kind: "Deployment", metadata: {name: "d"}, spec: {replicas: 3,
		selector: {matchLabels: {app: "x"}}, template: $t}}'
}
# thing_is ITEMS: the Thing t desires these
thing_is() {
	kubectl apply --server-side --force-conflicts -f - >/dev/null <<X
{"apiVersion":"example.com/v1","kind":"Thing",
"metadata":{"name":"t","namespace":"default"},"spec":{"items":$1}}
X
}
status() {
	kubectl get thing t -o json | jq -c ".status.$1"
}
has() { # KIND NAME FILTER WANT
	[ "$(kubectl get "$1" "$2" -o json | jq -r "$3")" = "$4" ]
}
status_has() {
	status error | grep -qF -- "$1"
}
ready() {
	[ "$(status ready)" = true ]
}
image='.spec.template.spec.containers[0].image'

# --- a policy rewrites an image
kubectl apply -f - >/dev/null <<'X'
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicy
metadata: {name: mirror}
spec:
  matchConstraints:
    resourceRules:
    - {apiGroups: [apps], apiVersions: [v1], resources: [deployments], operations: [CREATE, UPDATE]}
  failurePolicy: Fail
  reinvocationPolicy: Never
  mutations:
  - patchType: JSONPatch
    jsonPatch:
      expression: '[JSONPatch{op: "replace", path: "/spec/template/spec/containers/0/image", value: "mirror/app:1"}]'
---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicyBinding
metadata: {name: mirror}
spec: {policyName: mirror}
X
# Of a Deployment that is not there yet: the answer has the image in any case.
image_becomes() {
	[ "$(deployment | jq -c '.metadata.name = "none"' |
		kubectl create --dry-run=server -o json -f - |
		jq -r "$image")" = "$1" ]
}
ok "a policy rewrites images" wait_for 60 image_becomes mirror/app:1
things_run
thing_is "[$(deployment)]"
ok "the Deployment is as the policy wants it" \
	wait_for 60 has deployment d "$image" mirror/app:1
told() {
	grep -q "the difference stays after it was applied and is tolerated: Deployment.apps/default/d: $image" "$T/err" ||
		grep -q 'the difference stays.*Deployment.*image' "$T/err"
}
ok "the difference is told" wait_for 60 told
ok "... and tolerated: the primary is ready" wait_for 60 ready
recorded() {
	kubectl get events -o json | jq -e '.items[]
		| select(.reason == "DifferenceStays")'
}
ok "... with an Event" wait_for 20 recorded

# --- other drift of that object is repaired beside it
kubectl scale deployment d --replicas=0 >/dev/null
ok "other drift of that object is repaired" \
	wait_for 60 has deployment d .spec.replicas 3
ok "... and the primary is ready again" wait_for 60 ready

# --- the policy goes: a request to look again ends the difference
kubectl delete mutatingadmissionpolicybinding mirror >/dev/null
kubectl delete mutatingadmissionpolicy mirror >/dev/null
ok "the policy is gone" wait_for 60 image_becomes app:1
kubectl annotate thing t reconcile.fluxcd.io/requestedAt=now >/dev/null
ok "the image is as the program wants it" \
	wait_for 60 has deployment d "$image" app:1
code() {
	has deployment d '.metadata.annotations["kpipe.dev/accepted"]' null
}
ok "... and nothing is left of the difference" wait_for 60 code
ok "... the primary is ready" wait_for 60 ready

# --- fields that are only set when an object is created
set_of() { # STORAGE
	jq -cn --argjson t "$(template app:1)" --arg storage "$1" '{
		apiVersion: "apps/v1", kind: "StatefulSet", metadata: {name: "s"},
		spec: {serviceName: "s", selector: {matchLabels: {app: "x"}},
		template: $t, volumeClaimTemplates: [{metadata: {name: "v"},
		spec: {accessModes: ["ReadWriteOnce"], resources: {requests: {$storage}}}}]}}'
}
job() { # IMAGE
	jq -cn --argjson t "$(template "$1")" '{apiVersion: "batch/v1",
		kind: "Job", metadata: {name: "j"},
		spec: {template: ($t | .spec.restartPolicy = "Never")}}'
}
thing_is "[$(set_of 1Gi)]"
ok "a StatefulSet is made" wait_for 60 kubectl get statefulset s
ok "... ready" wait_for 60 ready
remedy='`immutable` in the program leaves such a field as it is, or delete the object to have it made again'
thing_is "[$(set_of 2Gi)]"
ok "its claims cannot be changed: the status says what to do" \
	wait_for 60 status_has "$remedy"
thing_is "[$(job app:1)]"
ok "a Job is made" wait_for 60 kubectl get job j
ok "... ready" wait_for 60 ready
thing_is "[$(job app:2)]"
ok "its template cannot be changed" wait_for 60 status_has "$remedy"
ok "... its value is not spelt out in the message" \
	status_has 'spec.template: Invalid value: {...}: field is immutable'
kubectl delete job j --wait=false >/dev/null
ok "deleted, it is made again" wait_for 60 has job j "$image" app:2

# --- empty maps that the server drops, and a field that it fills in
policy='{"apiVersion":"networking.k8s.io/v1","kind":"NetworkPolicy","metadata":{"name":"n"},
	"spec":{"podSelector":{"matchLabels":{}},"ingress":[]}}'
service='{"apiVersion":"v1","kind":"Service","metadata":{"name":"s"},
	"spec":{"clusterIP":"","selector":{},"ports":[{"port":1}]}}'
thing_is "[$(deployment | jq -c '.spec.template.spec += {nodeSelector: {},
	securityContext: {}, affinity: {}, tolerations: [], volumes: []}'),$policy,$service]"
ok "an address that the server gives is told" wait_for 60 grep -q \
	'stays.* tolerated: Service/default/s: .spec.clusterIP' "$T/err"
ok "... and the primary is ready" wait_for 60 ready
kubectl scale deployment d --replicas=0 >/dev/null
ok "... drift beside empty maps is repaired" \
	wait_for 60 has deployment d .spec.replicas 3

# --- refused by a policy, and for a webhook that does not answer
kubectl apply -f - >/dev/null <<'X'
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: team}
spec:
  matchConstraints:
    resourceRules:
    - {apiGroups: [""], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [configmaps, secrets]}
  validations:
  - expression: "!object.metadata.name.startsWith('deny')"
    messageExpression: "'every object needs a team, but not ' + string(object.data.k)"
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: team}
spec: {policyName: team, validationActions: [Deny]}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: hole.example.com}
webhooks:
- name: hole.example.com
  admissionReviewVersions: [v1]
  sideEffects: None
  failurePolicy: Fail
  objectSelector: {matchLabels: {hole: "yes"}}
  clientConfig: {url: "https://127.0.0.1:9/x"}
  rules:
  - {apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [configmaps, secrets]}
X
# apply KIND NAME DATA [LABELS]: and its message
apply() {
	printf '{"apiVersion":"v1","kind":"%s","metadata":{"namespace":"default","name":"%s","labels":{%s}},%s}\n' \
		"$1" "$2" "${4:-}" "$3" |
		kapply -o result --timeout=3s 2>"$T/log" | jq -r .message
}
refused() { apply ConfigMap deny-it '"data":{"k":"v"}' | grep -q denied; }
wait_for 60 refused
policy="is forbidden: ValidatingAdmissionPolicy 'team' with binding 'team' denied request: every object needs a team, but not ..."
is "$(apply ConfigMap deny-it '"data":{"k":"hunter2-hunter2"}')" \
	"configmaps \"deny-it\" $policy" \
	"a policy's refusal of a ConfigMap"
is "$(apply Secret deny-it '"stringData":{"k":"hunter2-hunter2"}')" \
	"secrets \"deny-it\" $policy" \
	"... and of a Secret"
is "$(grep -c "every object needs a team" "$T/log")" 1 "... in the log, too"
webhook() { apply "$1" x '"data":{}' '"hole":"yes"' | tee "$T/message"; }
hole='Internal error occurred: failed calling webhook "hole.example.com": failed to call webhook: Post "https://127.0.0.1:9/x?timeout=10s": dial tcp 127.0.0.1:9: connect: connection refused'
called() { webhook ConfigMap | grep -q hole; }
wait_for 60 called
for kind in ConfigMap Secret; do
	is "$(webhook $kind)" "$hole" \
		"a webhook that does not answer, of a $kind"
done
done_testing
