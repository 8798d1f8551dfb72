#!/bin/bash
# Rights are taken away from kapply and kstatus while they run, and given back.
# servers: kapi real: a quota and a policy
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=cluster/lib.sh
. "${0%/*}/cluster/lib.sh"
# shellcheck source=sets.sh
. "${0%/*}/sets.sh"
KAPI_OPTIONS=--authorization-mode=RBAC
cluster_start
things_start
for n in t u; do
	thing "$n" >/dev/null
done

# may RESOURCE...: what the user kapply may do
may() {
	kubectl apply -f - >/dev/null <<X
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: kapply}
rules:
- {apiGroups: [""], resources: [$1], verbs: [get, create, patch, delete]}
- {apiGroups: [example.com], resources: [things], verbs: [get, patch]}
X
}
may "configmaps, secrets, events"
kubectl create clusterrolebinding kapply --clusterrole=kapply --user=kapply >/dev/null

# line PRIMARY KIND NAME VALUE
line() {
	jq -cn --argjson p "$(primary_of "$1")" --arg kind "$2" --arg name "$3" --arg v "$4" '
	{apiVersion: "v1", kind: "List", items: [{apiVersion: "v1", kind: $kind,
		metadata: {$name, namespace: "default", ownerReferences: [$p
		| {apiVersion, kind, name, uid, controller: true}]}}
		+ if $kind == "Secret" then {stringData: {k: $v}} else {data: {k: $v}} end],
	reconcile: {primary: $p, manager: "kpipe-thing.example.com",
		status: {n: $v}, onError: {n: $v, reason: "${error}"}}}'
}
mkfifo "$T/pipe"
apply_pipe() {
	kapply --kubeconfig "$(config kapply)" --report-fd 5 <"$T/pipe" \
		>"$T/out" 2>"$T/err" 5>"$T/report"
}
# unready KIND VERB RESOURCE: a reason
unready() {
	printf '"%s":"User \\"kapply\\" cannot %s resource \\"%s\\" in API group \\"\\" in the namespace \\"default\\""' "$@"
}
unready_is() {
	[ "$(grep unready "$T/report" | tail -n 1)" = \
		"{\"tool\":\"kapply\",\"unready\":{$1}}" ]
}
wrote() {
	[ "$(tail -n 1 "$T/out" | jq -c .status)" = "$1" ]
}
start apply_pipe
applier=$!
exec 7>"$T/pipe"
line t Secret s 1 >&7
ok "with all rights" wait_for 10 wrote '{"n":"1"}'

may "configmaps, events"
can() {
	[ "$(kubectl auth can-i patch secrets --as=kapply)" = "$1" ]
}
wait_for 10 can no
line t Secret s 2 >&7
ok "without the right to Secrets: an error" wait_for 10 wrote \
	'{"n":"2","reason":"cannot apply Secret default/s: secrets \"s\" is forbidden: User \"kapply\" cannot patch resource \"secrets\" in API group \"\" in the namespace \"default\""}'
no_secret=$(unready Secret patch secrets)
ok "... and not ready: it names kind, verb and user" \
	wait_for 5 unready_is "$no_secret"
line u ConfigMap c 3 >&7
ok "others go on" wait_for 10 wrote '{"n":"3"}'
is "$(besides_work "$T/err")" 'kapply: error: thing.example.com default/t: cannot apply Secret default/s: secrets "s" is forbidden: User "kapply" cannot patch resource "secrets" in API group "" in the namespace "default"' \
	"the log says it once, with verb and kind"
told() {
	kubectl get events -o json | jq -e '.items[] | select(
		.reason == "FailedApply" and .involvedObject.name == "t"
		and (.message | test("cannot patch resource")))'
}
ok "an Event says it, too" wait_for 10 told

