#!/bin/bash
# make undeploy leaves alone what is of others: a namespace that deploy did not
# make, the key of another operator, what is retained, and what keeps that.
# servers: real
TEST_SECONDS=900
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=cluster/lib.sh
. "${0%/*}/cluster/lib.sh"
cluster_start
export IMG=registry.example.com/op:1 NAMESPACE=ops SCOPE=cluster

# said TEXT: it was printed
said() {
	cat "$T/out" "$T/err" | grep -qF -- "$1"
}

namespace() {
	kubectl get namespace "$1" -o json | jq -cS '.metadata
		| [.uid, .labels, .annotations]'
}

# folder NAME KIND PROGRAM: an operator of the group example.com
folder() {
	kgen new "$1" -o "$T/$1" --group example.com --kind "$2" \
		--cluster-scoped >/dev/null 2>&1
	cat >"$T/$1/watches.yaml" <<-YAML
		- group: example.com
		  version: v1alpha1
		  kind: $2
		  scope: Cluster
		  program: reconcile.jq
		  finalizer: example.com/$1
		  dependents:
		  - {apiVersion: v1, kind: Namespace, manage: true}
		  - {apiVersion: v1, kind: ConfigMap, manage: true, namespaces: [],
		     retain: true}
	YAML
	printf 'include "operator";\n%s\n' "$3" >"$T/$1/reconcile.jq"
}

# primary KIND NAME [FINALIZER]
primary() {
	echo "{\"apiVersion\": \"example.com/v1alpha1\", \"kind\": \"$1\",
		\"metadata\": {\"name\": \"$2\", \"finalizers\": [${3:+\"$3\"}]},
		\"spec\": {}}" |
		kubectl apply -f - >/dev/null
}

# --- a namespace of users
kubectl create namespace ops >/dev/null
kubectl label namespace ops team=a >/dev/null
namespace ops >"$T/ops"
namespace default >"$T/default"
runs 0 "undeploy of what was never deployed" deploy/undeploy pipeline/at
ok "... says that there was none" \
	said "there is no Deployment of at-operator in the namespace ops"
ok "... says why the namespace stays" said "nothing says that deploy made it"
is "$(namespace ops)" "$(<"$T/ops")" "... it stays as it was"
for ns in ops default; do
	runs 0 "deploy into $ns" env NAMESPACE=$ns deploy/deploy pipeline/at
	ok "... says what it did not set" \
		said "pod-security.kubernetes.io/enforce: restricted"
	is "$(namespace $ns)" "$(<"$T/$ns")" "... which stays as it was"
	runs 0 "deploy again" env NAMESPACE=$ns deploy/deploy pipeline/at
	runs 0 "undeploy" env NAMESPACE=$ns deploy/undeploy pipeline/at
	is "$(namespace $ns)" "$(<"$T/$ns")" "... leaves it as it was"
done
runs 0 "deploy into a new one" env NAMESPACE=new deploy/deploy pipeline/at
is "$(kubectl get namespace new -o json | jq -r '.metadata
	| .annotations["kpipe.dev/created-by"],
	  .labels["pod-security.kubernetes.io/enforce"]' | xargs)" \
	"deploy restricted" "... says who made it"
runs 0 "deploy again, with other labels" env NAMESPACE=new \
	deploy/deploy pipeline/memcached
is "$(kubectl get namespace new -o json |
	jq -r '.metadata.annotations["kpipe.dev/created-by"]')" "deploy" \
	"... still says so"
runs 0 "undeploy of one" env NAMESPACE=new deploy/undeploy pipeline/at
ok "... leaves it to the other one" kubectl get namespace new
runs 0 "undeploy of the other one" env NAMESPACE=new \
	deploy/undeploy pipeline/memcached
ok "... removes it" gone namespace new

# --- the key of another operator
folder alpha Alpha 'def desired: [];'
folder beta Beta 'def desired: [];'
for name in alpha beta; do
	deploy/deploy "$T/$name" >/dev/null 2>&1
	kubectl create secret generic -n ops "kpipe-marks-$name.example.com" \
		>/dev/null
done
runs 0 "undeploy of one operator" deploy/undeploy "$T/alpha"
ok "... deletes its key" gone secret kpipe-marks-alpha.example.com -n ops
ok "... but not another's" kubectl get secret -n ops \
	kpipe-marks-beta.example.com
# Two folders of one kind share the key.
cp -r "$T/beta" "$T/gamma"
sed -i 's/^name: beta/name: gamma/' "$T/gamma/operator.yaml"
deploy/deploy "$T/gamma" >/dev/null 2>&1
runs 0 "undeploy of one of two of a kind" deploy/undeploy "$T/gamma"
ok "... says who needs the key" said "stays: another operator needs it"
ok "... which stays" kubectl get secret -n ops kpipe-marks-beta.example.com
ok "... and that it may need the CRD" said "crd/betas.example.com stays: "
ok "... which stays, too" kubectl get crd betas.example.com

