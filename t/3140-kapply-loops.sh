#!/bin/bash
# kapply finds out which field manager changes items back.
# servers: kapi real
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=cluster/lib.sh
. "${0%/*}/cluster/lib.sh"
# shellcheck source=sets.sh
. "${0%/*}/sets.sh"
cluster_start
things_start
t=$(thing t | jq -r .metadata.uid)

deployment='[{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"d","namespace":"default"},
"spec":{"replicas":0,"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},
"spec":{"containers":[{"name":"main","image":"i:1"}]}}}}]'
status='"status":{"phase":"Fighting","reason":"${manager}"},"onError":{"reason":"${manager} and ${error}"}'
wrote() {
	echo '{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"namespace":"default","name":"t","uid":"'"$t"'"},"status":'"$1}"
}
# loop PATH [ITEMS [MORE]]: a line that reports a loop of the Deployment there
loop() {
	set_line "${2:-[]}" '{"loops":{"Deployment.apps/default/d":"'"$1\"},$status${3:+,$3}}" >"$T/in"
}

set_line "$deployment" >"$T/in"
runs 0 "a Deployment" kapply_line
kubectl patch deployment d --field-manager=autoscaler --type=merge \
	-p '{"spec":{"replicas":0}}' >/dev/null
kubectl patch deployment d --field-manager=pinner \
	-p '{"spec":{"replicas":1,"template":{"spec":{"containers":[{"name":"main","image":"i:2"}]}}}}' >/dev/null

loop .spec.replicas
runs 0 "an item that another client changes back" kapply_line
is "$(<"$T/out")" "$(wrote '{"phase":"Fighting","reason":"pinner"}')" \
	"... the manager's name is in the status"
is "$(<"$T/err")" "kapply: warning: thing.example.com default/t: Deployment.apps default/d: .spec.replicas is changed back again and again, last by pinner" \
	"... and in the log"
loop '.spec.template.spec.containers[name=main].image'
runs 0 "in an element of a list" kapply_line
is "$(jq -r .status.reason "$T/out")" pinner "... as well"
loop .spec.progressDeadlineSeconds
runs 0 "what the server defaults" kapply_line
is "$(jq -r .status.reason "$T/out")" "somebody without a field manager, such as an admission webhook" \
	"... has no owner"
loop .metadata.annotations.gone
runs 0 "what is gone" kapply_line
is "$(jq -r .status.reason "$T/out")" "somebody who removes it" \
	"... was removed"

# With an apply in the same line: kapply looks before it owns the field again.
loop .spec.replicas "$deployment" '"because":{"items":{"Deployment.apps/default/d":{"differs":[{"path":".spec.replicas","observed":"1","wanted":"0"}]}}}'
runs 0 "before it is applied again" kapply_line -o status
is "$(jq -r .status.reason "$T/out")" pinner "... the name is known"
ok "... an Event has the values" grep -qF \
	'again and again, last by pinner (1, wanted 0)' <(kubectl get events -o json)
is "$(kubectl get deployment d -o jsonpath='{.spec.replicas}')" 0 \
	"... and it is applied"
# An older line's apply has repaired it already: the other manager is not known.
loop .spec.replicas "$deployment"
deployment_rests
runs 0 "after it was applied again" kapply_line -o status
is "$(jq -r .status.reason "$T/out") $(<"$T/err")" \
	"somebody " \
	"... names no manager, and logs only what it does"
kubectl patch deployment d --field-manager=pinner --type=merge \
	-p '{"spec":{"replicas":1}}' >/dev/null
loop .spec.replicas '[{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"BAD","namespace":"default"}}]'
runs 1 "with something else that fails" kapply_line
is "$(jq -r .status.reason "$T/out" | cut -c -42)" \
	"pinner and cannot apply ConfigMap default/" "... both are told"

is "$(kubectl get events -o json | jq -r '[.items[]
	| select(.reason == "RepairLoop")] | sort_by(.metadata.name)[]
	| "\(.type) \(.count) \(.involvedObject.name) \(.message)"' | head -n 1)" \
	"Warning 1 t Deployment.apps default/d: .spec.replicas is changed back again and again, last by pinner" \
	"an Event says so, too"
