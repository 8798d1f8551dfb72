#!/bin/bash
# IoTService: back to the first operator and here again, by a stand-in that does
# what is known of its two layouts. No claim is lost, and nothing runs twice but
# what its last version starts.
# servers: kapi real
# check-all: more of the pipelines
. "${0%/*}/lib.sh"
. "${0%/*}/iot.sh"

# It refers to an owner in another namespace, for which a garbage collector of
# today deletes what it writes: as in the time of that operator there is none.
CLUSTER_CONTROLLERS='*',-nodeipam,-service-lb-controller
CLUSTER_CONTROLLERS+=,-persistentvolume-binder-controller
CLUSTER_CONTROLLERS+=,-garbage-collector-controller
export CLUSTER_CONTROLLERS
refer=all
[ "$SERVER" = real ] || refer=namespace
iot_cluster
iot_namespace dev

all=deployments,statefulsets,services,configmaps,secrets,networkpolicies
# theirs NAMESPACE: what it wants of the instance "one" there, an object a line
theirs() {
	kc get iotservice -n dev one -o json |
		jq --arg operator dev --arg refer "$refer" --arg secret "$(
			kc get secret -n dev image-pull-secret \
				-o 'jsonpath={.data.\.dockerconfigjson}'
		)" -f t/iot/theirs.jq | jq -c --arg namespace "$1" '.items[]
			| if .kind == "Namespace" then
				select($namespace != "dev")
			else .metadata.namespace = $namespace end'
}
# reconciles NAMESPACE: it finds objects by their names, creates what is not there,
# and replaces what is not as it wants it, but Namespaces and Services; prints what
# it did
reconciles() {
	local object name there=" "

	theirs "$1" >"$T/theirs"
	there=$(kc get -n "$1" -o json "$all" | jq -r --arg n "$1" \
		'"Namespace/" + $n, (.items[] | .kind + "/" + .metadata.name)')
	: >"$T/create"
	while read -r object; do
		name=$(jq -r '.kind + "/" + .metadata.name' <<<"$object")
		if ! grep -qx "$name" <<<"$there"; then
			echo "$object" >>"$T/create"
		elif [[ $name == Namespace/* || $name == Service/* ]]; then
			continue
		elif kc replace --field-manager=iotservice-operator -f - \
			<<<"$object" >/dev/null 2>"$T/replace.err"; then
			echo "replaced $name"
		else
			echo "refused $name"
		fi
	done <"$T/theirs"
	[ ! -s "$T/create" ] || jq -s '{apiVersion: "v1", kind: "List", items: .}' \
		"$T/create" | kc create --field-manager=iotservice-operator \
		-o name -f - | sed 's,^,created ,'
}
# of FILTER: of all objects of the instance, with its Namespace and claims
of() {
	{
		kc get -n dev-one -o json "$all,persistentvolumeclaims" |
			jq '.items[] | select(.metadata.name != "kube-root-ca.crt")'
		kc get namespace dev-one -o json
	} | jq -rS "$1" | sort
}
uids() {
	of '[.kind, .metadata.name, .metadata.uid] | join(" ")'
}
claims() { # NAMESPACE
	kc get persistentvolumeclaims -n "$1" -o json | jq -r '.items[].metadata
		| [.name, .uid, .deletionTimestamp] | tojson' | sort
}
members='select(.metadata.annotations["kpipe.dev/member"] != null) | .kind'

iot_create dev one '.spec.enableNetworkPolicies = true'
iot_operator dev
ok "an instance of ours" wait_for 60 iot_is dev one Available
iot_stop "$operator"
uids >"$T/uids"
claims dev-one >"$T/claims"
is "$(wc -l <"$T/claims")" 4 "... with four claims"

# ---- a version that keeps an instance in its own namespace ----

for time in first second; do
	reconciles dev-one >"$T/did"
	is "$(sed 's,/.*,,' "$T/did" | sort | uniq -c | xargs)" \
		"1 replaced ConfigMap 5 replaced Deployment 1 replaced NetworkPolicy 1 replaced Secret 2 replaced StatefulSet" \
		"the $time time it replaces what it may, and creates nothing"
done
is "$(kc get namespaces -o name | grep -c /dev)" 2 \
	"... so that no other instance is there"
uids >"$T/got"
same "$T/got" "$T/uids" "... each object is the same one, claims as well"
is "$(of "$members" | uniq -c | xargs)" "1 Namespace 7 Service" \
	"... what it replaced has no mark of ours"
iot_operator dev
ok "without the variable it is Failed" wait_for 60 iot_is dev one Failed
iot_stop "$operator"
uids >"$T/got"
same "$T/got" "$T/uids" "... nothing has changed"
export IOTSERVICE_ADOPT_LABEL=instance
iot_operator dev
ok "here again, with it: Available" wait_for 60 iot_is dev one Available
uids >"$T/got"
same "$T/got" "$T/uids" "... each object is the same one, claims as well"
is "$(of "$members" | wc -l)" "$(of 'select(.kind != "PersistentVolumeClaim")
	| .kind' | wc -l)" "... and all have our marks"
is "$(of 'select(.kind != "PersistentVolumeClaim")
	| .metadata.ownerReferences[]?.name')" "" \
	"... and no owner in another namespace"
iot_stop "$operator"

# ---- the last version, which keeps it in that of the IoTService ----

reconciles dev >"$T/did"
is "$(grep -c ^created "$T/did") $(grep -c "^created statefulset" "$T/did")" \
	"16 2" "the last version starts it a second time"
has_claims() { [ "$(claims dev | wc -l)" = 4 ]; }
ok "... with claims of its own" wait_for 60 has_claims
claims dev-one >"$T/got"
same "$T/got" "$T/claims" "... and leaves ours"
uids >"$T/uids"
iot_operator dev
ok "here again, it is Failed" wait_for 60 iot_is dev one Failed
is "$(kc get iotservice -n dev one -o 'jsonpath={.status.reason}' |
	grep -o "^objects with instance=one exist in dev")" \
	"objects with instance=one exist in dev" "... and says what is there"
uids >"$T/got"
same "$T/got" "$T/uids" "... nothing has changed"
kc delete statefulsets,deployments,services -n dev -l instance=one >/dev/null
kc delete persistentvolumeclaims -n dev -l instance=one >/dev/null
ok "when the second one is deleted it is Available" \
	wait_for 60 iot_is dev one Available
claims dev-one >"$T/got"
same "$T/got" "$T/claims" "... with its claims"
iot_stop "$operator"
is "$?" 0 "the operator ends well"
done_testing
