#!/bin/bash
# IoTService: a namespace that another user created before, with marks, gets no
# secret; objects of an older version are upgraded once; a restored instance
# gets its own objects back.
# servers: kapi real
# check-all: more of the pipelines
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=iot.sh
. "${0%/*}/iot.sh"

iot_cluster
iot_namespace op
kc create clusterrole squatter --verb=create --resource=namespaces >/dev/null
kc create clusterrolebinding squatter --clusterrole=squatter --user=user4 >/dev/null
# squat METADATA: as user4
squat() {
	echo "{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":$1}" |
		"$KUBECTL" --kubeconfig="$CLUSTER/user4.kubeconfig" create -f - >/dev/null
}
# fails NAME REASON
fails() {
	iot_is op "$1" Failed && kc get iot -n op "$1" -o \
		'jsonpath={.status.reason}' | grep -qF "$2"
}
no_secret() { # NAMESPACE
	kc get secret -n "$1" image-pull-secret 2>&1 | grep -q NotFound
}
# uids NAMESPACE: of the namespace, and of everything in it
uids() {
	kc get -n "$1" -o json \
		deployments,statefulsets,services,configmaps,secrets,networkpolicies |
		jq -c '[.items[].metadata | select(.labels["kpipe.dev/part-of"])
			| [.name, .uid]] | sort'
	kc get namespace "$1" -o 'jsonpath={.metadata.uid}'
}

primary=IoTService.cp.iot.sap/op/acme
squat "{\"name\":\"op-acme\",\"labels\":{\"kpipe.dev/part-of\":\"$(printf %s $primary |
	sha256sum | cut -c 1-32)\"},\"annotations\":{\"kpipe.dev/member\":\"$primary Namespace//op-acme\"}}"
iot_operator op
iot_create op acme
iot_create op beta
ok "an instance of its own" wait_for 60 iot_is op beta Available
ok "a namespace made in advance, with marks: Failed, and why" \
	wait_for 30 fails acme "cannot apply Namespace op-acme: it exists and is not part of IoTService.cp.iot.sap op/acme; its marks lack the proof"
ok "... and gets no secret" no_secret op-acme

# The marks of an instance that is gone do not count for the next one.
old=$(kc get namespace op-beta -o json |
	jq -c '.metadata | {name, labels, annotations}')
is "$(jq 'has("annotations") and (.annotations | has("kpipe.dev/proof"))' <<<"$old")" \
	true "marks with a proof were read"
kc delete iot -n op beta --wait=false >/dev/null
ok "their instance goes" wait_for 60 api_gone /api/v1/namespaces/op-beta
ok "... itself, too" wait_for 30 \
	api_gone /apis/cp.iot.sap/v1/namespaces/op/iotservices/beta
squat "$old"
iot_create op beta
ok "the namespace made again, with these marks: Failed" \
	wait_for 30 fails beta "its marks are of an earlier one of this name"
ok "... and gets no secret" no_secret op-beta
kc delete iot -n op acme beta --wait=false >/dev/null
ok "both can be deleted" wait_for 30 \
	api_gone /apis/cp.iot.sap/v1/namespaces/op/iotservices/beta
is "$(kc get namespace op-beta -o 'jsonpath={.status.phase}')" Active \
	"... and leave the namespace alone"
kc delete namespace op-acme op-beta --wait=false >/dev/null

# Objects of an older version: marks without a proof, no origin.
iot_create op gamma
ok "an instance" wait_for 60 iot_is op gamma Available
iot_stop "$operator"
kc annotate namespace op-gamma kpipe.dev/proof- >/dev/null
kc annotate -n op-gamma --all kpipe.dev/proof- \
	deployments,statefulsets,services,configmaps,secrets,networkpolicies >/dev/null 2>&1
kc annotate iot -n op gamma kpipe.dev/origin- >/dev/null
uids op-gamma >"$T/uids"
iot_operator op
ok "as an older version left it: Failed, with what to do" \
	wait_for 30 fails gamma "if an older version of this operator made it, start once with --accept-unproven-marks"
iot_stop "$operator"
uids op-gamma >"$T/now"
same "$T/now" "$T/uids" "... nothing is created again"
iot_operator op --accept-unproven-marks
ok "--accept-unproven-marks: until none is left" wait_for 60 \
	grep -q "no object has marks without a proof" "$T/operator.log"
iot_stop "$operator"
iot_operator op
ok "... then without it: Available" wait_for 60 iot_is op gamma Available
is "$(kc get -n op-gamma -o json deployments,services,configmaps,secrets |
	jq '[.items[].metadata | select(.labels["kpipe.dev/part-of"])
		| select(.annotations["kpipe.dev/proof"] == null)] | length')" 0 \
	"... all is proven"
iot_stop "$operator"
uids op-gamma >"$T/now"
same "$T/now" "$T/uids" "... and the same as before"

# A restored backup gives the instance another uid.
kc get iot -n op gamma -o json | jq 'del(.status) | .metadata |= ({name, namespace,
	annotations, finalizers})' >"$T/backup.json"
kc patch iot -n op gamma --type=merge -p '{"metadata":{"finalizers":null}}' >/dev/null
kc delete iot -n op gamma >/dev/null
kc create -f "$T/backup.json" >/dev/null
iot_operator op
ok "restored: Available" wait_for 60 iot_is op gamma Available
uids op-gamma >"$T/now"
same "$T/now" "$T/uids" "... with all that it had"
kc delete iot -n op gamma --wait=false >/dev/null
ok "... which goes with it" wait_for 60 api_gone /api/v1/namespaces/op-gamma
iot_stop "$operator"
done_testing
