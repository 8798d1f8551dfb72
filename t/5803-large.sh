#!/bin/bash
# Objects as large as etcd takes them, which are six times as long in JSON, and
# (where the server stores such) larger ones: each is seen, none is lost.
# servers: kapi real
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=cluster/lib.sh
. "${0%/*}/cluster/lib.sh"
# shellcheck source=http.sh
. "${0%/*}/http.sh"
# shellcheck source=processes.sh
. "${0%/*}/processes.sh"
# shellcheck source=sets.sh
. "${0%/*}/sets.sh"
# No controller makes objects of these.
export CLUSTER_CONTROLLERS=namespace-controller,garbage-collector-controller,serviceaccount-controller,root-ca-certificate-publisher-controller
cluster_start
things_start

cat >"$T/watches.yaml" <<'END'
- group: example.com
  version: v1
  kind: Thing
  program: thing.jq
  dependents:
  - {apiVersion: apps/v1, kind: Deployment, manage: true}
  - {apiVersion: v1, kind: ConfigMap, manage: true}
  related:
  - {apiVersion: apps/v1, kind: ReplicaSet}
- group: apps
  version: v1
  kind: StatefulSet
  program: copy.jq
  dependents:
  - {apiVersion: v1, kind: ConfigMap, manage: true}
END
cat >"$T/thing.jq" <<'END'
include "operator";
def desired: .primary.metadata.name as $n
	| [deployment($n; {app: $n}; {replicas: 1, containers: [{name: "m",
		image: "i"}]}),
	config_map("\($n)-count"; {}; {n: "\(.related.ReplicaSet | length)"})];
