#!/bin/bash
# The rights that kgen gives an operator that deletes what is not its own, holds
# fields of others, and retains members: with all of them nothing is refused;
# without one, it is named with verb, resource and namespace, within its time.
# (Those of usual members are tried with the operators below pipeline/.)
# servers: kapi real
# check-all: more of the pipelines
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=rights.sh
. "${0%/*}/rights.sh"
name=patterns folder=$T/patterns lease=thing.example.com
mkdir "$folder"
cat >"$folder/watches.yaml" <<'END'
- group: example.com
  version: v1
  kind: Thing
  program: reconcile.jq
  finalizer: example.com/patterns
  dependents:
  - {apiVersion: v1, kind: PersistentVolumeClaim, manage: true, retain: true}
  related:
  - {apiVersion: v1, kind: ConfigMap, delete: true}
  - {apiVersion: v1, kind: Service, patch: true, map: {field: spec.service}}
END
cat >"$folder/reconcile.jq" <<'END'
include "operator";
def desired: .primary.metadata.name as $name | .primary.spec.service as $service
  | [.related.ConfigMap[] | select(.metadata.labels.old == "yes") | delete_foreign(.)]
    + [patch_only({apiVersion: "v1", kind: "Service",
        metadata: {name: $service, labels: {team: $name}}})]
    + [retain({apiVersion: "v1", kind: "PersistentVolumeClaim"} + claim($name; "1Gi"))];
def status: {error: .error, left: (.outstanding | length)};
END
# shellcheck source=sets.sh
. "${0%/*}/sets.sh"
rights_server
things_start
kubectl get crd things.example.com -o json >"$folder/crd.yaml"
printf '%s: %s\n' name patterns version 0.1.0 image localhost/patterns \
	description Patterns. >"$folder/operator.yaml"
cat >"$folder/example.yaml" <<'END'
apiVersion: example.com/v1
kind: Thing
metadata: {name: t}
spec: {service: s}
END
kgen describe -f "$folder" >"$T/operator.json"
kubectl create serviceaccount reader >/dev/null
reader=$(kubectl create token reader)

# Called by rights_begin, before the operator starts
rights_prepare() {
	kubectl create -n "$1" -f - >/dev/null <<-'END'
		{"apiVersion": "v1", "kind": "List", "items": [
		{"apiVersion": "v1", "kind": "ConfigMap",
			"metadata": {"name": "old", "labels": {"old": "yes"}}},
		{"apiVersion": "v1", "kind": "Service", "metadata": {"name": "s"},
			"spec": {"ports": [{"port": 80}]}}]}
	END
}
done_in() { # NAMESPACE: for both primaries, one of which holds the field of both
	gone configmap old -n "$1" &&
		[ -n "$(kubectl get service s -n "$1" -o jsonpath='{.metadata.labels.team}')" ] &&
		grep -q '.metadata.labels.team.*held by Thing.example.com' "$T/$1/log" &&
		kubectl get pvc "t${1#s}" denied -n "$1"
}
denied_in() { # the message of the API server about a right of sN
	rights_of "$1" | jq -r --arg ns "s$1" '.rule
		| "cannot \(.verbs[0]) resource \"\(.resources[0])\" in API group \"\(
			.apiGroups[0])\" in the namespace \"\($ns)\""'
}
named_fully() { # N
	grep -qF "$(denied_in "$1")" <(sed 's/\\"/"/g' "$T/s$1/log")
}

rights_each >"$T/rights"
rights_begin 0
ok "with all rights it does its work" wait_for 60 done_in s0
is "$(grep 'cannot [a-z]* resource\|forbidden' "$T/s0/log")" "" "... nothing is refused"
rights_stop 0

# take_away LINE...: each in a life of its own, from all of which one is missing
take_away() {
	local line

	for line; do
		rights_begin "$line" "$line"
	done
	for line; do
		ok "without $(rights_of "$line" | jq -r '"\(.stage): \(.rule.verbs[0
			]) \(.rule.resources[0])"'): it is named" \
			wait_for 60 named_fully "$line" ||
			tail -n 20 "$T/s$line/log" | quote
	done
	rights_stop "$@"
}
mapfile -t lines < <(jq -rs 'to_entries[] | .value as $v | $v.rule.verbs[0] as $verb
	| select($v.stage | . == "kwatch" or . == "kapply" or . == "kstatus")
	| select($v.rule.resources[0] + " " + $verb | . as $right
		| ["events create", "events patch",
			"persistentvolumeclaims get", "persistentvolumeclaims delete"]
		| index($right) | not)
	| .key + 1' "$T/rights")
note "${#lines[@]} of $(wc -l <"$T/rights") rights are taken away"
take_away "${lines[@]:0:9}"
take_away "${lines[@]:9}"
done_testing
