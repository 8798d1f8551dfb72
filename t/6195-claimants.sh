#!/bin/bash
# Below a cluster-scoped primary an object counts only with the proof that the
# operator made it: what anybody else writes in a namespace of their own holds
# up neither its status, nor its prune, nor its deletion. What an older version
# of the operator made, without a proof, gets one. With the rights that kgen
# finds.
# servers: kapi real
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=operator.sh
. "${0%/*}/operator.sh"
# shellcheck source=sets.sh
. "${0%/*}/sets.sh"
cluster_start

folder=$T/wide
mkdir "$folder"
things_watches 'scope: Cluster' 'finalizer: example.com/f' \
	'dependents: [{apiVersion: v1, kind: ConfigMap, manage: true}]'
cat >"$folder/reconcile.jq" <<'END'
include "operator";
def desired: [.primary.spec.in[] as $ns
	| config_map("cfg-w"; {}; {k: .primary.spec.k, once: .primary.spec.k})
	| in_namespace($ns) | immutable(.data.once)];
def finalize: {items: [], delete: .owned.ConfigMap, done: (.owned.ConfigMap == [])};
def status: {owned: [.owned.ConfigMap[].metadata | "\(.namespace)/\(.name)"],
	open: (.outstanding | length), error: .error};
END
kind_start Thing Cluster
for n in victim tenant other; do
	kubectl create namespace "$n" >/dev/null
done
folder_rights
kubectl create role tenant -n tenant --verb='*' --resource=configmaps >/dev/null
kubectl create rolebinding tenant -n tenant --role=tenant --user=user2 >/dev/null
as_tenant() {
	kubectl --kubeconfig="$(config user2)" -n tenant "$@"
}
wait_for 20 has_right user2 create configmaps -n tenant

thing() { # K NAMESPACES
	printf '{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"w"},"spec":{"k":"%s","in":%s}}' \
		"$@" | kubectl apply -f - >/dev/null
}
path=/apis/example.com/v1/things/w
cm() { # NAMESPACE [NAME]
	echo "/api/v1/namespaces/$1/configmaps/${2:-cfg-w}"
}
# is_at OWNED OPEN: the status
is_at() {
	api "$path" | jq -e --arg owned "$1" --argjson open "$2" \
		'.status | (.owned | join(" ")) == $owned and .open == $open
			and .error == null' >/dev/null
}
proven() { # NAMESPACE
	api "$(cm "$1")" | jq -e --arg uid "$uid" '.metadata
		| .annotations["kpipe.dev/proof"] // ""
		| test("^v[12] \($uid) ")' >/dev/null
}
uids() {
	for n in victim tenant other; do
		api "$(cm "$n")" | jq -r .metadata.uid
	done
}
# claimant NAME [METADATA]: a ConfigMap that claims to be the primary's
claimant() {
	jq -cn --arg name "$1" --arg uid "$uid" --argjson more "${2:-{\}}" '
	{apiVersion: "v1", kind: "ConfigMap", data: {x: "forged"}, metadata: ({$name,
		ownerReferences: [{apiVersion: "example.com/v1", kind: "Thing",
			name: "w", $uid, controller: true}]} + $more)}'
}

# ---- what an older version made: the same, without a key ----

without_key() {
	kwatch -f "$folder/watches.yaml" --once |
		ireconcile -f "$folder/watches.yaml" | kapply -o none
}
thing 1 '["victim","tenant","other"]'
uid=$(api "$path" | jq -r .metadata.uid)
# The lines after the first one have what it made.
without_key
is "$(uids | grep -c .)" 3 "members without a proof"
is "$(api "$(cm victim)" | jq '.metadata.annotations["kpipe.dev/proof"]')" null \
	"... have none"
before=$(uids)
# The operator is not there: one is not desired any more, another value is.
thing 2 '["victim","tenant"]'
operator
ok "members that are desired are taken over" \
	wait_for 40 is_at "tenant/cfg-w victim/cfg-w" 0
ok "... with a proof" proven victim
is "$(uids)" "$before" "... and are the same objects"
is "$(api "$(cm victim)" | jq -c .data)" '{"k":"2","once":"1"}' \
	"... with what is immutable"
left="thing.example.com w: ConfigMap/other/cfg-w: left alone: not desired, and without the proof that this operator made it; if an older version did, or the key was lost, start once with --accept-unproven-marks"
is "$(grep -c "ireconcile: warning: $left" "$T/operator.log")" 1 \
	"one that is not desired is named"
