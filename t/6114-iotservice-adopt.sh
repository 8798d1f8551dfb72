#!/bin/bash
# IoTService and the first operator. Back to it and here again, by a stand-in that
# does what is known of its two layouts: no claim is lost, and nothing runs twice
# but what its last version starts. An instance of it is adopted while it runs, as
# it is, and in the end deleted with all its objects; the same for objects of our
# own older versions.
# servers: kapi real
# check-all: more of the pipelines
. "${0%/*}/lib.sh"
. "${0%/*}/iot.sh"

# All its objects refer to the IoTService as their owner, which is in another
# namespace: for that a garbage collector of today deletes them. In the time of
# that operator there was none; here it starts later. That of kapi cannot start
# later, but leaves objects without a namespace alone.
CLUSTER_CONTROLLERS='*',-nodeipam,-service-lb-controller
CLUSTER_CONTROLLERS+=,-persistentvolume-binder-controller
CLUSTER_CONTROLLERS+=,-garbage-collector-controller
export CLUSTER_CONTROLLERS
refer=all
[ "$SERVER" = real ] || refer=namespace
iot_cluster
iot_namespace dev

all=deployments,statefulsets,services,configmaps,secrets,networkpolicies
# of NAMESPACE FILTER [KINDS]: of all objects there, and more kinds of them, with
# the Namespace
of() {
	{
		kc get -n "$1" -o json --show-managed-fields "$all${3:+,$3}" |
			jq '.items[] | select(.metadata.name != "kube-root-ca.crt")'
		kc get namespace "$1" -o json --show-managed-fields
	} | jq -rS "$2" | sort
}
uids='[.kind, .metadata.name, .metadata.uid] | join(" ")'
# of_theirs NAME [REFER]: what it makes for that IoTService, a List
of_theirs() {
	kc get iotservice -n dev "$1" -o json |
		jq --arg operator dev --arg refer "${2:-$refer}" --arg secret "$(
			kc get secret -n dev image-pull-secret \
				-o 'jsonpath={.data.\.dockerconfigjson}'
		)" -f t/iot/theirs.jq
}
# unchanged WHAT: every object of the instance "one" is the same one
unchanged() {
	of_one "$uids" >"$T/got"
	same "$T/got" "$T/uids" "$1"
}
of_one() {
	of dev-one "$1" persistentvolumeclaims
}

# ---- back to it, and here again ----

# reconciles NAMESPACE: it finds objects by their names, creates what is not there,
# and replaces what is not as it wants it, but Namespaces and Services; prints what
# it did
reconciles() {
	local object name there=" "

	of_theirs one | jq -c --arg namespace "$1" '.items[]
		| if .kind == "Namespace" then select($namespace != "dev")
		else .metadata.namespace = $namespace end' >"$T/theirs"
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
claims() { # NAMESPACE
	kc get persistentvolumeclaims -n "$1" -o json | jq -r '.items[].metadata
		| [.name, .uid, .deletionTimestamp] | tojson' | sort
}
members='select(.metadata.annotations["kpipe.dev/member"] != null) | .kind'

iot_create dev one '.spec.enableNetworkPolicies = true'
iot_operator dev
ok "an instance of ours" wait_for 60 iot_is dev one Available
iot_stop "$operator"
of_one "$uids" >"$T/uids"
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
unchanged "... each object is the same one, claims as well"
is "$(of_one "$members" | uniq -c | xargs)" "1 Namespace 7 Service" \
	"... what it replaced has no mark of ours"
iot_operator dev
ok "without the variable it is Failed" wait_for 60 iot_is dev one Failed
iot_stop "$operator"
unchanged "... nothing has changed"
export IOTSERVICE_ADOPT_LABEL=instance
iot_operator dev
ok "here again, with it: Available" wait_for 60 iot_is dev one Available
unchanged "... each object is the same one, claims as well"
is "$(of_one "$members" | wc -l)" "$(of_one 'select(.kind != "PersistentVolumeClaim")
	| .kind' | wc -l)" "... and all have our marks"
is "$(of_one 'select(.kind != "PersistentVolumeClaim")
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
of_one "$uids" >"$T/uids"
iot_operator dev
ok "here again, it is Failed" wait_for 60 iot_is dev one Failed
is "$(kc get iotservice -n dev one -o 'jsonpath={.status.reason}' |
	grep -o "^objects with instance=one exist in dev")" \
	"objects with instance=one exist in dev" "... and says what is there"
