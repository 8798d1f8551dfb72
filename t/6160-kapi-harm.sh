#!/bin/bash
# What would harm an operator as a whole, one thing after another: an input that
# goes wrong, which the prune limit holds up; a client that changes back what is
# repaired; a tenant's object that crashes libjq.
# servers: kapi
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=cluster/lib.sh
. "${0%/*}/cluster/lib.sh"
# shellcheck source=sets.sh
. "${0%/*}/sets.sh"
# shellcheck source=clock/lib.sh
. "${0%/*}/clock/lib.sh"
clock_begin
cluster_start
things_start
things_watches
ends_well() {
	told_to_end "$operator" "it ends well"
	kubectl delete things --all >/dev/null
}

# ---- the prune limit ----

cat >"$T/reconcile.jq" <<'X'
def desired: .primary as $p | [range($p.spec.n) | {apiVersion: "v1",
	kind: "ConfigMap", metadata: {name: "\($p.metadata.name)-\(.)"}}];
def status: {n: (.owned.ConfigMap | length), error: .error};
X
for n in a b c d f g; do
	thing "$n" '{"n":2}' >/dev/null
done
things_run --prune-limit 5 --health-probe-bind-address 127.0.0.1:0
config_maps() {
	kubectl get cm -o name | grep -c '/[a-dfg]-[0-9]$'
}
are() {
	[ "$(config_maps)" = "$1" ]
}
probes=
find_probes() {
	probes=$(sed -n 's/.*probes.* at //p' "$T/err")
	[ -n "$probes" ]
}
# ready CODE: of kapply's readiness check
ready() {
	[ "$(curl -s --max-time 5 -o "$T/ready" -w '%{http_code}' \
		"http://$probes/readyz/kapply")" = "$1" ]
}
set_n() { # N NAME...
	local n=$1 name

	shift
	for name; do
		kubectl patch thing "$name" --type=merge \
			-p "{\"spec\":{\"n\":$n}}" >/dev/null
	done
}
ok "twelve ConfigMaps" wait_for 20 are 12
wait_for 10 find_probes
ok "... ready" wait_for 10 ready 200

# One primary with too many deletions: only it is held back.
thing p '{"n":9}' >/dev/null
thing q '{"n":1}' >/dev/null
has() { # NAME N
	[ "$(kubectl get cm -o name | grep -c "/$1-[0-9]\$")" = "$2" ]
}
ok "nine of one primary" wait_for 20 has p 9
ok "... and one of another" wait_for 20 has q 1
set_n 0 p
limited() {
	kubectl get events -o json | jq -e --arg name "$1" '[.items[]
		| select(.reason == "PruneBrake" and .type == "Warning"
			and .involvedObject.name == $name)]
		| length > 0'
}
ok "all to be deleted at once: an Event names it" wait_for 20 limited p
# The Event may come before the last of these deletions.
ok "... five are gone" wait_for 20 has p 4
set_n 0 q
ok "another primary prunes" wait_for 20 has q 0
ok "... the rest of the first stays" has p 4
ok "... the operator is ready" ready 200
set_n 9 p
ok "mended: all are there again" wait_for 20 has p 9

set_n 0 a b c d f g
ok "all to be deleted at once: not ready" wait_for 20 ready 500
is "$(<"$T/ready")" "internal server error: prune: too many deletions within a minute: the rest is held back" \
	"... and why"
wait_for 10 are 8
is "$(config_maps)" 8 "five are gone with the one before, the others stay"
thing e '{"n":2}' >/dev/null
made() {
	kubectl get cm e-0 e-1
}
ok "others go on" wait_for 20 made
says_why() {
	kubectl get things -o json | jq -e '[.items[] | select(.status.error // "" |
		test("held back: more than 5 deletions"))] | length > 0'
}
ok "the program has it as .error" wait_for 20 says_why
# A primary that is deleted takes its members along, which is not a prune.
held=$(kubectl get cm -o name | sed -n 's,.*/\([a-dfg]\)-.$,\1,p' | tail -n 1)
kubectl delete thing "$held" >/dev/null
deleted() {
	! kubectl get cm -o name | grep -q "/$held-"
}
ok "a primary that is deleted takes along what it has" wait_for 20 deleted

