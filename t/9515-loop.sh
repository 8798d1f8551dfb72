#!/bin/bash
# A client changes back, again and again, what an operator desires: the operator
# names the client and the field, does not fight, and forgets the client when it
# stops. What only looks like that is not reported.
# servers: real
. "${0%/*}/lib.sh"
. "${0%/*}/operator.sh"

memcacheds=/apis/cache.example.com/v1alpha1/namespaces
operator_cluster memcached
operator_rights cluster >/dev/null
export WATCH_NAMESPACE=
operator
kubectl apply -f "$folder/example.yaml" >/dev/null
ok "the example is there" kubectl wait --timeout=240s \
	--for=condition=Ready memcached/example

loop_condition() {
	api "$memcacheds/default/memcacheds/example" | jq -c \
		'.status.conditions[] | select(.type == "RepairLoop")'
}
# The name may be found only by a later line.
names_him() { [[ $(loop_condition) == *"by pinner"* ]]; }
has_none() { [ -z "$(loop_condition)" ]; }
replicas() {
	kubectl get deployment example -o jsonpath='{.spec.replicas}'
}
# Changes it as soon as it is right, until it is told to stop.
oppose() {
	until [ -e "$T/stop" ]; do
		[ "$(replicas)" != 3 ] || kubectl patch deployment example \
			--type=merge -p '{"spec":{"replicas":1}}' \
			--field-manager=pinner >/dev/null
		sleep 0.1
	done
}
oppose &
opponent=$!
ok "a loop is a condition" wait_for 30 names_him
is "$(loop_condition | jq -c '[.status, .reason, .message]')" \
	'["True","ChangedBack","Deployment.apps default/example: .spec.replicas is changed back by pinner"]' \
	"... that names object, field and manager"
has_event() {
	[ -n "$(kubectl get events --field-selector reason=RepairLoop -o name)" ]
}
ok "... and an Event" wait_for 5 has_event
# The values are told if the line has them: if the repair was not seen before the
# manager was found.
is "$(kubectl get events --field-selector reason=RepairLoop -o json |
	jq -c '.items[] | [.type, .involvedObject.name,
		(.message | sub(" [(]1, wanted 3[)]$"; ""))]')" \
	'["Warning","example","Deployment.apps default/example: .spec.replicas is changed back again and again, last by pinner"]' \
	"... that says so, once"
repairs() {
	audit_writes user1 | grep deployments
}
ok "it does not fight: no write for a while" rests 3 repairs

touch "$T/stop"
wait "$opponent"
right() { [ "$(replicas)" = 3 ]; }
ok "when the client stops, it is repaired" wait_for 30 right
ok "... the condition goes" wait_for 60 has_none
ok "... and all is as it was" wait_for 10 \
	is_ready "$memcacheds/default/memcacheds/example"
silent 2 "... silently"

done_testing