unchanged "... nothing has changed"
kc delete statefulsets,deployments,services -n dev -l instance=one >/dev/null
kc delete persistentvolumeclaims -n dev -l instance=one >/dev/null
ok "when the second one is deleted it is Available" \
	wait_for 60 iot_is dev one Available
claims dev-one >"$T/got"
same "$T/got" "$T/claims" "... with its claims"
iot_stop "$operator"
unset IOTSERVICE_ADOPT_LABEL

# ---- adopted ----

# their NAME [REFER]: an IoTService and its objects as that operator left them
their() {
	iot_create dev "$1" '.spec.enableNetworkPolicies = true
		| .metadata.finalizers = ["com.sap.iotservices/namespace-dropper"]
		| .spec.instance_namespace = "dev-'"$1"'"' || return 1
	of_theirs "$@" >"$T/theirs.json"
	kc create --field-manager=iotservice-operator -f "$T/theirs.json" >/dev/null
}
running() {
	[ "$(kc get pods -n "$1" -o json | jq '[.items[]
		| select(.status.phase == "Running")] | length')" -eq "$2" ]
}

their example
ok "an instance of theirs runs" wait_for 60 running dev-example 10
# A spec without the digest of the configuration, which differs.
specs='select(.kind != "ConfigMap" and .kind != "Namespace")
	| [.kind, .metadata.name, .type, .data, (.spec
	| del(.template.metadata.annotations["checksum/config"]?))] | tojson'
of dev-example "$uids" >"$T/uids"
of dev-example "$specs" >"$T/specs"
their_pods() { # objects that need not be created again, and all volumes
	kc get -n dev-example pods,persistentvolumeclaims -o json | jq -r '.items[]
		| select(.kind != "Pod" or .metadata.labels.component == "postgresql")
		| [.metadata.name, .metadata.uid] | join(" ")' | sort
}
their_pods >"$T/pods"
is "$(wc -l <"$T/uids") $(wc -l <"$T/specs") $(wc -l <"$T/pods")" "18 16 5" \
	"... with all that it has"

# ---- without adopt: Failed, with a hint at the option ----

iot_operator dev
ok "unasked it is Failed" wait_for 60 iot_is dev example Failed
is "$(kc get iotservice -n dev example -o json | jq -r '.status.reason' |
	grep -o '"adopt"')" '"adopt"' "... the reason names the option"
iot_stop "$operator"
of dev-example "$uids" >"$T/got"
same "$T/got" "$T/uids" "... nothing has changed"
: >"$T/operator.log"

# ---- taken over ----

export IOTSERVICE_ADOPT_LABEL=instance
iot_operator dev
ok "with the option it is Available" wait_for 60 iot_is dev example Available
of dev-example "$uids" >"$T/got"
same "$T/got" "$T/uids" "nothing was created again"
of dev-example "$specs" >"$T/got"
same "$T/got" "$T/specs" "no spec is another one, addresses and claims included"
their_pods >"$T/got"
same "$T/got" "$T/pods" "... so that pods without configuration run on"
is "$(of dev-example '.metadata.managedFields[].manager' |
	grep -c iotservice-operator)" 0 "no field is theirs"
is "$(of dev-example '.metadata.ownerReferences[]?.name')" "" \
	"no owner is in another namespace"
is "$(of dev-example 'select(.metadata.labels["kpipe.dev/part-of"] == null
	or .metadata.annotations["kpipe.dev/member"] == null) | .metadata.name')" \
	"" "all has our marks"
is "$(grep -c adopted "$T/operator.log")" 18 "it is logged once for each"
told() {
	[ "$(kc get events -n dev -o json | jq '[.items[] | select(
		.reason == "Adopted" and .involvedObject.name == "example")
		| .count] | add')" -ge 10 ]
}
ok "... told by Events" wait_for 20 told