# --- CONFIRM=keep, and what is retained
runs 0 "CONFIRM=keep without a primary" env CONFIRM=keep \
	deploy/undeploy "$T/beta"
ok "... keeps the key" kubectl get secret -n ops kpipe-marks-beta.example.com
ok "... and the CRD" kubectl get crd betas.example.com
deploy/deploy "$T/beta" >/dev/null 2>&1
kubectl apply -f - >/dev/null <<END2
{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "data",
  "namespace": "default", "labels": {"kpipe.dev/part-of": "x"}, "annotations":
   {"kpipe.dev/member": "Beta.example.com/b ConfigMap/default/data",
    "kpipe.dev/retain": "true"}}}
END2
runs 0 "undeploy with a retained object" deploy/undeploy "$T/beta"
ok "... names it" said "it proves what is retained, such as ConfigMap/default/data"
ok "... keeps the key" kubectl get secret -n ops kpipe-marks-beta.example.com
kubectl delete configmap data >/dev/null
deploy/deploy "$T/beta" >/dev/null 2>&1
runs 0 "undeploy when it is gone" deploy/undeploy "$T/beta"
ok "... deletes the key" gone secret kpipe-marks-beta.example.com -n ops

# --- CONFIRM=delete leaves to the operator what it retains
folder room Room 'def desired: .primary.metadata.name as $n
  | [{apiVersion: "v1", kind: "Namespace", metadata: {name: "room-\($n)"}},
     ({apiVersion: "v1", kind: "ConfigMap",
       metadata: {name: "data", namespace: "room-\($n)"}}
      | if $n == "a" then retain(.) else . end)];'
deploy/deploy "$T/room" >/dev/null 2>&1
primary Room a
primary Room b
start env POD_NAMESPACE=ops OPERATOR_NAME=room kpipe -f "$T/room/watches.yaml" \
	-A 2>"$T/log"
ok "rooms" wait_for 60 kubectl get configmap data -n room-a
ok "... and another one" wait_for 60 kubectl get configmap data -n room-b
runs 100 "CONFIRM=delete" env CONFIRM=delete TIMEOUT=5s \
	deploy/undeploy "$T/room"
ok "... says what holds one" said "the operator drops their finalizers"
ok "... which keeps what is retained" kubectl get configmap data -n room-a
ok "... and deletes the other one" wait_for 60 gone namespace room-b
runs 100 "again" env CONFIRM=delete TIMEOUT=5s deploy/undeploy "$T/room"
ok "... keeps it" kubectl get configmap data -n room-a
is "$(kubectl get room a -o json | jq -c .metadata.finalizers)" \
	'["example.com/room"]' "... and does not change how it is deleted"
kubectl delete configmap data -n room-a >/dev/null
runs 0 "when that is gone" env CONFIRM=delete TIMEOUT=60s \
	deploy/undeploy "$T/room"
ok "... all is gone" gone namespace room-a

# --- a kind that others define
folder guest Guest 'def desired: [];'
mv "$T/guest/crd.yaml" "$T/guest/external-crds.yaml"
kubectl apply -f "$T/guest/external-crds.yaml" >/dev/null
kubectl wait --for=condition=Established crd/guests.example.com >/dev/null
deploy/deploy "$T/guest" >/dev/null 2>&1
kubectl create secret generic -n ops kpipe-marks-guest.example.com >/dev/null
primary Guest other example.com/other
primary Guest held example.com/guest
for confirm in "" delete; do
	runs 1 "undeploy with CONFIRM=$confirm of an operator with a guest" \
		env CONFIRM=$confirm deploy/undeploy "$T/guest"
	ok "... says which" grep -qx "	Guest  held" "$T/err"
	ok "... and not the one without its finalizer" \
		test "$(grep -c '	Guest' "$T/err")" = 1
	ok "... and leaves it" kubectl get guest held
	ok "... and the operator" kubectl get deployment -n ops \
		guest-operator-controller-manager
done
runs 0 "CONFIRM=keep" env CONFIRM=keep deploy/undeploy "$T/guest"
ok "... says what it means" said "objects of others have a finalizer of guest-operator"
ok "... and the operator is gone" gone deployment guest-operator-controller-manager -n ops
ok "... the guest is not" kubectl get guest held
ok "... nor the key" kubectl get secret -n ops kpipe-marks-guest.example.com
kubectl patch guest held --type=merge -p '{"metadata":{"finalizers":[]}}' >/dev/null
deploy/deploy "$T/guest" >/dev/null 2>&1
runs 0 "undeploy when none is held" deploy/undeploy "$T/guest"
ok "... deletes the key" gone secret kpipe-marks-guest.example.com -n ops
ok "... and no object of others" kubectl get guest other held
done_testing
