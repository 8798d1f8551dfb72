#!/bin/bash
# kapply takes what kwatch prints: a copy of objects, without what only their
# server writes.
# servers: kapi real
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=cluster/lib.sh
. "${0%/*}/cluster/lib.sh"
# shellcheck disable=SC2119
cluster_start

kubectl create namespace x >/dev/null
kubectl create configmap -n x a --from-literal=k=v >/dev/null
kubectl create secret generic -n x s --from-literal=p=q >/dev/null
kubectl create -f - >/dev/null <<'EOF'
{"apiVersion":"policy/v1","kind":"PodDisruptionBudget","metadata":{"name":"b","namespace":"x"},"spec":{"minAvailable":1,"selector":{"matchLabels":{"a":"b"}}}}
EOF
kubectl patch pdb b -n x --subresource=status --type=merge \
	-p '{"status":{"currentHealthy":7,"desiredHealthy":7,"disruptionsAllowed":0,"expectedPods":7}}' >/dev/null

# all: what there is, without what differs between two objects
all() {
	kwatch --once --objects -n x configmaps/a secrets/s pdb/b | jq -S \
		'del(.status, .metadata["uid", "resourceVersion", "creationTimestamp"])' |
		jq -sc 'sort_by(.kind)'
}
kwatch --once --show-managed-fields --show-secrets -n x configmaps/a secrets/s pdb/b >"$T/events"
all >"$T/want"
kubectl get configmap a -n x -o json | jq '.data.k = "w"' >"$T/object"

runs 0 "objects onto themselves" kapply -o result <"$T/events"
is "$(jq -r .result "$T/out" | sort | uniq -c | xargs)" "3 configured" \
	"... get one field manager more"

kubectl delete -n x configmap a >/dev/null
kubectl delete -n x secret s >/dev/null
kubectl delete -n x pdb b >/dev/null
runs 0 "objects that are gone" kapply -o result <"$T/events"
is "$(jq -r .result "$T/out" | sort | uniq -c | xargs)" "3 created" \
	"... are created again"
all >"$T/got"
same "$T/got" "$T/want" "... as they were"
is "$(kubectl get pdb b -n x -o json | jq '.status.expectedPods == 7')" false \
	"... but for the status"

runs 0 "an object with an old uid and resourceVersion" \
	kapply -o result <"$T/object"
is "$(jq -r .result "$T/out") $(kubectl get configmap a -n x -o jsonpath='{.data.k}')" \
	"configured w" "... is applied"

# References to owners name uids: those of copies are others.
kubectl create configmap -n x owner >/dev/null
owned() { # NAME: a ConfigMap of that owner
	jq -cn --arg name "$1" --arg uid "$uid" '{apiVersion: "v1", kind: "ConfigMap",
		metadata: {$name, namespace: "x", ownerReferences:
			[{apiVersion: "v1", kind: "ConfigMap", name: "owner", $uid}]}}'
}
uid=$(kubectl get configmap -n x owner -o jsonpath='{.metadata.uid}')
owned child | kubectl create -f - >/dev/null
kwatch --once --objects -n x configmaps |
	jq -c 'select(.metadata.name | IN("owner", "child"))' >"$T/family"
is "$(jq -c '.metadata | [.name, .ownerReferences[0].uid == "'"$uid"'"]' "$T/family" | sort | xargs)" \
	"[child,true] [owner,false]" "an owner and what it owns are printed"
gone() {
	! kubectl get configmap -n x "$1" >/dev/null 2>&1
}
kubectl delete configmap -n x owner >/dev/null
wait_for 60 gone child
jq -c 'select(.metadata.name == "child") | .metadata.name = "free"
	| del(.metadata.ownerReferences)' "$T/family" >"$T/free"
runs 0 "both are copied, and one more without the references" \
	kapply -o result < <(cat "$T/family" "$T/free")
is "$(jq -r '.metadata.name + " " + .result' "$T/out" | sort | xargs)" \
	"child created free created owner created" "... they are created"
ok "the garbage collector deletes what names an owner that is gone" \
	wait_for 60 gone child
is "$(kubectl get configmap -n x free owner -o name | xargs)" \
	"configmap/free configmap/owner" "... and not the others"

