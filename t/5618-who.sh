#!/bin/bash
# Who did it: the log of kapply, kwhy and kview name the same manager for a change
# that is taken back, also if it was made while the operator was away; and nobody
# where it cannot be known.
# servers: kapi real
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=cluster/lib.sh
. "${0%/*}/cluster/lib.sh"
cluster_start

kubectl create namespace x >/dev/null
cat >"$T/watches.yaml" <<'END'
- group: ""
  version: v1
  kind: ConfigMap
  namespaces: [x]
  selector: app=who
  program: program.jq
  dependents:
  - {apiVersion: apps/v1, kind: Deployment, manage: true}
END
cat >"$T/program.jq" <<'END'
include "operator";
def desired: [{apiVersion: "apps/v1", kind: "Deployment",
	metadata: {name: "web", labels: {l: "1"}, annotations: {a: "1"}},
	spec: {paused: true, replicas: 0, selector: {matchLabels: {a: "b"}},
		template: {metadata: {labels: {a: "b"}},
			spec: {containers: [{name: "c", image: "i"}]}}}}];
END
begin() {
	start kpipe -f "$T/watches.yaml" --record "$T/rec" --log-level=info \
		--marks-key-file="$T/key" 2>>"$T/log"
	kpipe=$!
}
end() {
	kill "$kpipe"
	wait "$kpipe"
}
openssl rand -hex 32 >"$T/key"
chmod 600 "$T/key"
kubectl create cm -n x who >/dev/null
kubectl label cm -n x who app=who >/dev/null
begin
exists() { kubectl get deploy -n x web -o name >/dev/null 2>&1; }
ok "the operator makes its Deployment" wait_for 60 exists

# repaired FIELD MANAGER COMMAND...: what is logged of the repair; MANAGER "" is
# nobody
is_repaired() {
	tail -n +"$((before + 1))" "$T/log" |
		grep -q "configured Deployment.apps x/web: $1"
}
repaired() {
	local field=$1 manager=$2

	shift 2
	before=$(wc -l <"$T/log")
	[ "$#" = 0 ] || "$@" >/dev/null 2>"$T/command.err" ||
		flaw "$*: $(<"$T/command.err")"
	[ -n "$kpipe" ] || begin
	ok "$field is put back" wait_for 60 is_repaired "$field"
	is "$(tail -n +"$((before + 1))" "$T/log" |
		sed -nE "/configured Deployment.apps x.web: $field/{
			s/.*set by //; t p; s/.*/nobody/; :p; p; q}")" \
		"${manager:-nobody}" "... by ${manager:-nobody}"
}
patch() { # MANAGER PATCH [OPTION]
	kubectl patch deploy -n x web --type=merge --field-manager="$1" \
		-p "$2" ${3:+"$3"}
}
applied() { # MANAGER REPLICAS
	printf 'apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, namespace: x}\nspec: {replicas: %s}\n' \
		"$2" | kubectl apply --server-side --force-conflicts \
		--field-manager="$1" -f -
}
# Within a second, mostly: the first one has nothing to do with what is repaired.
both() {
	kubectl label cm -n x who l=1 --field-manager=other &&
		patch other '{"metadata":{"labels":{"o":"1"}}}' &&
		patch second '{"spec":{"replicas":6}}'
}
repaired .spec.replicas hpa patch hpa '{"spec":{"replicas":2}}' \
	--subresource=scale
repaired .spec.replicas applier applied applier 5
repaired .spec.replicas second both
repaired .metadata.labels.l "" patch editor '{"metadata":{"labels":{"l":null}}}'
repaired .metadata.annotations.a kubectl-annotate \
	kubectl annotate --overwrite deploy -n x web a=2
patch prober '{"status":{"collisionCount":7}}' --subresource=status >/dev/null
in_events() {
	kubectl get events -n x -o json | jq -r '.items[]
		| select(.reason == "RepairLoop").message' >"$T/loops"
	[ -s "$T/loops" ]
}
repaired .spec.replicas fourth patch fourth '{"spec":{"replicas":4}}'
in_events
is "$(<"$T/loops")" "" "repairs of other fields do not count together"
repaired .spec.replicas fifth patch fifth '{"spec":{"replicas":7}}'
ok "the fifth repair of one is a loop, and an Event" wait_for 30 in_events
is "$(sed 's/.*: \(.spec.*\) is changed back/\1/; s/, wanted.*//' "$T/loops")" \
	'.spec.replicas again and again, last by fifth (7' "... by it, too"
end
kpipe=
repaired .spec.replicas absent patch absent '{"spec":{"replicas":4}}'
kubectl delete cm -n x who >/dev/null
collected() {
	kwhy deployment x/web "$T/rec" 2>/dev/null | grep -q "seen to be gone"
}
ok "the collector deletes it" wait_for 60 collected
end

# What each tool tells of these changes, in their order
all="hpa
applier
second
nobody
kubectl-annotate
fourth
fifth
absent"
kwhy --long deployment x/web "$T/rec" >"$T/kwhy" 2>"$T/err"
# names TEXT: who is named behind it, line by line
names() {
	sed -nE "/$1/!d; s/.*$2//; t p; s/.*/nobody/; :p; s/[,).].*//; p"
}
is "$(names "kapply: configured" "set by " <"$T/kwhy")" "$all" \
	"kwhy names them where kapply wrote"
# those of what is repaired
changes() {
	grep -E "seen to change.*: \.(spec.replicas|metadata.labels.l|metadata.annotations)" \
		"$T/kwhy" | grep -Ev "by (kpipe|kube)-"
}
is "$(changes |
	names "seen to change" "version [0-9]*, by ")" "${all%absent}nobody" \
	"... and where the changes were seen, but for the one before the start"
kview --term "$T/rec" 2>/dev/null >"$T/view"
is "$(names "write .*web: configured" "set by " <"$T/view")" "$all" \
	"kview names them"
is "$(grep -E "decision .*web .*, wanted" "$T/view" |
	sed -E 's/ or kube-controller-manager|kube-controller-manager or //' | names "decision" " by ")" \
	"${all%absent}what was there at the start" "... and in its decisions"
is "$(grep -E "status collisionCount (.*-> )?7" "$T/kwhy" | names "seen to change" ", by ")" \
	prober "a status is written by prober"
is "$(grep "seen to be gone" "$T/kwhy" | names "seen" " by ")
$(grep -E "gone .*web: deleted" "$T/view" | names "gone" " by ")" "nobody
nobody" "nobody is named for what the collector deleted"
# Who scaled to 0 cannot be known: the API server notes nobody.
kubectl create -f - >/dev/null <<'END'
apiVersion: apps/v1
kind: Deployment
metadata: {name: zero, namespace: x}
spec: {replicas: 2, selector: {matchLabels: {a: z}}, template: {metadata: {labels: {a: z}}, spec: {containers: [{name: c, image: i}]}}}
END
scaled() { # REPLICAS: the managers of the scale after that
	kubectl patch deploy -n x zero --subresource=scale --type=merge \
		--field-manager=hpa -p '{"spec":{"replicas":'"$1"'}}' >/dev/null
	kubectl get deploy -n x zero -o json --show-managed-fields |
		jq -c '[.metadata.managedFields[] |
			select(.subresource == "scale").manager]'
}
is "$(scaled 3)" '["hpa"]' "who scales is noted"
is "$(scaled 0)" '[]' "... but not who scales to 0"
done_testing
