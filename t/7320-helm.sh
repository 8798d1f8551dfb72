#!/bin/bash
# The charts of our operators: what they give is what the manifests give, wrong
# values are refused, and a release is installed, upgraded, rolled back and
# removed on the real server, where its accounts have the rights that the
# operator needs. (A Pod of it is t/node's.)
# servers: real
# check-all: Helm needs Go
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=makedeploy.sh
. "${0%/*}/makedeploy.sh"
# shellcheck source=cluster/lib.sh
. "${0%/*}/cluster/lib.sh"
# shellcheck source=deployed.sh
. "${0%/*}/deployed.sh"
# shellcheck source=helm/lib.sh
. "${0%/*}/helm/lib.sh"
cluster_start
helm_start
make_deploy

# --- the same as the manifests
# objects: a stream of YAML, as sorted lines of JSON, without what is said of
# the chart and of the namespace
cat >"$T/objects" <<'PYTHON'
import json, sys, yaml
for o in yaml.safe_load_all(sys.stdin):
    if not o or o["kind"] == "Namespace":
        continue
    m = o["metadata"]
    if "helm.sh/hook" in m.get("annotations", {}):
        continue
    m.get("annotations", {}).pop("helm.sh/resource-policy", None)
    for empty in [k for k in ("annotations", "labels") if m.get(k) == {}]:
        del m[empty]
    for l in ("app.kubernetes.io/managed-by", "helm.sh/chart"):
        m.get("labels", {}).pop(l, None)
    suffix = "." + sys.argv[1]
    if o["kind"] == "ClusterRole":
        m["name"] = m["name"].removesuffix(suffix)
    if o.get("roleRef"):
        o["roleRef"]["name"] = o["roleRef"]["name"].removesuffix(suffix)
    if o["kind"] == "Deployment":
        for c in o["spec"]["template"]["spec"]["containers"]:
            c["env"].sort(key=lambda e: e["name"])
    print(o["kind"], m["name"], json.dumps(o, sort_keys=True))
PYTHON
objects() {
	python3 "$T/objects" "$1" | sort
}

# differences OPERATOR OVERLAY [HELM-OPTION...]
differences() {
	local namespace=$1-operator-system operator=$1 overlay=$2

	shift 2
	helm template x "$T/deploy/$operator/chart" -n "$namespace" \
		--kube-version "$KUBE_VERSION" "$@" | objects "$namespace" \
		>"$T/of.chart"
	{
		kubectl kustomize "$T/deploy/$operator/$overlay"
		echo ---
		kubectl kustomize "$T/deploy/$operator/users"
	} | objects "$namespace" >"$T/of.manifests"
	ok "... has objects" test "$(wc -l <"$T/of.chart")" -gt 20
	same "$T/of.chart" "$T/of.manifests" "... as $overlay has them"
}

for operator in "${operators[@]}"; do
	runs 0 "the chart of $operator" helm lint --strict \
		--kube-version "$KUBE_VERSION" "$T/deploy/$operator/chart"
	is "$(<"$T/err")" "" "... without a warning"
	overlay=namespaced
	[ -d "$T/deploy/$operator/namespaced" ] || overlay=cluster
	differences "$operator" "$overlay"
done
differences at cluster --set scope=cluster
# Programs in a ConfigMap
kgen manifests -f pipeline/iotservice --program=configmap -o "$T/deploy/program" \
	2>/dev/null
kgen chart -f pipeline/iotservice --program=configmap \
	-o "$T/deploy/program/chart" 2>/dev/null
mkdir "$T/own"
mv "$T/deploy/iotservice" "$T/own"
mv "$T/deploy/program" "$T/deploy/iotservice"
differences iotservice cluster
ok "... with the programs" grep -q '^ConfigMap iotservice-operator-program-' \
	"$T/of.chart"
rm -r "$T/deploy/iotservice"
mv "$T/own/iotservice" "$T/deploy"

# --- values
chart=$T/deploy/at/chart
template() {
	helm template x "$chart" -n ns --kube-version "$KUBE_VERSION" "$@"
}
# gives WHAT JQ WANTED HELM-OPTION...: JQ of the Deployment's template
gives() {
	local what=$1 filter=$2 want=$3

	shift 3
	is "$(template "$@" -s templates/operator.yaml | t/yaml-lines |
		jq -c ".spec | $filter")" "$want" "$what"
}
c='.template.spec.containers[0]'
gives "the image is of the version" "$c.image" \
	"\"localhost/at-operator:$(sed -n 's/^version: //p' pipeline/at/operator.yaml)\""
gives "a tag" "$c.image" '"localhost/at-operator:x"' --set image.tag=x
digest=sha256:$(printf '0%.0s' $(seq 64))
gives "a digest is before the tag" "$c.image" \
	"\"localhost/at-operator@$digest\"" --set image.tag=x \
	--set image.digest="$digest"