# A quota and an admission policy forbid things, too: no right is missing. (kapi
# has neither, and fails as they would.)
forbid() {
	if [ "$SERVER" = kapi ]; then
		kapi_fault '{name: "d", message: "configmaps \"d\" is forbidden: exceeded quota: none, requested: count/configmaps=1, used: count/configmaps=2, limited: count/configmaps=1"},
			{name: "c", message: "configmaps \"c\" is forbidden: ValidatingAdmissionPolicy \u0027deny\u0027 with binding \u0027deny\u0027 denied request: not this one"}
			| . + {verb: "patch", resource: "configmaps", code: 403, count: 0}'
		return
	fi
	kubectl create quota none --hard=count/configmaps=1 >/dev/null
	kubectl apply -f - >/dev/null <<'X'
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: deny}
spec:
  failurePolicy: Fail
  matchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [UPDATE], resources: [configmaps]}]}
  validations: [{expression: "object.metadata.name != 'c'", message: not this one, reason: Forbidden}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: deny}
spec: {policyName: deny, validationActions: [Deny]}
X
	wait_for 30 over_quota
	wait_for 30 refused_by_policy
}
allow() {
	if [ "$SERVER" = kapi ]; then
		kapi_recovers
		return
	fi
	kubectl delete quota none >/dev/null
	kubectl delete validatingadmissionpolicybinding deny >/dev/null
}
over_quota() {
	[ "$(kubectl create configmap "x$RANDOM" --dry-run=server 2>&1 |
		grep -c 'exceeded quota')" -eq 1 ]
}
refused_by_policy() {
	kubectl annotate configmap c a=b --overwrite --dry-run=server 2>&1 |
		grep -q ValidatingAdmissionPolicy
}
forbid
line u ConfigMap d 4 >&7
failed_by() {
	tail -n 1 "$T/out" | jq -r .status.reason | grep -q "$1"
}
ok "a quota refuses" wait_for 10 failed_by "ConfigMap default/d: .*exceeded quota: none"
line u ConfigMap c 5 >&7
ok "a policy refuses" wait_for 10 failed_by "ConfigMap default/c: .*denied request: not this one"
ok "... and neither counts" unready_is "$no_secret"
allow

may "configmaps, secrets, events"
began=$SECONDS
applied_value() {
	[ "$(kubectl get "$1" -o jsonpath='{.data.k}')" = "$2" ]
}
ok "given back: it recovers" wait_for 40 applied_value secret/s \
	"$(printf 2 | base64)"
note "after $((SECONDS - began)) s"
ok "... and is ready" wait_for 5 unready_is ''
ok "... what the policy refused is done, too" wait_for 40 applied_value cm/c 5
exec 7>&-
wait "$applier"
is "$?" 0 "it ends well"

# kstatus, with a right to the status of Things only
mkfifo "$T/status"
status_pipe() {
	kstatus --kubeconfig "$(config kstatus)" --report-fd 5 <"$T/status" \
		2>"$T/err" 5>"$T/report"
}
status_is() {
	[ "$(kubectl get thing "$1" -o jsonpath='{.status.n}')" = "$2" ]
}
status_unready_is() {
	[ "$(grep unready "$T/report" | tail -n 1)" = \
		"{\"tool\":\"kstatus\",\"unready\":{$1}}" ]
}
status() {
	primary_of "$1" | jq -c --arg n "$2" \
		'{apiVersion, kind, metadata: {namespace, name, uid}, status: {$n}}'
}
kubectl create role kstatus --verb=patch --resource=things.example.com/status \
	>/dev/null
kubectl create rolebinding kstatus --role=kstatus --user=kstatus >/dev/null
start status_pipe
writer=$!
exec 7>"$T/status"
status t 1 >&7
ok "kstatus with its right" wait_for 10 status_is t 1
kubectl delete rolebinding kstatus >/dev/null
can_not() {
	[ "$(kubectl auth can-i patch things --subresource=status \
		--as=kstatus)" = no ]
}
wait_for 10 can_not
status t 2 >&7
ok "without it: not ready" wait_for 10 status_unready_is \
	'"Thing.example.com":"User \"kstatus\" cannot patch resource \"things/status\" in API group \"example.com\" in the namespace \"default\""'
kubectl create rolebinding kstatus --role=kstatus --user=kstatus >/dev/null
ok "given back: it is written" wait_for 40 status_is t 2
ok "... and ready" wait_for 5 status_unready_is ''
exec 7>&-
wait "$writer"
is "$?" 0 "it ends well, too"
done_testing
