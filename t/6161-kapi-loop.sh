#!/bin/bash
# A client changes back what an operator repairs: it is named, and the item held
# back until it stops.
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
cat >"$T/reconcile.jq" <<'X'
def desired: [{apiVersion: "v1", kind: "ConfigMap", metadata: {name: "c"},
	data: {k: "ours"}}];
def status: {phase: "Done", conditions: []};
X
thing t >/dev/null
start kpipe -f "$T/watches.yaml" 2>"$T/err"
operator=$!

value() {
	[ "$(kubectl get cm c -o jsonpath='{.data.k}')" = "$1" ]
}
ok "the ConfigMap is there" wait_for 20 value ours
# The opponent is as fast as we are.
fight() {
	kubectl patch cm c --field-manager=opponent --type=merge \
		-p '{"data":{"k":"theirs"}}' >/dev/null
	wait_for 5 value ours
}
for _ in 1 2 3 4; do
	fight
done
kubectl patch cm c --field-manager=opponent --type=merge \
	-p '{"data":{"k":"theirs"}}' >/dev/null
condition() {
	kubectl get thing t -o json | jq -c '.status.conditions[]
		| select(.type == "RepairLoop") | [.status, .message]' >"$T/condition"
	grep -q "$1" "$T/condition"
}
ok "a condition names the opponent" wait_for 20 condition 'true.*opponent\|True.*opponent'
note "$(cat "$T/condition")"
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
kubectl patch cm c --field-manager=opponent --type=merge \
	-p '{"data":{"k":"theirs"}}' >/dev/null
ok "once more: it is repaired" wait_for 40 value ours
between=$(($(repaired_at) - before))
ok "... but held back before ($between s)" test "$between" -ge 5
kill "$operator"
wait "$operator"
is "$?" 0 "it ends well"
done_testing