gives "options" "$c.args[-1]" '"--log-format=json"' \
	--set 'extraArgs[0]=--log-format=json'
gives "settings" "$c.env | map(select(.name | test(\"_IMAGE|X\")) | .value)" \
	'["1","y"]' --set env.AT_IMAGE=1 --set-string env.X=y
gives "namespaces" "$c.env[] | select(.name == \"WATCH_NAMESPACE\").value" \
	'"a,b"' --set 'watchNamespaces={a,b}'
is "$(template --set 'watchNamespaces={a,b}' -s templates/role_binding.yaml |
	grep -c '^  namespace: "[ab]"$')" 6 "... have roles"
gives "where Pods run" '.template.spec | [.nodeSelector, .tolerations,
	.affinity, .priorityClassName, .imagePullSecrets, .volumes[0].name]' \
	'[{"a":"b"},[{"operator":"Exists"}],{"c":{}},"d",null,"credentials"]' \
	--set nodeSelector.a=b --set 'tolerations[0].operator=Exists' \
	--set-json 'affinity={"c":{}}' --set priorityClassName=d \
	--set imagePullSecrets=null
gives "labels, annotations, resources" '.template | [.metadata.labels.e,
	.metadata.annotations.f, .spec.containers[0].resources.limits.cpu]' \
	'["g","h","1"]' --set podLabels.e=g --set podAnnotations.f=h \
	--set-string resources.limits.cpu=1
is "$(template --set crds.install=false --set userRoles.install=false \
	--set podDisruptionBudget.enabled=false \
	--set networkPolicy.enabled=false | grep -cE \
	'^kind: (CustomResourceDefinition|PodDisr.*|NetworkPolicy)|-viewer')" 0 \
	"what is switched off is not there"
is "$(template --set serviceMonitor.enabled=true \
	--set serviceMonitor.labels.release=p --set prometheusRule.enabled=true |
	grep -E '^kind: (ServiceMonitor|PrometheusRule)|release: p' | LC_ALL=C sort -k 2 | xargs)" \
	"kind: PrometheusRule kind: ServiceMonitor release: p" \
	"what is switched on is there"
runs 1 "an old Kubernetes is refused" template --kube-version 1.26.0
ok "... by its version" grep -q 'requires kubeVersion: >=1.27' "$T/err"

# refused VALUE TEXT: the schema says why
refused() {
	runs 1 "refused: $1" template --set-json "$1"
	ok "... it says $2" grep -qF -- "$2" "$T/err" || quote <"$T/err"
}
refused 'replica=3' replica
refused 'replicas="2"' /replicas
refused 'replicas=-1' /replicas
refused 'scope="all"' /scope
refused 'image.pullPolicy="Sometimes"' /image/pullPolicy
refused 'image.digest="sha256:12"' /image/digest
refused 'image.name="x"' name
refused 'image.repository="x\n          command: [sh]"' /image/repository
refused 'image.tag="x\n          command: [sh]"' /image/tag
refused 'priorityClassName="x\n      hostNetwork: true"' /priorityClassName
refused 'watchNamespaces=["A"]' /watchNamespaces/0
refused 'watchNamespaces="a"' /watchNamespaces
refused 'env={"WATCH_NAMESPACE": "x"}' WATCH_NAMESPACE
refused 'env={"A": {"b": "c"}}' /env/A
refused 'extraArgs=["x"]' /extraArgs/0
refused 'networkPolicy.apiServerPorts=[]' /networkPolicy/apiServerPorts
refused 'crds.install="yes"' /crds/install
runs 1 "refused: all namespaces, and some" template --set scope=cluster \
	--set 'watchNamespaces={a}'

# --- a release
system=memcached-operator-system
release() {
	helm "$1" memcached "${2:-$T/deploy/memcached/chart}" -n "$system" "${@:3}"
}
replicas() {
	kubectl get deployment -n "$system" -o \
		'jsonpath={.items[*].spec.replicas}'
}
kubectl create namespace other >/dev/null
runs 0 "install" release install "" --create-namespace \
	--set "watchNamespaces={$system,other}"
ok "... says how to look" grep -q 'helm test memcached' "$T/out"
ok "... and that the pull secret is missing" \
	grep -q 'no Secret image-pull-secret' "$T/out"
is "$(replicas)" 2 "... two replicas"
runs 1 "a second release of it there" helm install second \
	"$T/deploy/memcached/chart" -n "$system"
ok "... is refused" grep -q 'cannot be imported into the current release' \
	"$T/err"