def status: {error: (.error // "none")};
END
cat >"$T/copy.jq" <<'END'
include "operator";
def desired: [config_map("\(.primary.metadata.name)-copy"; {};
	{replicas: "\(.primary.spec.replicas)"})];
END

apps=/apis/apps/v1/namespaces/default
# apply KIND NAME MANAGER <SPEC: what the manager wants of it, as YAML
apply() {
	{
		printf '%s\n' 'apiVersion: apps/v1' "kind: $1" \
			"metadata: {name: $2}" "spec:"
		cat
	} | api "$apps/${1,,}s/$2?fieldManager=$3" -o /dev/null -X PATCH \
		-H 'Content-Type: application/apply-patch+yaml' \
		-H 'Accept: application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1' \
		--data-binary @-
}
# made KIND NAME
made() {
	apply "$1" "$2" user <<<' {selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {containers: [{name: m, image: i}]}}}'
}
# swell KIND NAME MANAGER: 1,420,000 bytes more, which are 8,520,000 as JSON, and
# less than 3 MiB, the limit of a request, as YAML
yes '\a' | head -n 1420000 | tr -d '\n' >"$T/swollen"
swell() {
	{
		printf %s ' {template: {spec: {containers: [{name: m, env: [{name: '"$3"', value: "'
		cat "$T/swollen"
		echo '"}]}]}}}'
	} | apply "$@"
}
length() {
	api "$apps/$1" -A test | wc -c # to curl it sends spaces, too
}
# is_at PATH JQ: holds for the object there (of no object jq -e says yes)
is_at() {
	api "$1" >"$T/object" && jq -e "$2" "$T/object" >/dev/null
}
config_is() { # NAME KEY VALUE
	is_at "/api/v1/namespaces/default/configmaps/$1" ".data.$2 == \"$3\""
}
# written N JQ: the operator has written the Deployment t N times, and that holds
# for its small part (each look at it has the server read all of it)
written() {
	[ "$(grep -c '^kapply: .* Deployment.apps default/t' "$T/log")" -eq "$1" ] &&
		is_at "$apps/deployments/t/scale" "$2"
}
t_uid() {
	api "$apps/deployments/t/scale" | jq -r .metadata.uid
}

thing t >/dev/null
start kpipe -f "$T/watches.yaml" --health-probe-bind-address=127.0.0.1:0 \
	--metrics-bind-address=127.0.0.1:0 2>"$T/log"
kpipe=$!
ok "the operator runs" wait_for 30 written 1 .metadata.uid

# ---- what etcd takes ----

ok "a member of more than 8 MiB" swell Deployment t a
ok "... as JSON" [ "$(length deployments/t)" -gt 8388608 ]
kubectl scale deployment t --replicas=5 >/dev/null
ok "... is repaired" wait_for 30 written 2 '.spec.replicas == 1'
uid=$(t_uid)
kubectl delete deployment t >/dev/null
ok "... and made again when it was deleted" \
	wait_for 30 written 3 ".metadata.uid != \"$uid\""

made StatefulSet p
ok "a primary is seen" wait_for 30 config_is p-copy replicas 1
ok "... that becomes as large" swell StatefulSet p a
kubectl scale statefulset p --replicas=2 >/dev/null
ok "... it is followed" wait_for 30 config_is p-copy replicas 2

made ReplicaSet r
ok "a related object is seen" wait_for 30 config_is t-count n 1
ok "... that becomes as large" swell ReplicaSet r a
kubectl delete replicaset r >/dev/null
ok "... it is seen to go" wait_for 30 config_is t-count n 0
is "$(grep -E ' (warning|error|fatal): ' "$T/log")" "" "no complaint of all that"
peak=$(for pid in $(below "$kpipe"); do
	cat "/proc/$pid/status"
done | awk '/^VmHWM/ {n += $2} END {print n}')
ok "the limit that kgen writes (256 MiB) was enough" [ "$peak" -lt 262144 ]

[ "$SERVER" = kapi ] || {
	done_testing
	exit
}

# ---- beyond the longest line: etcd takes no such object, kapi does ----

thing_error_is() {
	is_at /apis/example.com/v1/namespaces/default/things/t \
		".status.error == \"$1\""
}
readyz_is() { # CODE
	get /readyz >/dev/null
	[ "$(head -c 3 "$T/http.code")" = "$1" ]
}
sample_is() { # NUMBER
	get /metrics | grep -Fx "kpipe_objects_too_large{kind=\"Deployment.apps\"} $1"
}
metrics=$(sed -n 's/.*metrics at //p' "$T/log")
probes=$(sed -n 's/.*probes at //p' "$T/log")
large="Deployment.apps/default/t is longer than 16 MiB as JSON, so it cannot be read: make it smaller, or delete it"

ok "ready so far" wait_for 30 readyz_is 200
start kwatch -n default deployments >"$T/seen" 2>"$T/seen.err"
wait_for 30 grep -q initial-events-end "$T/seen"
uid=$(t_uid)
swell Deployment t a
ok "a member beyond the limit" swell Deployment t b
ok "... its primary fails by name" wait_for 30 thing_error_is "$large"
ok "... the operator is not ready" wait_for 30 readyz_is 500
ok "... which says why" grep -qF "Deployment.apps: 1 is longer than 16 MiB as JSON" \
	<(get /readyz)
ok "... and a metric counts it" wait_for 30 sample_is 1
bytes=$(sed -nE 's,^kwatch: warning: Deployment.apps/default/t has ([0-9]+) bytes of JSON\, and a line at most 16 MiB: only its identity is passed on.*,\1,p' "$T/log")
ok "kwatch names it, too, and its length" [ "$bytes" -gt 16777216 ]
runs 0 "a list" kwatch -n default --once deployments
is "$(jq -r 'select(.tooLarge > 16777216) | .object | keys | join(" ")' "$T/out")" \
	"apiVersion kind metadata status" "... has its identity"
runs 0 "objects" kwatch -n default --once --objects deployments
is "$(<"$T/out")" "" "... are without it"
kubectl scale deployment t --replicas=5 >/dev/null
ok "a smaller one again" apply Deployment t b <<<' {}'
ok "... is repaired" wait_for 30 written 4 \
	".spec.replicas == 1 and .metadata.uid == \"$uid\""
ok "... its primary is well" wait_for 30 thing_error_is none
ok "... the operator is ready" wait_for 30 readyz_is 200
ok "... the metric is back" wait_for 30 sample_is 0
ok "beyond the limit again" swell Deployment t b
ok "... the primary fails" wait_for 30 thing_error_is "$large"
kubectl delete deployment t >/dev/null
ok "... deleted, it is made again" \
	wait_for 30 written 5 ".metadata.uid != \"$uid\""
ok "... and its primary is well" wait_for 30 thing_error_is none
wait_for 30 grep -q '^{"type":"DELETED"' "$T/seen"
is "$(grep '^{"type":"DELETED"' "$T/seen" |
	jq -c '.object.metadata | [.name, .uid, .annotations]')" \
	"[\"t\",\"$uid\",{\"kpipe.dev/synthetic\":\"true\"}]" \
	"... of what was deleted a reader has the identity"

ok "a primary beyond the limit" swell StatefulSet p b
ok "... fails by name" wait_for 30 grep -qF \
	'default/p: StatefulSet.apps/default/p is longer than 16 MiB' "$T/log"
ok "... what it had stays" config_is p-copy replicas 2
kubectl delete statefulset p >/dev/null
ok "deleted, it is no longer counted" wait_for 30 readyz_is 200
done_testing
