#!/bin/bash
# The cause of an admission's refusal is told of Secrets and ConfigMaps, too,
# without their values. kapi has no policies and calls no webhooks.
# servers: real
. "${0%/*}/lib.sh"
. "${0%/*}/cluster/lib.sh"
cluster_start

kubectl apply -f - >/dev/null <<'END'
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
END
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