# As the Deployment says, with the credentials of its accounts: the rights.
(
	trap - EXIT
	deployed memcached "$system" kpipe 2>"$T/operator.log"
) &
operator=$!
started+=("$operator")
example() {
	kubectl apply -n "$1" -f pipeline/memcached/example.yaml >/dev/null
}
example other
kubectl get memcached -A -o name | quote
wait_for 60 kubectl get deployment example -n other
tap $? "its accounts have the rights that it needs" ||
	quote <"$T/operator.log"

uid=$(kubectl get memcached example -n other -o 'jsonpath={.metadata.uid}')
runs 0 "upgrade" release upgrade "" --reuse-values --set replicas=3
is "$(replicas)" 3 "... three replicas"
runs 0 "rollback" helm rollback memcached 1 -n "$system"
is "$(replicas)" 2 "... two again"
is "$(helm history memcached -n "$system" -o json | jq -c 'map(.status)')" \
	'["superseded","superseded","deployed"]' "... the third revision"

# A new schema reaches the cluster, which crds/ of Helm would not do.
cp -r "$T/deploy/memcached/chart" "$T/new"
sed -i 's/^\( *\)minimum: 0$/&\n\1maximum: 9/;s/^version:.*/version: 0.2.0/' \
	"$T/new/templates/crds/memcacheds.yaml" "$T/new/Chart.yaml"
runs 0 "a chart with a new schema" helm upgrade memcached "$T/new" \
	-n "$system" --reuse-values
refuses_10() {
	! kubectl patch memcached example -n other --type=merge \
		-p '{"spec":{"size":10}}'
}
wait_for 30 refuses_10
tap $? "... an upgrade brings it"

kill -TERM "$operator"
wait "$operator"
is "$?" 0 "the operator ends"
is "$(grep -c 'forbidden' "$T/operator.log")" 0 "... nothing was forbidden" ||
	grep forbidden "$T/operator.log" | quote

runs 0 "uninstall" helm uninstall memcached -n "$system"
is "$(kubectl get all,secret,role,rolebinding,networkpolicy,pdb,sa \
	-n "$system" -o name | grep memcached)" "" "... leaves nothing there"
is "$(kubectl get role,rolebinding -n other -o name | grep memcached)" "" \
	"... nor in the namespaces that it watched"
is "$(kubectl get clusterrole,clusterrolebinding -o name |
	grep memcached)" "" "... nor in the cluster"
is "$(kubectl get memcached example -n other -o 'jsonpath={.metadata.uid}')" \
	"$uid" "... but the kind, and the object that it was"

# --- from a package; the kind is still there
runs 0 "package" helm package "$T/deploy/memcached/chart" -d "$T"
runs 0 "install the package" release install "$T"/memcached-operator-*.tgz
is "$(replicas)" 2 "... two replicas"
runs 0 "uninstall" helm uninstall memcached -n "$system"

# --- two of an operator of the whole cluster, each in its namespace
first=iotservice-operator-system
runs 0 "IoTService" helm install iot "$T/deploy/iotservice/chart" -n "$first" \
	--create-namespace
runs 0 "... twice" helm install iot "$T/deploy/iotservice/chart" -n second \
	--create-namespace --set crds.install=false --set replicas=1
(
	trap - EXIT
	deployed iotservice "$first" kpipe 2>"$T/operator.log"
) &
operator=$!
started+=("$operator")
kubectl create secret docker-registry image-pull-secret -n "$first" \
	--docker-server=x --docker-username=x --docker-password=x >/dev/null
kubectl apply -n "$first" -f pipeline/iotservice/example.yaml >/dev/null
has_deployments() {
	[ "$(kubectl get deployment -A -l instance=example -o name |
		wc -l)" -gt 2 ]
}
wait_for 60 has_deployments
tap $? "its accounts have the rights that it needs" || {
	quote <"$T/operator.log"
	kubectl get iot -A -o yaml | tail -n 20 | quote
}
is "$(grep -c 'forbidden' "$T/operator.log")" 0 "... nothing was forbidden" ||
	grep forbidden "$T/operator.log" | quote

# helm test runs this in a Pod: what would the operator do now?
mapfile -t dry < <(helm get hooks iot -n "$first" | t/yaml-lines |
	jq -r '.spec.containers[0].args[]' |
	sed "s,/operator,pipeline/iotservice,
		s,/var/run/secrets/kubernetes.io/serviceaccount,$T/tokens/iotservice,")
dry_run() {
	env -u KUBECONFIG OPERATOR_NAME="$first" POD_NAMESPACE="$first" kpipe "${dry[@]}" \
		--server="$CLUSTER_SERVER" \
		--certificate-authority="$CLUSTER/certificates/apiserver.crt"
}
runs 0 "its test, by its accounts" dry_run || quote <"$T/err"
done_testing
