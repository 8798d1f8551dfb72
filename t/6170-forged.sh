#!/bin/bash
# Marks and owner references that users forge, with just the rights for that: no
# such object is deleted, shown or waited for, and no operator is held up.
# servers: kapi real
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=cluster/lib.sh
. "${0%/*}/cluster/lib.sh"
# shellcheck source=sets.sh
. "${0%/*}/sets.sh"
export KAPI_OPTIONS=--authorization-mode=RBAC
cluster_start

things_watches 'finalizer: example.com/f' \
	'dependents: [{apiVersion: v1, kind: ConfigMap, manage: true, namespaces: []}]'
cat >"$T/reconcile.jq" <<'X'
include "operator";
def desired: [range(.primary.spec.n) as $i
    | config_map("child-\(.primary.metadata.name)-\($i)"; {}; {a: "b"}) | in_namespace("sys")];
def status: {owned: [.owned.ConfigMap[].metadata | "\(.namespace)/\(.name)"], error: .error};
X
things_start
for n in ops victim tenant sys; do
	kubectl create namespace $n >/dev/null
done

# The rights: user1 is the operator, user2 the tenant, user3 may patch.
kubectl create clusterrole operator --verb=get,list,watch,create,patch,delete \
	--resource=configmaps >/dev/null
kubectl create clusterrole operator-things --verb=get,list,watch,patch \
	--resource=things.example.com,things.example.com/status >/dev/null
kubectl create clusterrole operator-events --verb=create,patch \
	--resource=events >/dev/null
for r in operator operator-things operator-events; do
	kubectl create clusterrolebinding $r --clusterrole=$r --user=user1 >/dev/null
done
kubectl create role tenant -n tenant --verb='*' \
	--resource=configmaps,things.example.com >/dev/null
kubectl create rolebinding tenant -n tenant --role=tenant --user=user2 >/dev/null
kubectl create role patcher -n sys --verb=get,patch --resource=configmaps \
	--resource-name=precious >/dev/null
kubectl create rolebinding patcher -n sys --role=patcher --user=user3 >/dev/null
as() { # USER KUBECTL-ARGUMENT...
	local user=$1

	shift
	kubectl --kubeconfig="$(config "$user")" "$@"
}
may_not() { # USER VERB WHAT -n NAMESPACE
	local user=$1

	shift
	[ "$(as "$user" auth can-i "$@")" = no ]
}
ok "the tenant may not write elsewhere" may_not user2 create configmaps -n sys
ok "the patcher may not delete" may_not user3 delete configmap/precious -n sys

thing() { # NAMESPACE NAME N
	printf '{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"namespace":"%s","name":"%s"},"spec":{"n":%s}}' "$@"
}
owned() { # NAMESPACE NAME
	api "/apis/example.com/v1/namespaces/$1/things/$2" |
		jq -r '(.status.owned // []) | join(" ")'
}
owns() { # NAMESPACE NAME OWNED
	[ "$(owned "$1" "$2")" = "$3" ]
}
start env POD_NAMESPACE=ops kpipe -f "$T/watches.yaml" \
	--kubeconfig="$(config user1)" 2>"$T/err"
ok "without the right to the key it says what to do" wait_for 20 \
	grep -qF 'kapply: error: cannot get Secret ops/kpipe-marks-thing.example.com, which has the key that proves marks: secrets "kpipe-marks-thing.example.com" is forbidden: User "user1" cannot get resource "secrets" in API group "" in the namespace "ops"; give the right to get it and to create secrets there, or the key in a file (kpipe --marks-key-file)' "$T/err"
kubectl create role key -n ops --verb=create --resource=secrets >/dev/null
kubectl create role key-get -n ops --verb=get --resource=secrets \
	--resource-name=kpipe-marks-thing.example.com >/dev/null
for r in key key-get; do
	kubectl create rolebinding $r -n ops --role=$r --user=user1 >/dev/null
done
thing victim v 2 | kubectl create -f - >/dev/null
two="sys/child-v-0 sys/child-v-1"
ok "a Thing has its members elsewhere" \
	wait_for 40 owns victim v "$two"
is "$(kubectl get secret -n ops kpipe-marks-thing.example.com \
	-o jsonpath='{.data.keys}' | base64 -d | grep -cxE '[0-9a-f]{64}')" 1 \
	"the key is in a Secret"
is "$(kubectl get thing -n victim v -o json | jq -r \
	'.metadata | .uid == .annotations["kpipe.dev/origin"]')" true \
	"the origin is noted at the primary"
is "$(kubectl get cm -n sys child-v-0 -o json | jq -r --arg uid \
	"$(kubectl get thing -n victim v -o jsonpath='{.metadata.uid}')" \
	'.metadata.annotations["kpipe.dev/proof"] | startswith("v1 \($uid) ")')" true \
	"... and stands in the proof"

# ---- the attacks ----

# marked NAMESPACE NAME PRIMARY [METADATA]
marked() {
	jq -cn --arg ns "$1" --arg name "$2" --arg primary "$3" --arg part \
		"$(printf %s "$3" | sha256sum | cut -c 1-32)" --argjson more "${4:-{\}}" '
	{apiVersion: "v1", kind: "ConfigMap", data: {x: "y"}, metadata:
		({namespace: $ns, name: $name, labels: {"kpipe.dev/part-of": $part},
		annotations: {"kpipe.dev/member": "\($primary) ConfigMap/\($ns)/\($name)"}}
		* $more)}'
}
v=Thing.example.com/victim/v
proof=$(kubectl get cm -n sys child-v-0 -o json |
	jq -r '.metadata.annotations["kpipe.dev/proof"]')
