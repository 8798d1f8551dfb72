#!/bin/bash
# Digests in the place of values that a recording hides are never written.
# servers: kapi
. "${0%/*}/lib.sh"
. "${0%/*}/cluster/lib.sh"
# shellcheck source=sets.sh
. "${0%/*}/sets.sh"
cluster_start

kubectl create namespace x >/dev/null
kubectl create secret generic -n x s --from-literal=p=hunter2 >/dev/null
kubectl create configmap -n x c --from-literal=a=b >/dev/null
why="is a digest in the place of a hidden value, as recordings have it: apply an object that was read with kwatch --show-secrets, or by kubectl"
value() {
	kubectl get secret -n x s -o jsonpath='{.data.p}' | base64 -d
}

runs 0 "a copy" kwatch --once --objects -n x secrets/s configmaps/c
jq -c '.metadata |= {namespace, name}' "$T/out" >"$T/copy"
runs 1 "... written back" kapply -o result --force-conflicts -f "$T/copy"
is "$(jq -r 'select(.kind == "Secret") | .result, .message' "$T/out")" "failed
Secret/x/s refused: .data.p $why" "... is refused by name and field"
is "$(grep -c refused "$T/err") $(grep -c "data.p $why" "$T/err")" "1 1" \
	"... in the log, too"
is "$(jq -r 'select(.kind == "ConfigMap").result' "$T/out")" configured \
	"... and what hides nothing is written"
is "$(value)" hunter2 "... the value is still there"
kwatch --once --objects --show-secrets -n x secrets/s |
	jq -c '.metadata |= {namespace, name}' >"$T/clear"
runs 0 "with --show-secrets" kapply --force-conflicts -f "$T/clear"

# What a program makes of a digest.
digest=$(jq -r 'select(.kind == "Secret").data.p | @base64d' "$T/copy")
auth=$(printf 'u:%s' "$digest" | base64 -w0)
# set ITEM: a line with it
set_of() {
	jq -nc --argjson item "$1" '{apiVersion: "v1", kind: "List",
		items: [$item], reconcile: {primary: {apiVersion: "v1",
			kind: "ConfigMap", namespace: "x", name: "c"},
		onError: {text: "${error}"}, manager: "m"}}'
}
while read -r path item; do
	set_of "$item" | kapply >"$T/out" 2>"$T/err"
	is "$? $(jq -r .status.text "$T/out")" \
		"1 $(jq -r '"\(.kind)/x/\(.metadata.name)"' <<<"$item") refused: $path $why" \
		"$path"
done <<END
.stringData.url {"apiVersion":"v1","kind":"Secret","metadata":{"namespace":"x","name":"n"},"stringData":{"url":"ftp://u:$digest@host"}}
.data.url {"apiVersion":"v1","kind":"Secret","metadata":{"namespace":"x","name":"n"},"data":{"a":"","url":"$(printf 'ftp://u:%s@host' "$digest" | base64 -w0)"}}
.binaryData.b {"apiVersion":"v1","kind":"ConfigMap","metadata":{"namespace":"x","name":"n"},"binaryData":{"b":"$(printf '%s' "$digest" | base64 -w0)"}}
.spec.containers {"apiVersion":"v1","kind":"Pod","metadata":{"namespace":"x","name":"n"},"spec":{"containers":[{"name":"a","image":"b","env":[{"name":"P","value":"$digest"}]}]}}
.stringData..dockerconfigjson {"apiVersion":"v1","kind":"Secret","metadata":{"namespace":"x","name":"n"},"stringData":{".dockerconfigjson":"{\"auths\":{\"r\":{\"auth\":\"$auth\"}}}"}}
.data..dockerconfigjson {"apiVersion":"v1","kind":"Secret","metadata":{"namespace":"x","name":"n"},"data":{".dockerconfigjson":"$(printf '{"auths":{"r":{"auth":"%s"}}}' "$auth" | base64 -w0)"}}
.data.url {"apiVersion":"v1","kind":"ConfigMap","metadata":{"namespace":"x","name":"n"},"data":{"url":"$auth"}}
.metadata.annotations.a/b {"apiVersion":"v1","kind":"ConfigMap","metadata":{"namespace":"x","name":"n","annotations":{"a/b":"Basic $auth"}}}
END
is "$(kubectl get secrets,cm,pods -n x -o name | grep -c /n)" 0 \
	"... nothing of them is there"
for text in redacted-0123 "redacted-$(printf '%030d' 0 | tr 0 g)" \
	REDACTED redacted-; do
	jq -nc --arg t "$text" '{apiVersion: "v1", kind: "Secret",
		metadata: {namespace: "x", name: "like"}, stringData: {$t}}'
done >"$T/like"
runs 0 "texts that only look like it" kapply -f "$T/like"

# Nor in what is written of a primary.
things_start
made() {
	kubectl create -f - <<<'{"apiVersion":"example.com/v1","kind":"Thing",
		"metadata":{"name":"t","namespace":"x"}}' >/dev/null 2>&1
}
wait_for 20 made
uid=$(kubectl get thing -n x t -o jsonpath='{.metadata.uid}')
for text in "seen $digest" "$auth"; do
	jq -nc --arg text "$text" --arg uid "$uid" '{apiVersion: "v1",
		kind: "List", items: [], reconcile: {primary: {
			apiVersion: "example.com/v1", kind: "Thing",
			namespace: "x", name: "t", uid: $uid},
		status: {$text}, manager: "m", events: [{type: "Normal",
			reason: "Saw", message: $text}]}}' >"$T/in"
	kapply <"$T/in" 2>"$T/log" >"$T/status"
	runs 1 "a status with a digest" kstatus <"$T/status"
	is "$(<"$T/err")" \
		"kstatus: error: line 1: the status of Thing x/t has a digest in the place of a hidden value, as recordings have it: it is not written" \
		"... is refused"
	is "$(kubectl get thing -n x t -o json | jq -c .status)" null \
		"... nothing is written"
	ok "an Event with one is named" grep -q \
		'an Event about Thing x/t has a digest in the place of a hidden value: it is not recorded' "$T/log"
	is "$(kubectl get events -n x -o json | jq '[.items[]
		| select(.reason == "Saw")] | length')" 0 "... and not recorded"
done

# A refused object of a set is not one that was dropped.
printf '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"namespace":"x","name":"%s"}}\n' \
	one two >"$T/set"
kapply --applyset=parent -n x -f "$T/set" >/dev/null 2>&1
sed -i "s/\"name\":\"two\"}/&,\"data\":{\"d\":\"$digest\"}/" "$T/set"
runs 1 "one of an apply set" kapply --applyset=parent -n x -f "$T/set"
is "$(kubectl get cm -n x one two -o name)" "configmap/one
configmap/two" "... stays"
done_testing
