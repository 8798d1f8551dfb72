#!/bin/bash
# kapply and desired sets on an API server: order, ownership, finalizers,
# deletes, at most once, status lines.
# servers: kapi real
. "${0%/*}/lib.sh"
. "${0%/*}/cluster/lib.sh"
cluster_start

# shellcheck source=sets.sh
. "${0%/*}/sets.sh"
things_start

t=$(thing t | jq -r .metadata.uid)

# --- creation, then the status line
set_line "$(cm a 1)" '{"status":{"phase":"Available"},"onError":{"phase":"Failed","reason":"${error}"}}' >"$T/in"
runs 0 "a set is applied" kapply_line
is "$(<"$T/out")" \
'{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"namespace":"default","name":"t","uid":"'"$t"'"},"status":{"phase":"Available"}}' \
	"... then its status is passed on"
is "$(kubectl get cm a -o jsonpath='{.data.k} {.metadata.ownerReferences[0].uid} {.metadata.managedFields[0].manager}')" \
	"1 $t kpipe-thing.example.com" "... the object is there and ours"

# --- a guarded status names the version that it is valid for
set_line "$(cm a 1)" '{"status":{"phase":"Available"},"guardStatus":true}' >"$T/in"
runs 0 "a set with guardStatus" kapply_line
is "$(jq -r .metadata.resourceVersion "$T/out")" \
	"$(jq -r .reconcile.primary.resourceVersion "$T/in")" "... its status line says which"

# --- known: null although the object exists and is ours: applied
set_line "$(cm a 2)" >"$T/in"
runs 0 "what we saw not yet, and is ours, is applied" kapply_line -o result
is "$(<"$T/out")" \
'{"apiVersion":"v1","kind":"ConfigMap","metadata":{"namespace":"default","name":"a"},"result":"configured","primary":"Thing.example.com/default/t"}' \
	"... as a change"
is "$(kubectl get cm a -o jsonpath='{.data.k}')" 2 "... the value is new"

# --- drift of another manager is repaired by force
kubectl patch cm a --field-manager=other --type=merge -p '{"data":{"k":"x"}}' >/dev/null
set_line "$(cm a 2)" "{\"known\":{\"ConfigMap/default/a\":\"$(uid cm a)\"}}" >"$T/in"
runs 0 "drift is repaired" kapply_line
is "$(kubectl get cm a -o jsonpath='{.data.k}')" 2 "... by force"

# --- a whole observed object as an item: what the server wrote about that one
# goes (a uid made every create fail, a resourceVersion every change)
observed() {
	cm s "$1" | jq -c '.[0].metadata += {uid: "x", resourceVersion: "3",
		generation: 4, creationTimestamp: "2020-01-01T00:00:00Z"}'
}
set_line "$(observed 1)" >"$T/in"
runs 0 "an item with a uid and a resourceVersion" kapply_line -o result
is "$(jq -r .result "$T/out")" created "... is created"
set_line "$(observed 2)" "{\"known\":{\"ConfigMap/default/s\":\"$(uid cm s)\"}}" >"$T/in"
runs 0 "... and once more" kapply_line -o result
is "$(jq -r .result "$T/out")" configured "... it is changed"

# --- an object that is not ours
kubectl create configmap b --from-literal=k=theirs >/dev/null
set_line "$(cm b 1)" '{"status":{"phase":"Available"},"onError":{"phase":"Failed","reason":"${error}"}}' >"$T/in"
runs 1 "an object that is not ours is left alone" kapply_line
is "$(<"$T/out")" \
'{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"namespace":"default","name":"t","uid":"'"$t"'"},"status":{"phase":"Failed","reason":"cannot apply ConfigMap default/b: it exists and is not part of Thing.example.com default/t; delete it, or give it a label for \"adopt\" in watches.yaml"}}' \
	"... onError says so"
is "$(<"$T/err")" \
	"kapply: error: thing.example.com default/t: cannot apply ConfigMap default/b: it exists and is not part of Thing.example.com default/t; delete it, or give it a label for \"adopt\" in watches.yaml" \
	"... and the log"
is "$(kubectl get cm b -o jsonpath='{.data.k}')" theirs "... it is as it was"