uid=$(kubectl get thing -n victim v -o jsonpath='{.metadata.uid}')
one=$(marked tenant f-N "$v")
for i in {0..129}; do
	echo "${one//f-N/f$i}"
done | as user2 create -f - >/dev/null
held='{"finalizers":["tenant.example/hold"]}'
{
	marked tenant held $v "$held"
	marked tenant copied $v \
		"$(jq -cn --arg p "$proof" '{annotations: {"kpipe.dev/proof": $p}}')"
	marked tenant origin $v "{\"annotations\":{\"kpipe.dev/proof\":\"v1 $uid AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\"}}"
	marked tenant lost "$(printf 'Thing.example.com/victim/x:\nkapply: fatal: all is lost')"
	marked tenant other Other.example.com/victim/v
	# Objects that Kubernetes' garbage collector would delete soon.
	marked tenant cross $v "{\"ownerReferences\":[{\"apiVersion\":\"example.com/v1\",\"kind\":\"Thing\",\"name\":\"v\",\"uid\":\"$uid\",\"controller\":true}],\"finalizers\":[\"tenant.example/hold\"]}"
	marked tenant nonsense $v "{\"ownerReferences\":[{\"apiVersion\":\"other/v9\",\"kind\":\"Nonsense\",\"name\":\"zzz\",\"uid\":\"$uid\",\"controller\":true}],\"finalizers\":[\"tenant.example/hold\"]}"
} | as user2 create -f - >/dev/null
thing tenant mine 1 | as user2 create -f - >/dev/null
kubectl create configmap -n sys precious --from-literal=a=b >/dev/null
as user3 label cm -n sys precious \
	"kpipe.dev/part-of=$(printf Thing.example.com/tenant/mine | sha256sum | cut -c 1-32)" >/dev/null
as user3 annotate cm -n sys precious \
	"kpipe.dev/member=Thing.example.com/tenant/mine ConfigMap/sys/precious" \
	"kpipe.dev/proof=$proof" >/dev/null
# An object with everything that a member has.
kubectl get cm -n sys child-v-0 -o json | jq '.metadata |= {name: "sibling",
	namespace, labels, annotations}' | kubectl create -f - >/dev/null
# An object with marks that takes the name of a future member.
marked sys child-w-0 Thing.example.com/victim/w | kubectl create -f - >/dev/null

# The object that was created last is seen last.
thing tenant last 1 | as user2 create -f - >/dev/null
ok "all was seen" wait_for 40 owns tenant last sys/child-last-0
is "$(owned victim v)" "$two" "nothing forged is shown to be the victim's"
# What another one's status says may be written after that.
ok "... nor to be the tenant's own" \
	wait_for 20 owns tenant mine sys/child-mine-0
kubectl patch thing -n victim v --type=merge -p '{"spec":{"n":1}}' >/dev/null
ok "the victim prunes, and no prune limit holds anything" \
	wait_for 20 owns victim v sys/child-v-0
thing victim w 1 | kubectl create -f - >/dev/null
refused() {
	api /apis/example.com/v1/namespaces/victim/things/w | jq -e --arg t \
		"cannot apply ConfigMap sys/child-w-0: it exists and is not part of Thing.example.com victim/w; its marks lack the proof: if an older version of this operator made it, start once with --accept-unproven-marks" \
		'.status.error == $t'
}
ok "a name that was taken, with marks: refused, with what to do" \
	wait_for 20 refused
is "$(kubectl get cm -n sys child-w-0 -o jsonpath='{.data}')" '{"x":"y"}' \
	"... and nothing was written into it"
kubectl delete thing -n victim v w --wait=false >/dev/null
ok "the victim can be deleted" wait_for 20 \
	api_gone /apis/example.com/v1/namespaces/victim/things/v
as user2 delete thing -n tenant mine --wait=false >/dev/null
ok "so can the tenant's own" wait_for 20 \
	api_gone /apis/example.com/v1/namespaces/tenant/things/mine
is "$(kubectl get cm -n tenant -o json | jq '[.items[].metadata.name
	| select(test("^f[0-9]"))] | length')" 130 "no forged object was deleted"
is "$(kubectl get cm -n tenant -o json | jq -r '[.items[].metadata
	| select(.deletionTimestamp == null) | .name
	| select(test("^(held|copied|origin|lost|other)$"))] | join(" ")')" \
	"copied held lost origin other" "... nor of any other kind"
is "$(kubectl get cm -n sys -o json | jq -r '[.items[].metadata.name
	| select(. != "kube-root-ca.crt")] | join(" ")')" \
	"child-last-0 child-w-0 precious sibling" "... nor what was only marked"
is "$(audit 'select(.user.username == "user1" and .verb == "delete")
	| .objectRef | "\(.namespace)/\(.name)"' | sort -u | tr '\n' ' ')" \
	"sys/child-mine-0 sys/child-v-0 sys/child-v-1 " \
	"only members were asked for to be deleted"
is "$(grep -c -e 'is an orphan' -e 'fatal' -e 'deletions within' "$T/err")" 0 \
	"no forged line is in the log"
is "$(kubectl get events -A -o json | jq '[.items[]
	| select(.reason == "PruneBrake")] | length')" 0 "... or reached the prune limit"
done_testing
