#!/bin/bash
# Programs that would harm their own author or others: items that are the
# primary, or that no watch would show; what is never adopted.
# servers: kapi real
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=cluster/lib.sh
. "${0%/*}/cluster/lib.sh"
# shellcheck source=sets.sh
. "${0%/*}/sets.sh"
cluster_start
things_start

# watches [MEMBERS]: MEMBERS for its dependent
watches() {
	things_watches 'namespaces: [default]' ${adopt:+"adopt: {label: app}"} 'dependents:' \
		"- {apiVersion: v1, kind: ConfigMap, manage: true${1:+, $1}}" \
		'- {apiVersion: example.com/v1, kind: Thing, manage: true}'
}
# program DESIRED: includes the library
program() {
	printf 'include "operator";\ndef desired: %s;\ndef status: {error: .error};\n' \
		"$1" >"$T/reconcile.jq"
}
error_is() { # THING PATTERN
	kubectl get thing "$1" -o 'jsonpath={.status.error}' >"$T/error"
	grep -q "$2" "$T/error"
}
# The fields that users wrote, and the owners.
spec() {
	kubectl get thing "$1" -o json |
		jq -c '[.spec, .metadata.labels, .metadata.ownerReferences]'
}

# ---- the primary itself ----

# labelled KIND NAME [-n NAMESPACE]: with the label of the primary
labelled() {
	kubectl label "$@" app=self >/dev/null
}
thing self '{"n":3}' >/dev/null
labelled thing self
adopt=
watches
program '[{apiVersion: "example.com/v1", kind: "Thing", metadata: {name: .primary.metadata.name, labels: {seen: "yes"}}}]'
things_run
ok "an item that is the primary is refused" \
	wait_for 20 error_is self "is the primary itself"
things_stop
adopt=yes
watches
things_run
ok "... where objects are adopted, too" grep -q "is the primary itself" \
	<(wait_for 20 grep -q "primary itself" "$T/err" && cat "$T/err")
things_stop
is "$(spec self)" '[{"n":3},{"app":"self"},null]' "... it is as its users wrote it"

# By a line from any writer.
primary=$(primary_of self)
line() { # ITEM RECONCILE
	jq -cn --argjson p "$primary" --argjson item "$1" --argjson more "$2" '{
		apiVersion: "v1", kind: "List", items: [$item],
		reconcile: ({primary: $p,
			manager: "kpipe-thing.example.com"} + $more)}'
}
# refused WHAT ITEM RECONCILE ERROR THEN
refused() {
	line "$2" "$3" >"$T/in"
	runs 1 "$1" kapply -o none <"$T/in"
	is "$(besides_work "$T/err")" \
		"kapply: error: thing.example.com default/self: $4" "$5"
}
itself="Thing.example.com/default/self refused: it is the primary itself"
refused "kapply refuses it as well" "$(kubectl get thing self -o json |
	jq -c '{apiVersion, kind, metadata: {name: "self", namespace: "default",
	labels: {seen: "yes"}}}')" '{"adopt": "app"}' "$itself" "... and says so"
refused "... and does not delete it" \
	'{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c","namespace":"default"}}' \
	"$(jq -c '{delete: [.]}' <<<"$primary")" "$itself" "... nor that"
is "$(spec self)" '[{"n":3},{"app":"self"},null]' "... which is as it was"
kubectl delete cm c >/dev/null 2>&1

# ---- what is never adopted ----

kubectl create namespace t-space >/dev/null
labelled namespace t-space
labelled namespace default
for ns in default kube-system; do
	kubectl create cm -n $ns app --from-literal=k=theirs >/dev/null
	labelled cm app -n $ns
done
thing other '{"n":4}' >/dev/null
labelled thing other
item() { # KIND NAMESPACE NAME [API]
	printf '{"apiVersion":"%s","kind":"%s","metadata":{"name":"%s"%s}}' \
		"${4:-v1}" "$1" "$3" "${2:+,\"namespace\":\"$2\"}"
}
# labelled_item KIND NAMESPACE NAME: made
labelled_item() {
	item "$@" | kubectl create -f - >/dev/null
	labelled "$1" "$3"
}
labelled_item Node "" n1
# unadopted WHAT ITEM NAME REST: with adopt, and without
unadopted() {
	local more

	for more in '{}' '{"adopt": "app"}'; do
		refused "$1 is not adopted ($more)" "$2" "$more" \
			"cannot apply $3: it exists and is not part of Thing.example.com default/self$4" \
			"... and that is not offered"
	done
}
unadopted "a Node" "$(item Node "" n1)" "Node n1" "; it is a Node, and never adopted"
unadopted "the primary's namespace" "$(item Namespace "" default)" \
	"Namespace default" "; it is the namespace of the primary, and never adopted"