! with_kubectl || is "$(kubectl describe thing t | grep -c 'RepairLoop .*kpipe-thing.example.com .*by pinner')" 4 \
	"... kubectl describe shows them"

# --- another manager that one line found is known to the next one, and reported
# once
mkfifo "$T/pipe"
start bash -c "exec kapply -o status <'$T/pipe' >'$T/two.out' 2>'$T/two.err'"
two=$!
exec 6>"$T/pipe"
reasons() { [ "$(jq -r .status.reason "$T/two.out" | xargs)" = "$1" ]; }
loop .spec.replicas "$deployment"
cat "$T/in" >&6
wait_for 20 reasons pinner
loop .spec.replicas
cat "$T/in" >&6
ok "it is right again: who it was is known" wait_for 20 reasons "pinner pinner"
exec 6>&-
wait "$two"
is "$?" 0 "... exit code"
is "$(<"$T/two.err")" "kapply: warning: thing.example.com default/t: Deployment.apps default/d: .spec.replicas is changed back again and again, last by pinner
kapply: thing.example.com default/t: configured Deployment.apps default/d" \
	"... told once"

# --- nobody is named where it cannot be known: not the manager of an earlier
# change, nor one of several owners
mkfifo "$T/removed"
start bash -c "exec kapply -o status <'$T/removed' >'$T/two.out' 2>'$T/two.err'"
two=$!
exec 6>"$T/removed"
kubectl patch deployment d --field-manager=pinner --type=merge \
	-p '{"metadata":{"labels":{"l":"pinned"}}}' >/dev/null
loop .metadata.labels.l
cat "$T/in" >&6
ok "a label is of another client" wait_for 20 reasons pinner
kubectl label deployment d l- --field-manager=remover >/dev/null
cat "$T/in" >&6
ok "... removed since, by a client that is not known" wait_for 20 \
	reasons "pinner somebody who removes it"
exec 6>&-
wait "$two"
for manager in one two; do
	kubectl apply --server-side --force-conflicts \
		--field-manager="$manager" -f - >/dev/null <<'END'
{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"d","namespace":"default","labels":{"l":"1"}}}
END
done
loop .metadata.labels.l
runs 0 "a field that two managers own" kapply_line
is "$(jq -r .status.reason "$T/out")" somebody "... was set by one of them"
loop .metadata.labels
runs 0 "... and a map of which they own a part" kapply_line
is "$(jq -r .status.reason "$T/out")" somebody "... as well"
secret='[{"apiVersion":"v1","kind":"Secret","metadata":{"name":"s","namespace":"default"},"stringData":{"k":"ours"}}]'
set_line "$secret" >"$T/in"
runs 0 "a Secret with stringData" kapply_line
kubectl patch secret s --field-manager=pinner --type=merge \
	-p '{"stringData":{"k":"theirs"}}' >/dev/null
set_line "$secret" '{"loops":{"Secret/default/s":".stringData.k"},'"$status"'}' \
	>"$T/in"
runs 0 "... which is changed in data" kapply_line -o status
is "$(jq -r .status.reason "$T/out")" pinner "... its manager is found there"

# --- if the other manager is not found, nothing waits for that
set_line "$(cm a 1)" '{"loops":{"Nothing.example.com/default/d":".spec","ConfigMap/default/none":".data"},'"$status}" >"$T/in"
runs 0 "a kind and an object that are not there" kapply_line
is "$(jq -r .status.reason "$T/out")" somebody "... no manager to name"
is "$(kubectl get cm a -o jsonpath='{.data.k}')" 1 "... the rest is done"

# --- bad lines
set_line '[]' '{"loops":{"Deployment.apps/default/d":7}}' >"$T/in"
runs 1 "a loop without a path" kapply_line
is "$(<"$T/err")" \
	'kapply: error: line 1: reconcile.loops["Deployment.apps/default/d"] is not text' \
	"... is named"
set_line '[]' '{"loops":{"Deployment":".spec"}}' >"$T/in"
runs 1 "a loop of no object" kapply_line
is "$(<"$T/err")" \
	'kapply: error: line 1: reconcile.loops: "Deployment" is not a key of an object' \
	"... is named"
done_testing