# --- a member by label and annotation, in another namespace; a copied label
key='Thing.example.com/default/t'
part=$(printf %s "$key" | sha256sum | cut -c1-32)
marked() {
	jq -cn --arg part "$part" --arg member "$key Namespace//$2" --arg name "$1" '
	[{apiVersion: "v1", kind: "Namespace", metadata: {$name,
	labels: {"kpipe.dev/part-of": $part},
	annotations: {"kpipe.dev/member": $member}}}]'
}
in_namespace=$(cm c 1 | jq -c --arg part "$part" --arg member "$key ConfigMap/n1/c" \
	'.[0].metadata += {namespace: "n1", labels: {"kpipe.dev/part-of": $part},
	annotations: {"kpipe.dev/member": $member}}')
both=$(jq -cn --argjson a "$in_namespace" --argjson b "$(marked n1 n1)" '$a + $b')
set_line "$both" >"$T/in"
runs 0 "a namespace and what is in it, in this order" kapply_line -o result
is "$(jq -r '.kind + " " + .result' "$T/out")" "Namespace created
ConfigMap created" "... both are created"
runs 0 "once more, as if nothing had been seen" kapply_line -o result
is "$(jq -r '.kind + " " + .result' "$T/out")" "Namespace unchanged
ConfigMap unchanged" "... both are known by their marks"
kubectl create -f - <<<"$(marked n2 n1 | jq '.[0]')" >/dev/null
set_line "$(marked n2 n2)" >"$T/in"
runs 1 "a copied mark does not make an object ours" kapply_line
is "$(<"$T/err")" "kapply: error: thing.example.com default/t: cannot apply Namespace n2: it exists and is not part of Thing.example.com default/t but of Thing.example.com/default/t" \
	"... it names another object"

# --- the known uid is gone
set_line "$(cm gone 1)" '{"known":{"ConfigMap/default/gone":"0123"},"status":{"phase":"Available"}}' >"$T/in"
runs 0 "an object that went meanwhile is dropped" kapply_line
is "$(cat "$T/out" "$T/err")" "" "... silently, without the status"
runs 1 "... it is not created" kubectl get cm gone
set_line "$(cm a 3)" '{"known":{"ConfigMap/default/a":"0123"},"status":{"phase":"Available"}}' >"$T/in"
runs 0 "an object that is another one by now is dropped" kapply_line
is "$(cat "$T/out" "$T/err")$(kubectl get cm a -o jsonpath='{.data.k}')" 2 "... and not changed"

# --- order: the next phase only after the one before; deletes last
audit_mark
set_line "$(jq -cn --argjson a "$(cm d 1)" '$a + [{apiVersion: "v1", kind: "Service",
	metadata: {name: "d", namespace: "default"}, spec: {ports: [{port: 1}]}}]')" \
	"$(jq -cn --arg uid "$(uid cm a)" '{delete: [{apiVersion: "v1", kind: "ConfigMap",
	namespace: "default", name: "a", $uid}], finalizers: {add: ["example.com/f"]}}')" >"$T/in"
runs 0 "finalizer, phases, deletes" kapply_line
# Here admin does everything.
writes() {
	audit_writes admin | grep default/ |
		sed 's/^admin //'
}
seen() {
	[ "$(writes | wc -l)" -ge "$1" ]
}
wait_for 5 seen 4
is "$(writes)" "patch things default/t 200
patch configmaps default/d 201
patch services default/d 201
delete configmaps default/a 200" "... in this order"
is "$(kubectl get thing t -o jsonpath='{.metadata.finalizers}')" '["example.com/f"]' \
	"... the finalizer is there"

# --- deletes need proof, and the uid
set_line '[]' "$(jq -cn --arg uid "$(uid cm b)" '{delete: [{apiVersion: "v1",
	kind: "ConfigMap", namespace: "default", name: "b", $uid}]}')" >"$T/in"
runs 1 "what is not ours is not deleted" kapply_line -o result
is "$(<"$T/out")" \
'{"apiVersion":"v1","kind":"ConfigMap","metadata":{"namespace":"default","name":"b"},"result":"failed","message":"it exists and is not part of Thing.example.com default/t","primary":"Thing.example.com/default/t"}' \
	"... with the reason"