unadopted "kube-system" "$(item Namespace "" kube-system)" \
	"Namespace kube-system" "; it is Kubernetes' own, and never adopted"
unadopted "what is in kube-system" "$(item ConfigMap kube-system app)" \
	"ConfigMap kube-system/app" "; it is in a namespace of Kubernetes' own, and never adopted"
unadopted "another primary" "$(item Thing default other example.com/v1)" \
	"Thing.example.com default/other" "; it is a primary of its own, and never adopted"
labelled_item Secret default kpipe-marks-pot.example.com
labelled_item Secret default shop
kubectl label secret shop applyset.kubernetes.io/id=applyset-x-v1 >/dev/null
unadopted "a key" "$(item Secret default kpipe-marks-pot.example.com)" \
	"Secret default/kpipe-marks-pot.example.com" "; it is the key of an operator's marks, and never adopted"
unadopted "the parent of an apply set" "$(item Secret default shop)" \
	"Secret default/shop" "; it is the parent of an apply set, and never adopted"
here='it exists and is not part of Thing.example.com default/self;'
refused "that of a Namespace is not offered" "$(item Namespace "" t-space)" '{}' \
	"cannot apply Namespace t-space: $here it is not taken over, since watches.yaml has no \"adopt\"" \
	"... but the option is named"
refused "that of a ConfigMap" "$(item ConfigMap default app)" '{}' \
	"cannot apply ConfigMap default/app: $here \"adopt: {label: app}\" in watches.yaml would take it over" \
	"... is"

# ---- the wrong scope ----

refused "a kind without namespaces in one" "$(item Namespace default made)" '{}' \
	"cannot apply Namespace default/made: the server has this kind for the whole cluster: it needs \"scope: Cluster\" in watches.yaml" \
	"... is not made"
refused "a kind of namespaces in none" "$(item ConfigMap "" made)" '{}' \
	"cannot apply ConfigMap made: the server has this kind in namespaces: it needs \"scope: Namespaced\" in watches.yaml" \
	"... is not made either"

# ---- items that no watch would show ----

kubectl delete things --all >/dev/null
kubectl create namespace far >/dev/null
adopt=
watches
program '[config_map("c"; {app: "x"}; {k: "v"}) | in_namespace("far")]'
sed -i 's/^  namespaces/  finalizer: example.com\/x\n&/' "$T/watches.yaml"
thing t >/dev/null
things_run
ok "an item in a namespace that is not watched is refused" \
	wait_for 20 error_is t "namespace far is not watched"
is "$(kubectl get cm -n far -o name | grep -c /c)" 0 "... and not made"
things_stop
kubectl patch thing t --type=merge -p '{"metadata":{"finalizers":null}}' >/dev/null

watches 'selector: {matchLabels: {app: x}}'
program '[config_map("c"; {app: "x"}; {k: "v"})]'
things_run
there() {
	kubectl get cm c -o 'jsonpath={.metadata.labels.app}' | grep -qx x
}
ok "an item that is selected is made" wait_for 20 there
uid=$(kubectl get cm c -o 'jsonpath={.metadata.uid}')
kubectl label cm c app- other=1 >/dev/null
ok "a user removes its label: it is put back" wait_for 20 there
is "$(kubectl get cm c -o json | jq -r '.metadata | "\(.uid) \(.labels | keys)"')" \
	"$uid [\"app\",\"other\"]" "... at the same object"
things_stop

# ---- what never settles ----

kubectl delete things --all >/dev/null
watches
printf 'def desired: [];\ndef status: {n: ((.primary.status.n // 0) + 1), conditions: []};\n' \
	>"$T/reconcile.jq"
thing t >/dev/null
audit_mark
things_run
condition() {
	kubectl get thing t -o json | jq -r '.status.conditions[]
		| select(.type == "Unsettled" and .status == "True") | .message' >"$T/condition"
	test -s "$T/condition"
}
ok "a status that counts its writes: a condition says so" wait_for 60 condition
is "$(sed 's/1[0-9][0-9]/N/g' "$T/condition")" \
	".status.n changes again and again (N, then N)" "... with path and values"
told() {
	kubectl get events -o json | jq -e '.items[] | select(.reason == "Unsettled"
		and .type == "Warning" and .involvedObject.name == "t"
		and (.message | startswith(".status.n changes again and again (1")))'
}
ok "... and an Event" wait_for 20 told
writes() {
	audit 'select(.objectRef.resource == "things" and .verb == "patch") | 1' | wc -l
}
n=$(writes)
ok "... and it is held back: $n writes" [ "$n" -lt 130 ]
things_stop
done_testing