rest=$(echo a b c d f g | tr -d "$held")
# shellcheck disable=SC2086
set_n 2 $rest
ok "mended: all are there again" wait_for 30 are 10
ok "... and it is ready again" wait_for 20 ready 200
ends_well

# ---- a client that changes back: named, and the item is held back ----

cat >"$T/reconcile.jq" <<'X'
def desired: [{apiVersion: "v1", kind: "ConfigMap", metadata: {name: "c"},
	data: {k: "ours"}}];
def status: {phase: "Done", conditions: []};
X
thing t >/dev/null
things_run

value() {
	[ "$(kubectl get cm c -o jsonpath='{.data.k}')" = "$1" ]
}
ok "the ConfigMap is there" wait_for 20 value ours
change_back() {
	kubectl patch cm c --field-manager=opponent --type=merge \
		-p '{"data":{"k":"theirs"}}' >/dev/null
}
# The other manager is as fast as we are.
for _ in 1 2 3 4; do
	change_back
	wait_for 5 value ours
done
change_back
condition() {
	kubectl get thing t -o json | jq -c '.status.conditions[]
		| select(.type == "RepairLoop") | [.status, .message]' >"$T/condition"
	grep -q "$1" "$T/condition"
}
ok "a condition names the other manager" wait_for 20 condition 'true.*opponent\|True.*opponent'
note "$(<"$T/condition")"
told() {
	kubectl get events -o json | jq -e '.items[] | select(.reason == "RepairLoop"
		and .type == "Warning" and .involvedObject.name == "t"
		and (.message | test("ConfigMap default/c: .data.k .* by opponent$")))'
}
ok "... and an Event" wait_for 10 told
wait_for 20 value ours
# repaired_at: when we wrote last, in seconds, as the server says
repaired_at() {
	kubectl get cm c --show-managed-fields -o json | jq '[
		.metadata.managedFields[] | select(.manager | startswith("kpipe"))
		| .time | fromdate] | max'
}
before=$(repaired_at)
change_back
ok "once more: it is repaired" wait_for 40 value ours
between=$(($(repaired_at) - before))
ok "... but held back before ($between s)" test "$between" -ge 5
ends_well

# ---- an object that crashes libjq ----

# The status of that primary says so, and the same process reconciles later
# objects of others.
cat >"$T/reconcile.jq" <<'X'
include "operator";
def expires: (.primary.metadata.creationTimestamp | fromdate)
	+ (.primary.spec.ttl // 3600);
def desired: .primary.spec.n as $n | [config_map(.primary.metadata.name; {};
	{expires: (expires | rfc3339),
	 n: ([] | .[$n] = 1 | length | tostring)})];
def status: {error: .error};
X
thing first '{"n":0}' >/dev/null
things_run
there() { kubectl get cm "$1" >/dev/null 2>&1; }
ok "what a good object asks for is there" wait_for 20 there first
pids() { pgrep -P "$operator" -x ireconcile; }
before=$(pids)
thing ttl '{"ttl":100000000000000000,"n":0}' >/dev/null
thing index '{"n":2147483647}' >/dev/null
thing large '{"n":1431655765}' >/dev/null
thing nan '{"n":1e300}' >/dev/null
failed() {
	[ -n "$(kubectl get thing "$1" -o jsonpath='{.status.error}')" ] ||
		there "$1"
}
for name in ttl index large nan; do
	ok "$name: has a value or says why not" wait_for 20 failed "$name"
done
thing victim '{"n":0}' >/dev/null
ok "what others ask for afterwards is made" wait_for 20 there victim
is "$(pids)" "$before" "... by the same process"
is "$(grep -c 'ended\|killed' "$T/err")" 0 "... nothing was started again"
note "$(kubectl get things -o json | jq -c '[.items[] | {(.metadata.name): .status.error}] | add')"

done_testing