set_line '[]' '{"delete":[{"apiVersion":"v1","kind":"ConfigMap","namespace":"default","name":"d","uid":"0123"}]}' >"$T/in"
runs 0 "another object of the name is not deleted" kapply_line
runs 0 "... it is still there" kubectl get cm d
set_line '[]' "$(jq -cn --arg uid "$(uid cm d)" '{delete: [{apiVersion: "v1",
	kind: "ConfigMap", namespace: "default", name: "d", $uid}]}')" >"$T/in"
runs 0 "a member is deleted" kapply_line -o result
is "$(jq -r .result "$T/out")" deleted "... and said so"
runs 0 "deleting it again is not an error" kapply_line
is "$(<"$T/err")" "" "... and not logged again"

# --- a failure stops the phases behind it
set_line "$(jq -cn --argjson a "$(cm b 1)" '$a + [{apiVersion: "v1", kind: "Service",
	metadata: {name: "late", namespace: "default"}, spec: {ports: [{port: 1}]}}]')" \
	"$(jq -cn --arg uid "$(uid service d)" '{delete: [{apiVersion: "v1", kind: "Service",
	namespace: "default", name: "d", $uid}], status: {phase: "Available"},
	finalizers: {remove: ["example.com/f"]}}')" >"$T/in"
runs 1 "a failure stops what comes after it" kapply_line
is "$(<"$T/out")" "" "... no status"
runs 1 "... no later object" kubectl get service late
runs 0 "... no delete" kubectl get service d
is "$(kubectl get thing t -o jsonpath='{.metadata.finalizers}')" '["example.com/f"]' \
	"... no finalizer removed"

# --- finalizers of others are kept
kubectl patch thing t --type=merge -p '{"metadata":{"finalizers":["example.com/f","example.com/other"]}}' >/dev/null
set_line '[]' '{"finalizers":{"remove":["example.com/f"]}}' >"$T/in"
runs 0 "a finalizer is removed" kapply_line
is "$(kubectl get thing t -o jsonpath='{.metadata.finalizers}')" '["example.com/other"]' \
	"... and only that"
set_line '[]' '{"finalizers":{"add":["example.com/f"]}}' | sed "s/$t/0123/" >"$T/in"
runs 0 "another primary of the name gets none" kapply_line
is "$(kubectl get thing t -o jsonpath='{.metadata.finalizers}')" '["example.com/other"]' \
	"... it is as it was"
set_line "$(cm of-nobody 1)" '{"finalizers":{"add":["example.com/f"]}}' |
	sed 's/"name":"t"/"name":"nobody"/g' >"$T/in"
runs 0 "a primary that is gone gets nothing" kapply_line
runs 1 "... is not created" kubectl get thing nobody
runs 1 "... nor its objects" kubectl get cm of-nobody

# --- at most once
set_line "$(cm once 1)" '{"once":["ConfigMap/default/once"]}' >"$T/in"
runs 0 "at most once: created" kapply_line -o result
is "$(jq -r .result "$T/out")" created "... the first time"
kubectl delete cm once >/dev/null
kubectl annotate thing t seen=yes >/dev/null
runs 0 "at most once: not for a primary that changed" kapply_line -o result
is "$(cat "$T/out" "$T/err")" "" "... the line is out of date"
runs 1 "... it is not created again" kubectl get cm once
set_line "$(cm once 1)" '{"once":["ConfigMap/default/once"],"finalizers":{"add":["example.com/f"]}}' >"$T/in"
runs 0 "at most once: after our own change of the primary" kapply_line -o result
is "$(jq -r '"\(.kind) \(.result)"' "$T/out")" "Thing configured
ConfigMap created" "... created"

# What is there already is not created again, whatever JSON escapes in its name.
role='{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"Role","metadata":{"name":"a\"b","namespace":"default"}}'
key='"Role.rbac.authorization.k8s.io/default/a\"b"'
set_line "[$role]" "{\"known\":{$key:\"0123\"},\"once\":[$key]}" >"$T/in"
runs 0 "at most once: it is known" kapply_line -o result
is "$(cat "$T/out" "$T/err")" "" "... by its name"
runs 1 "... it is not created again" kubectl get role 'a"b'
done_testing
