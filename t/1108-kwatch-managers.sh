#!/bin/bash
# kwatch --managers: who made a change, and nobody where that cannot be known. What
# the API server leaves in managedFields is the same on both servers.
# servers: kapi real
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=cluster/lib.sh
. "${0%/*}/cluster/lib.sh"
cluster_start

kubectl create namespace x >/dev/null
kubectl create --field-manager=maker -f - >/dev/null <<'END'
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: x}
spec:
  paused: true
  replicas: 0
  selector: {matchLabels: {a: b}}
  template: {metadata: {labels: {a: b}}, spec: {containers: [{name: c, image: i}]}}
END
kubectl create --field-manager=maker -f - >/dev/null <<'END'
apiVersion: v1
kind: ConfigMap
metadata: {name: c, namespace: x, labels: {l: "1", m: "1", n: "1"}, finalizers: [example.com/x]}
data: {k: "0"}
END
start kwatch -n x cm,deploy --managers --show-managed-fields \
	>"$T/out" 2>"$T/err"
watched() {
	grep -q "^{\"type\":\"$1\".*\"name\":\"$2\"" "$T/out"
}
ok "the state is told" wait_for 30 watched ADDED c
ok "... of both kinds" wait_for 30 watched ADDED web
is "$(jq -c 'select(.manager)' "$T/out")" "" "what is there names nobody"

# is_by WHAT MANAGER COMMAND...: the version that the command prints, as JSON, or
# that of the ConfigMap
has_version() {
	jq -r .object.metadata.resourceVersion "$T/out" | grep -qx "$1"
}
is_by() {
	local what=$1 manager=$2 version

	shift 2
	"$@" >"$T/command" 2>"$T/command.err" ||
		flaw "$*: $(<"$T/command.err")"
	version=$(jq -r .metadata.resourceVersion "$T/command" 2>/dev/null) ||
		version=$(kubectl get -n x cm c -o json |
			jq -r .metadata.resourceVersion)
	ok "$what" wait_for 30 has_version "$version"
	is "$(jq -r --arg v "$version" 'select(.object.metadata.resourceVersion
		== $v) | .manager // "nobody"' "$T/out")" "$manager" \
		"... is by $manager"
}
# scaled_by WHAT MANAGER REPLICAS COMMAND...
has_replicas() {
	jq -r .object.spec.replicas "$T/out" | grep -qx "$1"
}
scaled_by() {
	local what=$1 manager=$2 replicas=$3

	shift 3
	"$@" >"$T/command" 2>&1 || flaw "$*: $(<"$T/command")"
	ok "$what" wait_for 30 has_replicas "$replicas"
	is "$(jq -r --argjson n "$replicas" 'select(.object.spec.replicas == $n) |
		.manager // "nobody"' "$T/out" | head -n 1)" "$manager" \
		"... is by $manager"
}
cm() {
	kubectl patch -n x cm c --type=merge -o json "$@"
}
replicas() {
	kubectl patch -n x deploy web --type=merge --subresource=scale \
		--field-manager=horizontal-pod-autoscaler \
		-p "{\"spec\":{\"replicas\":$1}}"
}
applied() { # MANAGER DATA
	printf 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c, namespace: x}\ndata: %s\n' \
		"$2" | kubectl apply --server-side --force-conflicts \
		--field-manager="$1" -f -
}

# One after the other, within the same second or not.
for n in 1 2; do
	is_by "annotated" helm cm --field-manager=helm \
		-p "{\"metadata\":{\"annotations\":{\"a\":\"$n\"}}}"
	is_by "... and by another client" editor cm \
		--field-manager=editor -p "{\"metadata\":{\"annotations\":{\"b\":\"$n\"}}}"
	is_by "a field that is another's" patcher cm \
		--field-manager=patcher -p "{\"data\":{\"k\":\"p$n\"}}"
	is_by "... and again" patcher cm \
		--field-manager=patcher -p "{\"data\":{\"k\":\"q$n\"}}"
	is_by "... and back" editor cm \
		--field-manager=editor -p "{\"data\":{\"k\":\"e$n\"}}"
	is_by "applied" applier applied applier "{s: \"$n\"}"
	scaled_by "scaled" kubectl ${n}1 \
		kubectl scale -n x deploy web --replicas=${n}1
	scaled_by "... and again" kubectl ${n}2 \
		kubectl scale -n x deploy web --replicas=${n}2
	scaled_by "... by an autoscaler" horizontal-pod-autoscaler ${n}3 \
		replicas ${n}3
	scaled_by "... and again" horizontal-pod-autoscaler ${n}4 \
		replicas ${n}4
	is_by "annotated, when it was scaled" helm \
		kubectl patch -n x deploy web --type=merge -o json \
		--field-manager=helm -p "{\"metadata\":{\"annotations\":{\"a\":\"$n\"}}}"
	is_by "a status" prober kubectl patch -n x deploy web \
		--type=merge --subresource=status --field-manager=prober -o json \
		-p "{\"status\":{\"availableReplicas\":0,\"collisionCount\":$n}}"
