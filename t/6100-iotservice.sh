#!/bin/bash
# IoTService on an API server: the stages in a shell pipe, each as a user
# of its own with the rights that rbac.yaml gives it and no others.
# servers: kapi real
. "${0%/*}/lib.sh"
. "${0%/*}/iot.sh"

iot_cluster
iot_namespace dev

# ---- rights as the head of rbac.yaml describes ----

for stage in kwatch kapply; do
	kc create clusterrolebinding "dev-$stage" --user="$stage" \
		--clusterrole="iotservice-$stage" >/dev/null
done
for stage in kwatch kapply kstatus; do
	kc create rolebinding "$stage" -n dev --user="$stage" \
		--clusterrole="iotservice-$stage-operator" >/dev/null
done
wait_for 20 has_right kapply get secrets
wait_for 20 has_right kstatus patch iotservices --subresource=status -n dev

# ---- the pipe ----

# as STAGE ARGUMENT...
as() {
	exec "$1" --kubeconfig="$CLUSTER/$1.kubeconfig" "${@:2}" 2>>"$T/$1.log"
}
export OPERATOR_NAME=dev
mkfifo "$T/pipe1" "$T/pipe2" "$T/pipe3" "$T/pipe4" "$T/pipe5"
exec 3<>"$T/pipe1" 4<>"$T/pipe2" 5<>"$T/pipe3" 6<>"$T/pipe4" 7<>"$T/pipe5"
start as kwatch -f "$iot/watches.yaml" --timestamps --show-secrets >&3
start from 3 tee "$T/recorded" >&4
start from 4 ireconcile -f "$iot/watches.yaml" >&5 2>"$T/ireconcile.log"
start from 5 tee "$T/sets" >&6
kapply_from() {
	as kapply -o status <&6
}
kstatus_from() {
	as kstatus <&7
}
start kapply_from >&7
start kstatus_from

# ---- 1. the example reaches Available ----

audit_mark
iot_create dev example
ok "the example is there for kubectl wait" kc wait -n dev --timeout=240s \
	--for=condition=Ready iot/example
is "$(kc get iot -n dev --no-headers | awk '{print $1, $2}')" \
	"example Available" "... and kubectl get shows its phase"
is "$(kc get iot -n dev example -o json | jq -c '
	[.status.observedGeneration == .metadata.generation,
	 (.status | keys), .status.conditions[0].status,
	 .metadata.finalizers]')" \
	'[true,["conditions","observedGeneration","phase","pods"],"True",["com.sap.iotservices/namespace-dropper"]]' \
	"the status, and the finalizer"
# Ready is seen of the Deployments, which may come before the last of the pods.
ok "... names the running pods" wait_for 20 iot_names_pods dev example
is "$(kc get namespace dev-example -o jsonpath='{.metadata.labels.instance}')" \
	example "the namespace has the label"

objects() {
	kc get -n "$1" -o json --ignore-not-found \
		deployments,statefulsets,services,configmaps,secrets,networkpolicies |
		jq -r '.items[] | select(.metadata.name != "kube-root-ca.crt")
			| "\(.kind) \(.metadata.name) \(.metadata.labels.instance) \(.metadata.labels.component // "-")"' |
		LC_ALL=C sort
}
objects dev-example >"$T/objects"
cat >"$T/objects.want" <<'END'
ConfigMap iotservice-example example iotservice
Deployment cockpit-example example cockpit
Deployment core-example example core
Deployment gateway-rest-example example gateway-rest
Deployment haproxy-example example haproxy
Deployment postgresql-example example postgresql
NetworkPolicy deny-not-instance-example example -
Secret image-pull-secret example -
Service cockpit-example example cockpit
Service core-example example core
Service gateway-mqtt-example example gateway-mqtt
Service gateway-rest-example example gateway-rest
Service iot-example example haproxy
Service messaging-example example messaging
Service postgresql-example example postgresql
StatefulSet gateway-mqtt-example example gateway-mqtt
StatefulSet messaging-example example messaging
END
same "$T/objects" "$T/objects.want" "every object is there, labelled"

# t/6000-iotservice.sh compares their fields.
kc get secret -n dev image-pull-secret -o json | jq -S '[.type, .data]' >"$T/a"
kc get secret -n dev-example image-pull-secret -o json |
	jq -S '[.type, .data]' >"$T/b"
same "$T/b" "$T/a" "the pull secret is a copy"

# ---- config.yml, of v1 and of v1alpha1, nulls and zero values ----

config() {
	kc get configmap -n "dev-$1" "iotservice-$1" -o json |
		jq -r '.data["config.yml"]'
}
for name in full old; do
	grep "\"IoTService\".*\"name\":\"$name\"" "$iot/t/instances.jsonl" |
		jq '.object | del(.status) | .metadata |= {name, namespace}' |
		kc create -f - >/dev/null
	ok "$name is Available" wait_for 60 iot_is dev "$name" Available
	config "$name" >"$T/config"
	same "$T/config" "$iot/t/$name.config.yml" "config.yml of $name"
done
jq 'del(.metadata.namespace) | .apiVersion = "cp.iot.sap/v1alpha1"
	| .metadata.name = "alpha" | .spec.on_boarding = "gone"' \
	"$T/example.json" | kc create -n dev --validate=ignore -f - >/dev/null
ok "an object of v1alpha1 is Available" wait_for 60 iot_is dev alpha Available
config alpha >"$T/config"
is "$(grep on_boarding "$T/config")" '  on_boarding: "oneproduct"' \
	"... without the fields that only v1 has"

# ---- 2. converged: no more requests ----

all_stopped() {
	! kc get pods -A -o 'jsonpath={.items[*].status.phase}' | grep -q Pending
}
wait_for 20 all_stopped
said() {
	audit_writes
	wc -l <"$T/sets"
}
wait_for 60 rests 3 said # the last events of the controllers may be on their way
ok "converged: no write in ${SILENCE:-30} s, and no output of ireconcile" \
	rests "${SILENCE:-30}" said

# ---- requests on the way there ----

for user in kapply kstatus; do
	is "$(created_twice "$user")" "" "$user created nothing twice"
done
is "$(audit 'select(.user.username | test("^(kwatch|kapply|kstatus)$"))
	| select(.responseStatus.code == 403)
	| [.user.username, .verb, .objectRef.resource] | tostring' | sort -u)" "" \
	"the rights are enough"
is "$(besides_work "$T/kwatch.log" "$T/ireconcile.log" "$T/kapply.log" \
	"$T/kstatus.log")" \
	"" "no complaints"
done_testing