# ---- then it is an instance like any other ----

kc patch iotservice -n dev example --type=merge \
	-p '{"spec": {"cockpit": {"container_port": "9090"}, "mms": {"image": "m:2"}}}' \
	>/dev/null
ok "a change of ports and images: Available again" \
	wait_for 60 iot_is dev example Available
is "$(kc get -n dev-example service cockpit-example -o json |
	jq -c '.spec.ports | map([.port, .targetPort])') $(kc get -n dev-example \
	statefulset messaging-example \
	-o 'jsonpath={.spec.template.spec.containers[0].image}')" \
	'[[9090,9090]] m:2' "... in Service and StatefulSet"

# ---- a namespace with that label, whose name is of another instance ----

kc create namespace dev-other >/dev/null
kc label namespace dev-other instance=somebody >/dev/null
iot_create dev other
ok "another instance's namespace is not taken" wait_for 60 iot_is dev other Failed
is "$(kc get namespace dev-other -o json | jq -c .metadata.labels.instance)" \
	'"somebody"' "... it stays as it was"

# ---- StatefulSets of our own older versions ----

iot_create dev old
ok "an instance of ours" wait_for 60 iot_is dev old Available
iot_stop "$operator"
for name in gateway-mqtt-old messaging-old; do
	kc get statefulset -n dev-old "$name" -o json | jq 'del(.status,
		.metadata.managedFields, .metadata.uid, .metadata.resourceVersion,
		.metadata.creationTimestamp, .metadata.generation)
		| .metadata.annotations["kpipe.dev/paths"] = "of another version"
		| .spec.volumeClaimTemplates[].metadata |= {name}' >"$T/$name.json"
	kc delete statefulset -n dev-old "$name" >/dev/null
	kc delete pods -n dev-old -l "component=${name%-old}" --force \
		>/dev/null 2>&1
	kc apply --server-side --field-manager=kpipe-iotservice.cp.iot.sap \
		-f "$T/$name.json" >/dev/null
done
templates() {
	kc get statefulsets -n dev-old -o json | jq -c '[.items[]
		| [.metadata.uid, (.spec.volumeClaimTemplates[].metadata | keys)]]'
}
templates >"$T/templates"
iot_operator dev
kc patch iotservice -n dev old --type=merge \
	-p '{"spec": {"mms": {"image": "m:3"}}}' >/dev/null
ok "claims without labels: Available" wait_for 60 iot_is dev old Available
is "$(kc get -n dev-old statefulset messaging-old \
	-o 'jsonpath={.spec.template.spec.containers[0].image}') $(templates)" \
	"m:3 $(<"$T/templates")" "... with the claims they had, and what is new"

# ---- a garbage collector at the same time ----

iot_stop "$operator"
their race all
[ "$SERVER" != real ] || start "$CLUSTER_BIN/kube-controller-manager" \
	--kubeconfig "$CLUSTER/admin.kubeconfig" --leader-elect=false \
	--controllers garbage-collector-controller --secure-port 0 \
	>"$T/collector.log" 2>&1
iot_operator dev
ok "with a garbage collector: Available" wait_for 60 iot_is dev race Available
is "$(of dev-race '.metadata.ownerReferences[]?.name')
$(of dev-race '.metadata.managedFields[].manager' |
	grep iotservice-operator)" "
" "... and nothing of theirs is left"

# ---- deleted like any other ----

kc delete iotservice -n dev example old race one --wait=false >/dev/null
deleted() {
	! kc get iotservice -n dev "$1" && ! kc get namespace "dev-$1"
}
for name in example old race one; do
	ok "deleted, $name is gone with its namespace" wait_for 60 deleted "$name"
done
iot_stop "$operator"
is "$?" 0 "the operator ends well"
is "$(audit 'select(.user.username == "user1")
	| select(.responseStatus.code == 403)
	| [.verb, .objectRef.resource] | tostring' | sort -u)" "" \
	"the rights were enough"
done_testing
