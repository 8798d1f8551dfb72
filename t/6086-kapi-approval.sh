#!/bin/bash
# Definitions in the groups of Kubernetes itself say by an annotation who
# approved them; a condition tells what it was taken for.
# servers: kapi real
# shellcheck source=t/lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=t/cluster/lib.sh
. "${0%/*}/cluster/lib.sh"
cluster_start

definitions=/apis/apiextensions.k8s.io/v1/customresourcedefinitions
need='protected groups must have approval annotation "api-approved.kubernetes.io"'
see="see https://github.com/kubernetes/enhancements/pull/1111"

# definition GROUP [ANNOTATION]
definition() {
	jq -nc --arg group "$1" --arg text "${2-}" '{
		apiVersion: "apiextensions.k8s.io/v1",
		kind: "CustomResourceDefinition",
		metadata: {name: "gizmos.\($group)",
			annotations: {"api-approved.kubernetes.io": $text}},
		spec: {group: $group, scope: "Cluster",
			names: {plural: "gizmos", kind: "Gizmo"},
			versions: [{name: "v1", served: true, storage: true,
				schema: {openAPIV3Schema: {type: "object"}}}]}}
		| if $text == "" then del(.metadata.annotations) else . end' \
		>"$T/crd.json"
}
# condition GROUP: its status, reason and message
condition() {
	api "$definitions/gizmos.$1" | jq -r '.status.conditions[]?
		| select(.type == "KubernetesAPIApprovalPolicyConformant")
		| [.status, .reason, .message] | join("|")'
}
has() {
	[ "$(condition "$1")" = "$2" ]
}
established() {
	kubectl get crd "gizmos.$1" -o json | jq -e '
		any(.status.conditions[]?; .type == "Established"
			and .status == "True")' >/dev/null
}
# told GROUP ANNOTATION WANT
told() {
	definition "$1" "$2"
	kubectl create -f "$T/crd.json" >/dev/null
	comes 30 has "$1" "$3"
	is "$(condition "$1")" "$3" "$1: $2"
	comes 30 established "$1"
}
# becomes ANNOTATION WANT: after a change of that of a.k8s.io
becomes() {
	kubectl patch crd gizmos.a.k8s.io --type merge -p \
		'{"metadata":{"annotations":{"api-approved.kubernetes.io":'"$1"'}}}' \
		>"$T/out" 2>&1
	comes 30 has a.k8s.io "$2"
	is "$(condition a.k8s.io)" "$2" "changed: $1"
}

url=https://github.com/kubernetes/kubernetes/pull/1
told a.k8s.io "$url" "True|ApprovedAnnotation|approved in $url"
told b.kubernetes.io 'unapproved, "mine"' \
	'False|UnapprovedAnnotation|not approved: "unapproved, \"mine\""'
told k8s.io "$url?a#b" "True|ApprovedAnnotation|approved in $url?a#b"
told a-k8s.io "" ""
becomes '"unapproved"' 'False|UnapprovedAnnotation|not approved: "unapproved"'
becomes "\"$url\"" "True|ApprovedAnnotation|approved in $url"

# Neither new nor later it may be missing or wrong.
refused() # WHAT
{
	ok "refused: $1" grep -qF "$2, $see" "$T/out"
	is "$(condition a.k8s.io)" "True|ApprovedAnnotation|approved in $url" \
		"... and the condition stays"
}
kubectl patch crd gizmos.a.k8s.io --type merge -p \
	'{"metadata":{"annotations":null}}' >"$T/out" 2>&1
refused "without" "$need"
kubectl patch crd gizmos.a.k8s.io --type merge -p \
	'{"metadata":{"annotations":{"api-approved.kubernetes.io":"x"}}}' \
	>"$T/out" 2>&1
refused "not a URL" \
	"$need with either a URL or a reason starting with \"unapproved\""
definition c.k8s.io
kubectl create -f "$T/crd.json" >"$T/out" 2>&1
refused "new, without" "$need"
done_testing