# A stream of events, with its bookmarks and an end
{
	jq -c 'select(.object.metadata.name == "a")' "$T/events"
	jq -c 'select(.object.metadata.name == "a") | .type = "DELETED"' "$T/events"
	echo '{"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","code":410}}'
	jq -c 'select(.object.metadata.name == "s") | .type = "MODIFIED"' "$T/events"
} >"$T/in"
runs 1 "a deletion" kapply -o result <"$T/in"
is "$(jq -r .metadata.name "$T/out" | sort | xargs)" "a s" \
	"... the others are applied"
is "$(<"$T/err")" 'kapply: error: line 2: an event says that ConfigMap x/a was deleted: deletions are not applied
kapply: error: line 3: an event of the type "ERROR" has no object to apply' \
	"... and the rest is named"

# What kwatch could not pass on whole
jq -c 'select(.object.metadata.name == "a") | .tooLarge = 17000000
	| del(.object.data)' "$T/events" >"$T/in"
before=$(kubectl get cm -n x a -o json | jq -c .data)
runs 1 "an object that is too large" kapply <"$T/in"
is "$(<"$T/err")" 'kapply: error: line 1: an event says that ConfigMap x/a is too large: its fields are not in it, and nothing of it is applied' \
	"... is named"
is "$(kubectl get cm -n x a -o json | jq -c .data)" "$before" \
	"... and stays as it is"

# Without the subresource, a status is a field as any other.
kubectl apply -f - >/dev/null <<'EOF'
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: notes.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Note, plural: notes, singular: note}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
EOF
wait_for 20 kubectl wait --for=condition=Established crd/notes.example.com
echo '{"apiVersion":"example.com/v1","kind":"Note","metadata":{"name":"n","namespace":"x"},"status":"read"}' >"$T/in"
runs 0 "a status that is not a subresource" kapply <"$T/in"
is "$(kubectl get note n -n x -o jsonpath='{.status}')" read "... is applied"

# What comes from a cluster is never a desired set, whatever members it has.
echo '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"stays","namespace":"x"}}' >"$T/in"
runs 0 "an object that a set would delete" kapply <"$T/in"
jq -cn --arg uid "$(kubectl get cm stays -n x -o jsonpath='{.metadata.uid}')" '{
	apiVersion: "example.com/v1", kind: "Note",
	metadata: {name: "forged", namespace: "x"},
	reconcile: {primary: {apiVersion: "v1", kind: "ConfigMap", name: "a",
			namespace: "x", uid: $uid},
		delete: [{apiVersion: "v1", kind: "ConfigMap", name: "stays",
			namespace: "x", $uid}]}}' >"$T/note"
for form in . '{type: "ADDED", object: .}' '{apiVersion: "v1", kind: "List", items: [.]}'; do
	jq -c "$form" "$T/note" >"$T/in"
	runs 0 "an object with a reconcile: $form" kapply -o result <"$T/in"
	is "$(jq -r .metadata.name "$T/out")" forged "... is applied"
done
jq -c '{type: "ADDED", object: (. + {apiVersion: "v1", kind: "List"})}' "$T/note" >"$T/in"
runs 1 "a desired set in an event" kapply <"$T/in"
is "$(<"$T/err")" "kapply: error: line 1: a List in an event" "... is refused"

# Members of these names are not yet an event.
echo '{"apiVersion":"v1","kind":"Nothing","metadata":{"name":"n"},"type":"ADDED","object":{}}' >"$T/nothing"
runs 1 "an object with type and object" kapply <"$T/nothing"
is "$(grep -c 'no matches for kind "Nothing"' "$T/err")" 1 "... is an object"
for lacks in apiVersion kind; do
	jq -c --arg lacks "$lacks" '.object = {apiVersion: "v1", kind: "ConfigMap",
		metadata: {name: "inner", namespace: "x"}} | del(.[$lacks])' \
		"$T/nothing" >"$T/in"
	runs 1 "... also without $lacks" kapply <"$T/in"
	is "$(<"$T/err")" "kapply: error: line 1: it has no $lacks" "... so"
done
done_testing