told() {
	kubectl get events -A -o json | jq -e '[.items[] | select(
		.reason == "Unproven" and .involvedObject.name == "w")] | length > 0'
}
ok "... in an Event, too" wait_for 20 told
ok "... and stays" api "$(cm other)"
operator_stop
: >"$T/operator.log"
operator --accept-unproven-marks
ok "--accept-unproven-marks: it goes" wait_for 40 api_gone "$(cm other)"
operator_stop
is "$(uids | head -n 2)" "$(head -n 2 <<<"$before")" "... and the others stay"

# ---- what others write ----

operator
ok "after a restart" wait_for 40 is_at "tenant/cfg-w victim/cfg-w" 0
claimant held '{"finalizers":["tenant.example/hold"]}' | as_tenant create -f - >/dev/null
one=$(claimant m-N)
for i in {0..149}; do
	echo "${one//m-N/m$i}"
done | as_tenant create -f - >/dev/null
# Copied from a member, under another name.
as_tenant get cm cfg-w -o json | jq '.metadata |= {name: "copied", labels,
	annotations, ownerReferences}' | as_tenant create -f - >/dev/null
thing 3 '["tenant"]'
ok "152 objects that claim to be its: the prune goes on" \
	wait_for 40 api_gone "$(cm victim)"
ok "... and they are not shown, nor waited for" \
	wait_for 40 is_at "tenant/cfg-w" 0
is "$(grep -c 'deletions within' "$T/operator.log")" 0 "... no prune limit holds anything"
is "$(as_tenant get cm -o json | jq '[.items[].metadata
	| select(.deletionTimestamp == null) | .name
	| select(test("^(m[0-9]+|held|copied)$"))] | length')" 152 \
	"... none was deleted"
is "$(grep -c 'left alone: not desired' "$T/operator.log")" 1 \
	"... and it is told once"

# A member that loses its proof gets it back.
as_tenant annotate cm cfg-w kpipe.dev/proof- >/dev/null
ok "a member whose proof was removed" wait_for 40 proven tenant
ok "... is one again" wait_for 40 is_at "tenant/cfg-w" 0
as_tenant annotate cm cfg-w --overwrite kpipe.dev/proof="v1 $uid AAAA" >/dev/null
good() {
	proven tenant && ! api "$(cm tenant)" | grep -q AAAA
}
ok "... and so with a false one" wait_for 40 good

# A wanted name that is taken, with everything but the proof.
claimant cfg-w | kubectl create -n victim -f - >/dev/null
thing 4 '["tenant","victim"]'
refused() {
	api "$path" | jq -e '.status.error // "" | test("^cannot apply ConfigMap victim/cfg-w: it exists and is not part of Thing.example.com w; its owner reference lacks the proof that this operator made it: delete it, or ")'
}
ok "a wanted name that is taken: refused, with what to do" wait_for 40 refused
is "$(api "$(cm victim)" | jq -c .data)" '{"x":"forged"}' \
	"... nothing was written into it"
kubectl delete cm -n victim cfg-w >/dev/null
ok "... and made when it is gone" \
	wait_for 40 is_at "tenant/cfg-w victim/cfg-w" 0

# ---- the key is another one ----

operator_stop
before=$(uids 2>/dev/null)
kubectl delete secret kpipe-marks-thing.example.com >/dev/null
old=$(api "$(cm victim)" | jq -r '.metadata.annotations["kpipe.dev/proof"]')
: >"$T/operator.log"
operator
renewed() {
	[ "$(api "$(cm victim)" | jq -r '.metadata.annotations["kpipe.dev/proof"]')" != "$old" ]
}
ok "the key was lost: members get a new proof" wait_for 40 renewed
ok "... and all are its" wait_for 40 is_at "tenant/cfg-w victim/cfg-w" 0
is "$(uids 2>/dev/null)" "$before" "... the same objects"

# ---- another instance of the operator ----

claimant evil '{"annotations":{"kpipe.dev/instance":"evil"}}' |
	as_tenant create -f - >/dev/null
thing 5 '["tenant","victim"]'
ok "a claim for another instance stops nothing" wait_for 40 eval \
	"api \"\$(cm victim)\" | jq -e '.data.k == \"5\"'"

# ---- the end ----

kubectl delete thing w --wait=false >/dev/null
ok "the primary can be deleted" wait_for 40 api_gone "$path"
is "$(as_tenant get cm -o json | jq '[.items[].metadata
	| select(.name == "held")] | length')" 1 \
	"... although a claimant with a finalizer is there"
done_testing
