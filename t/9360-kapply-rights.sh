#!/bin/bash
# A right is taken away from kapply while it runs, and given back.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=cluster/lib.sh
. "${0%/*}/cluster/lib.sh"
# shellcheck source=sets.sh
. "${0%/*}/sets.sh"
# shellcheck disable=SC2119
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
	kapply --kubeconfig "$(config kapply)" <"$T/pipe" >"$T/out" 2>"$T/err"
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
line u ConfigMap c 3 >&7
ok "others go on" wait_for 10 wrote '{"n":"3"}'
is "$(cat "$T/err")" 'kapply: error: thing.example.com default/t: cannot apply Secret default/s: secrets "s" is forbidden: User "kapply" cannot patch resource "secrets" in API group "" in the namespace "default"' \
	"the log says it once, with verb and kind"
told() {
	kubectl get events -o json | jq -e '.items[] | select(
		.reason == "FailedApply" and .involvedObject.name == "t"
		and (.message | test("cannot patch resource")))'
}
ok "an Event says it, too" wait_for 10 told

may "configmaps, secrets, events"
began=$SECONDS
ok "given back: it recovers by itself" wait_for 75 wrote '{"n":"2"}'
note "after $((SECONDS - began)) s"
applied() {
	[ "$(kubectl get secret s -o jsonpath='{.data.k}')" = "$(printf 2 | base64)" ]
}
ok "... and has done it" wait_for 75 applied
exec 7>&-
wait "$applier"
is "$?" 0 "it ends well"
done_testing
