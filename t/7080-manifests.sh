#!/bin/bash
# kgen manifests: deploy/at is what it makes now, and what options change.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=makedeploy.sh
. "${0%/*}/makedeploy.sh"

# --- deploy/at
make_deploy at
ok "deploy/at is not stale (make manifests-at)" \
	diff -r deploy/at "$T/deploy/at"
is "$(cd pipeline && echo */operator.yaml)" \
	"$(printf '%s/operator.yaml\n' "${operators[@]}" | sort | xargs)" \
	"all operators are known"
kgen manifests -f pipeline/at -o "$T/deploy/at" >"$T/out" 2>&1
is "$(<"$T/out")" "" "again: nothing is written"
runs 0 "make manifests-at" make -s --no-print-directory \
	manifests-at "DEPLOY=$T/by-make"
ok "... makes the same" diff -r "$T/by-make/at" deploy/at

# Every metric of the rules exists, of each operator.
for name in "${operators[@]}"; do
	[ "$name" = at ] ||
		kgen manifests -f "pipeline/$name" -o "$T/deploy/$name" 2>"$T/err" ||
		flaw "the manifests of $name cannot be made"
	ok "$name has rules" test -s "$T/deploy/$name/monitoring/prometheus_rule.yaml"
done
grep -ohE '(kpipe|controller|workqueue|leader)_[a-z_]+' \
	"$T"/deploy/*/monitoring/prometheus_rule.yaml | sort -u >"$T/named"
is "$(grep -ohE '"[a-z_]+"' lib/report/metric.c | tr -d '"' | sort -u |
	comm -13 - "$T/named")" "" "the rules name metrics that exist"

# --- the stream
# made NAME KGEN-ARGUMENT...: the stream NAME
made() {
	kgen manifests -f "pipeline/$2" "${@:3}" >"$T/$1.yaml"
}
digest=sha256:$(printf %064d 1)
made at at
made iotservice iotservice
made cluster at --scope=cluster --image="x/a@$digest"
made changed at --namespace=here --image=x.example.com/a:b --set env.AT_IMAGE=x \
	--set env.MORE=1 --set resources.limits.memory=1Gi \
	--set 'imagePullSecrets=[mine]'
made recorded at --set record=64Mi
made pod at --set credentials=pod --image=x.example.com:5000/a
(cd "$T" && "$ROOT/t/yaml-lines" at iotservice cluster changed pod recorded)
# stream NAME: one object on a line
stream() {
	cat "$T/$1.json"
}
of_kind() {
	jq -c --arg kind "$1" 'select(.kind == $kind)'
}
is "$(stream at | jq -r .kind | uniq | xargs)" \
	"Namespace CustomResourceDefinition ServiceAccount Secret Role ClusterRole RoleBinding ClusterRoleBinding Service PodDisruptionBudget NetworkPolicy Deployment" \
	"in the order in which they need each other"
of_recording='select(.kind == "Deployment").spec.template.spec |
	[.containers[0].args - $args, [.containers[0].volumeMounts, .volumes |
	map(select(.name == "recording"))]]'
is "$(stream recorded | jq -c --argjson args "$(stream at | jq -c \
	'select(.kind == "Deployment").spec.template.spec.containers[0].args')" \
	"$of_recording")" \
	'[["--record=/recording","--record-size=64Mi"],[[{"name":"recording","mountPath":"/recording"}],[{"name":"recording","emptyDir":{}}]]]' \
	"record: a volume, and how much may be in it"
is "$(stream at | jq -c --argjson args '[]' "$of_recording | .[1]")" '[[],[]]' \
	"... and none without it"
is "$(stream at | jq -r '.metadata.namespace | select(.)' | sort -u)" \
	at-operator-system "in the operator's namespace"
is "$(stream changed | jq -r '.metadata.namespace // empty,
	.subjects[]?.namespace' | sort -u)" here "... or another one"
is "$(stream changed | of_kind ClusterRoleBinding |
	jq -r .metadata.name)" "at-http.here" \
	"... which is in the names of what others may have, too"

container() {
	stream "$@" | of_kind Deployment |
		jq -c '.spec.template.spec.containers[0]'
}
is "$(container pod | jq -r .image)" \
	"x.example.com:5000/a:$(sed -n 's/^version: //p' pipeline/at/operator.yaml)" \
	"an image without a tag has the version"
is "$(container changed | jq -r .image)" \
	"x.example.com/a:b" "... with one, that one"
is "$(container cluster | jq -r .image)" "x/a@$digest" \
	"... or a digest"

# --- flat/: the objects of the stream, but for the name and the image
flat() {
	mkdir -p "$T/flat"
	awk 'FNR == 1 { print "---" } { print }' "$T/deploy/$1/flat"/*.yaml \
		"$T/deploy/$1/flat/crds"/*_crd.yaml >"$T/flat/$1.yaml"
	(cd "$T/flat" && "$ROOT/t/yaml-lines" "$1")
	jq -cS . "$T/flat/$1.json" | sort
}
for name in at:at-operator iotservice:iot-operator; do
	deployment=${name#*:}
	name=${name%:*}
	flat "$name" >"$T/flat.out"
	stream "$name" | jq -cS --arg name "$deployment" '
		if .kind == "Deployment" then .metadata.name = $name
			| .spec.template.spec.containers[0].image = "REPLACE_IMAGE"
		else . end' | sort >"$T/flat.want"
	same "$T/flat.out" "$T/flat.want" "flat/ of $name has them all"
done

# --- scope
watched() {
	container "$@" | jq -c '.env[] | select(.name == "WATCH_NAMESPACE")
		| .value // .valueFrom.fieldRef.fieldPath'
}
is "$(watched at) $(watched cluster)" '"metadata.namespace" ""' \
	"the namespace of the Pod is watched, or all"
roles() {
	stream "$@" | jq -r 'select(.kind == "Role" or .kind == "ClusterRole")
		| .kind + "/" + .metadata.name' | sort | xargs
}
is "$(roles at)" "ClusterRole/at-http Role/at-kapply Role/at-kelect Role/at-kstatus Role/at-kwatch" \
	"Roles for one namespace"
is "$(roles cluster)" "ClusterRole/at-http ClusterRole/at-kapply ClusterRole/at-kstatus ClusterRole/at-kwatch Role/at-kelect" \
	"ClusterRoles for all"
security() {
	stream "$@" | of_kind Namespace |
		jq -r '.metadata.labels["pod-security.kubernetes.io/enforce"]'
}
is "$(security at) $(security cluster)" "baseline restricted" \
	"rules for Pods: strict where there are no others"
is "$(container iotservice | jq -r '.env[] | select(.name == "OPERATOR_NAME")
	| .valueFrom.fieldRef.fieldPath')" metadata.namespace \
	"an operator that asks for OPERATOR_NAME has its namespace"

# --- the lease is one that the Role knows
for name in at iotservice; do
	is "$(container $name | jq -r '.args[]' |
		sed -n 's/^--leader-election-id=//p')" \
		"$(stream $name | of_kind Role | jq -r '.rules[]
			| select(.resources == ["leases"])
			| .resourceNames[]?')" "$name may hold its lease"
done

# --- credentials
mounted() {
	of_kind Deployment |
		jq -c '.spec.template.spec.volumes[0].projected.sources[]
			| .secret.name // .serviceAccountToken // empty'
}
subjects() {
	jq -r '.subjects[]?.name' | sort -u | xargs
}
is "$(stream at | of_kind Secret | jq -r '.metadata.annotations[]' | xargs)" \
	"at-kwatch at-kapply at-kstatus at-kelect at-http" "a token for each stage"
is "$(stream at | mounted | jq -r . | xargs)" \
	"at-kwatch at-kapply at-kstatus at-kelect at-http" "... is mounted"
is "$(stream at | subjects)" \
	"at-http at-kapply at-kelect at-kstatus at-kwatch" "... has rights"
is "$(container at | jq -r '.args[]' | grep -c token-file)" 5 "... is an option"
is "$(stream pod | of_kind Secret)" "" "credentials: pod has none"
is "$(stream pod | mounted)" '{"path":"token","expirationSeconds":3600}' \
	"... but a token that is renewed"
is "$(stream pod | subjects)" at-operator "... of the Pod's account"
is "$(container pod | jq -r '.args[]' | grep token-file)" "" \
	"... which all stages find"

# --- variables and the rest of operator.yaml
environment() {
	container "$@" | jq -r '.env[] | select(.value) | "\(.name)=\(.value)"'
}
is "$(environment changed)" \
	"OPERATOR_NAME=at-operator
AT_IMAGE=x
MORE=1" "env: variables of watches.yaml, then others"
is "$(container changed | jq -c .resources)" \
	'{"limits":{"memory":"1Gi"}}' "resources"
is "$(stream changed | of_kind Deployment |
	jq -c .spec.template.spec.imagePullSecrets)" '[{"name":"mine"}]' \
	"pull secrets"
done_testing
