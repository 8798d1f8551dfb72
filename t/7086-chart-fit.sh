#!/bin/bash
# The charts as Helm writes them, with values of each kind: their objects fit
# together as those of the manifests do (7084-manifests-fit.sh).
# check-all: Helm needs Go
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=helm/lib.sh
. "${0%/*}/helm/lib.sh"
helm_start
kpipe --help >"$T/help"

# chart NAME [HELM-OPTION]...: $T/out is its objects, one on a line
chart() {
	: >"$T/out"
	helm template x "$T/$1" -n ns --kube-version "$KUBE_VERSION" \
		--set serviceMonitor.enabled=true,prometheusRule.enabled=true \
		"${@:2}" >"$T/yaml" 2>"$T/err" || return
	t/yaml-lines <"$T/yaml" | jq -c values >"$T/out"
}
# fits WHAT NAME [HELM-OPTION]...
fits() {
	chart "${@:2}"
	ok "$1" t/manifests/fit "$T/help" <"$T/out"
}
# has WHAT JQ WANTED [HELM-OPTION]...: of the chart of at
has() {
	chart at "${@:4}"
	is "$(jq -r "$2" "$T/out" | sort -u)" "$3" "$1" || quote <"$T/err"
}
# refused HELM-OPTION...
refused() {
	chart at "$@"
	is "$?" 1 "$* is refused"
}

for name in at cronjob iotservice memcached experimental; do
	kgen chart -f "pipeline/$name" -o "$T/$name" 2>/dev/null
	fits "$name" "$name"
done
fits "all namespaces" at --set scope=cluster
fits "some" at --set 'watchNamespaces={a,b}'
odd=(-n 123 --set-json 'watchNamespaces=["1e3"]' --set env.NO=y
	--set-string priorityClassName=1)
fits "what YAML takes for a number stays text" at "${odd[@]}"

container='select(.kind == "Deployment").spec.template.spec.containers[0]'
watched="$container.env[] | select(.name == \"WATCH_NAMESPACE\")
	| .value // .valueFrom.fieldRef.fieldPath"
has "the namespace of the release is watched" "$watched" metadata.namespace
has "... all of them" "$watched" "" --set scope=cluster
has "... some" "$watched" a,b --set 'watchNamespaces={a,b}'
names='.. | objects | select(has("namespace")) | .namespace | tojson'
has "no namespace is a number" "$names" $'"123"\n"1e3"' "${odd[@]}"
has "... no setting a truth, no class a number" 'select(.kind == "Deployment")
	.spec.template.spec | .priorityClassName, .containers[0].env[-1].name' \
	$'1\nNO' "${odd[@]}"
digest=sha256:$(printf %064d 1)
has "a digest" "$container.image" "r.io/a@$digest" --set image.repository=r.io/a \
	--set "image.digest=$digest" --set-string image.tag=1
has "uninstall keeps the kinds" 'select(.kind == "CustomResourceDefinition")
	.metadata.annotations["helm.sh/resource-policy"]' keep
users='select(.kind == "ClusterRole").metadata.name
	| select(test("viewer|editor"))'
has "rights of users" "$users" $'at-editor.ns\nat-viewer.ns'
has "... can be left out" "$users" "" --set userRoles.install=false
has "no replica" 'select(.kind == "Deployment").spec.replicas' 0 --set replicas=0
refused --set replicas=-1
refused --set "image.digest=${digest%?}"
refused --set "image.digest=${digest}0"
refused --set scope=cluster --set 'watchNamespaces={a}'
done_testing