done
is_by "taken by an apply" applier applied applier '{s: "2", k: forced}'
# Within the same second it could be somebody else who removed it.
next_second() {
	[ "$(date +%s)" -gt "$written" ]
}
written=$(date +%s)
wait_for 5 next_second
is_by "... which drops a field" applier applied applier '{k: forced}'
printf 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c, namespace: x}\ndata: {o: "1"}\n' \
	>"$T/c.yaml"
is_by "applied by the client" kubectl-client-side-apply \
	kubectl apply -f "$T/c.yaml"
is_by "a label that is removed, of another client" nobody \
	kubectl label -n x cm c l- --field-manager=remover
is_by "... of its own" nobody \
	kubectl label -n x cm c m- --field-manager=maker
is_by "... one removed and one set" remover cm \
	--field-manager=remover -p '{"metadata":{"labels":{"n":null,"o":"1"}}}'
is_by "written as it was by a list" editor cm \
	--field-manager=editor -p '{"data":{"k":"e3"}}'

# What the collector does.
is_by "an owner, and an object below it" maker kubectl create -n x \
	--field-manager=maker -o json -f - <<'END'
{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"owner"},"data":{"k":"v"}}
END
uid=$(kubectl get -n x cm owner -o json | jq -r .metadata.uid)
is_by "... which is made" maker kubectl create -n x \
	--field-manager=maker -o json -f - <<END
{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"below","finalizers":["example.com/x"],
"ownerReferences":[{"apiVersion":"v1","kind":"ConfigMap","name":"owner","uid":"$uid"}]}}
END
kubectl delete -n x cm owner >/dev/null
terminating() {
	jq -e 'select(.object.metadata | .name == "below" and .deletionTimestamp)' \
		"$T/out" >/dev/null
}
ok "the collector deletes it" wait_for 60 terminating
is "$(jq -r 'select(.object.metadata | .name == "below" and .deletionTimestamp) |
	.manager // "nobody"' "$T/out" | sort -u)" nobody "... and nobody is named"
kubectl patch -n x cm below --type=merge \
	-p '{"metadata":{"finalizers":null}}' >/dev/null
kubectl delete -n x cm c --wait=false >/dev/null
gone() {
	jq -e 'select(.object.metadata | .name == "c" and .deletionTimestamp)' \
		"$T/out" >/dev/null
}
ok "deleted, but a finalizer holds it" wait_for 30 gone
is "$(jq -r 'select(.object.metadata | .name == "c" and .deletionTimestamp) |
	.manager // "nobody"' "$T/out")" nobody "... by nobody who is known"
cm -p '{"metadata":{"finalizers":null}}' >/dev/null

# With a selector what comes may be older.
start kwatch -n x cm -l 's!=1' --managers >"$T/selected" 2>"$T/err"
is_selected() {
	grep -q "^{\"type\":\"$1\".*$2" "$T/selected"
}
ok "a selector" wait_for 30 is_selected BOOKMARK initial-events-end
kubectl create -n x --field-manager=maker -f - >/dev/null <<'END'
{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"s","labels":{"s":"1"}},"data":{"k":"v"}}
END
kubectl label -n x cm s s- --field-manager=remover >/dev/null
ok "... selects an object" wait_for 30 is_selected ADDED '"name":"s"'
is "$(jq -c 'select(.object.metadata.name == "s") | .manager' "$T/selected")" \
	null "... whose maker has not done that"
done_testing
