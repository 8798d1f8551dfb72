#!/bin/bash
# kelect: Events say who leads, about the Lease or the ConfigMap; the election
# does not depend on them.
# servers: kapi real
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=cluster/lib.sh
. "${0%/*}/cluster/lib.sh"
# shellcheck source=clock/lib.sh
. "${0%/*}/clock/lib.sh"
export KAPI_OPTIONS=--authorization-mode=RBAC
clock_begin
cluster_start
kubectl create namespace ops >/dev/null
kubectl create serviceaccount default -n ops >/dev/null 2>&1

# Long enough for a busy machine with a real API server.
short=(--lease-duration 61s --renew-deadline 60s --retry-period 200ms)

# events NAME: each that is about the Lease or ConfigMap, in their order
events() {
	kubectl get events -A -o json | jq -c --arg name "$1" '[.items[]
		| select(.reason == "LeaderElection" and .involvedObject.name == $name)]
		| sort_by(.metadata.name)[]'
}
# messages NAME: of these, with RANDOM instead of what is
messages() {
	events "$1" | jq -r .message | sed -E 's/_[0-9a-f]{32} /_RANDOM /'
}
has_messages() {
	[ "$(messages "$1")" = "$2" ]
}
says() {
	grep -qF "$2" "$T/$1"
}
# renewed NAME: when the Lease was
renewed() {
	kubectl get lease -n ops "$1" -o jsonpath='{.spec.renewTime}'
}
# renews NAME: it is renewed three more times
renews() {
	local before

	for _ in 1 2 3; do
		before=$(renewed "$1")
		wait_for 30 changed "$1" "$before" || return
	done
}
changed() {
	[ "$(renewed "$1")" != "$2" ]
}
# later: an Event has the name of the microsecond, in which there is one only
later() {
	[ "$SERVER" = real ] || clock pass 1ms
}
is_free() {
	[ -z "$(kubectl get lease -n ops "$1" -o jsonpath='{.spec.holderIdentity}')" ]
}

# ---- a Lease ----

POD_NAME=one start kelect "${short[@]}" --lease a -n ops -- sleep 300 2>"$T/one"
one=$!
ok "the leader writes an Event" \
	wait_for 30 has_messages a "one_RANDOM became leader"
uid=$(kubectl get lease -n ops a -o jsonpath='{.metadata.uid}')
is "$(events a | jq -cS '[.metadata.namespace, .type, .reason, .count,
	.source, .reportingComponent, .reportingInstance]')" \
	'["ops","Normal","LeaderElection",1,{"component":"kelect","host":"one"},"kelect","one"]' \
	"... as operators in Go do"
is "$(events a | jq -cS '.involvedObject | del(.resourceVersion)')" \
	"{\"apiVersion\":\"coordination.k8s.io/v1\",\"kind\":\"Lease\",\"name\":\"a\",\"namespace\":\"ops\",\"uid\":\"$uid\"}" \
	"... about the Lease"
ok "... in the version that it took" test \
	"$(events a | jq -r .involvedObject.resourceVersion)" -gt 0
is "$(events a | jq -r .message | sed 's/ .*//')" \
	"$(kubectl get lease -n ops a -o jsonpath='{.spec.holderIdentity}')" \
	"... with the identity of its holder"

POD_NAME=two start kelect "${short[@]}" --lease a -n ops -- sleep 300 2>"$T/two"
two=$!
wait_for 30 says two "standing by"
later
kill -TERM "$one"
wait "$one"
ok "another one takes over" wait_for 30 says two 'became leader'
took_over() {
	messages a | grep -qx "two_RANDOM became leader"
}
ok "... and says so" wait_for 30 took_over
# On a real API server its end may be faster than the Event.
[ "$SERVER" = real ] || is "$(messages a)" "one_RANDOM became leader
one_RANDOM stopped leading
two_RANDOM became leader" "... after the first one said that it stopped"
kill -TERM "$two"
wait "$two"
is "$(grep -c warning "$T/one" "$T/two")" "$T/one:0
$T/two:0" "nothing else is logged"

# ---- long names ----

long=$(printf 'a%.0s' {1..253}) pod=$(printf 'p%.0s' {1..300})
POD_NAME=$pod start kelect "${short[@]}" --lease "$long" -n ops -- sleep 300 \
	2>"$T/long"
kelect=$!
ok "the longest name of a Lease, a longer one of a Pod" \
	wait_for 30 has_messages "$long" "${pod}_RANDOM became leader"
kill -TERM "$kelect"
wait "$kelect"

# ---- Events are refused ----

denied='events is forbidden: User "user1" cannot create resource "events" in API group "" in the namespace "ops"'
kubectl create role leader -n ops --verb=get,create,update \
	--resource=leases.coordination.k8s.io >/dev/null
kubectl create rolebinding leader -n ops --role=leader --user=user1 >/dev/null
wait_for 30 has_right user1 update leases -n ops
start kelect "${short[@]}" --kubeconfig "$(config user1)" --lease b -n ops -- \
	sleep 300 2>"$T/refused"
kelect=$!
ok "Events are refused: a warning" wait_for 30 says refused \
	"kelect: warning: an Event was refused: $denied"
ok "... and it leads on" renews b
kill -TERM "$kelect"
wait "$kelect"
is "$?" 0 "... until it is told to end"
ok "... gives the Lease back" is_free b
is "$(<"$T/refused")" "kelect: became leader: holds the lease ops/b
kelect: warning: an Event was refused: $denied
kelect: sleep has ended with 143" "... and has said it once"
is "$(events b)" "" "... there is no Event"

# ---- Events are not answered ----

if [ "$SERVER" != real ]; then
	kapi_fault '{resource: "events", verb: "create", delayMs: 3600000,
		count: 0}'
	start kelect "${short[@]}" --lease c -n ops -- sleep 300 2>"$T/silent"
	kelect=$!
	wait_for 30 says silent 'became leader'
	ok "Events are not answered: it leads on" renews c
	kill -TERM "$kelect"
	wait "$kelect"
	is "$?" 0 "... ends without them"
	ok "... and has given the Lease back" is_free c
	is "$(<"$T/silent")" "kelect: became leader: holds the lease ops/c
kelect: sleep has ended with 143" "... without a word"
	kapi_recovers
fi

# ---- the end of a leadership ----

# The process that took the Lease says so; kelect cannot know when it was lost.
POD_NAME=loser start kelect "${short[@]}" --lease f -n ops -- sleep 300 \
	2>"$T/lost"
kelect=$!
wait_for 30 has_messages f "loser_RANDOM became leader"
kubectl patch lease f -n ops --type=merge \
	-p '{"spec":{"holderIdentity":"thief"}}' >/dev/null
wait "$kelect"
is "$?" 111 "the Lease is lost"
is "$(messages f)" "loser_RANDOM became leader" \
	"... without an Event about its end"

# without a command, as kpipe runs it
if [ "$SERVER" != real ]; then
	mkfifo "$T/fence"
	truncate -s 4096 "$T/page"
	POD_NAME=two start kelect --lease-duration 61s --renew-deadline 60s \
		--retry-period 30s --lease g -n ops --gate-fd 8 --fence-fd 6 \
		--page-fd 5 5<>"$T/page" 6<>"$T/fence" 8>"$T/gate" 2>"$T/twice"
	kelect=$!
	wait_for 30 has_messages g "two_RANDOM became leader"
	kapi_fault '{resource: "leases", verb: "update", delayMs: 3000,
		count: 1}'
	stops="two_RANDOM became leader
two_RANDOM stopped leading"
	later
	kill -TERM "$kelect"
	ok "told to end, it says that it stops" wait_for 30 has_messages g "$stops"
	kill -TERM "$kelect"
	wait "$kelect"
	is "$? $(events g | jq -s 'map(.count) | add')" "0 2" \
		"... once, however often it is told"
	kapi_recovers
fi

# ---- for life ----

printf '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"me"},
	"spec":{"containers":[{"name":"c","image":"i"}]}}' |
	kubectl create -n ops -f - >/dev/null
POD_NAME=me POD_NAMESPACE=ops start kelect --for-life --lease d -- sleep 300 \
	2>"$T/life"
kelect=$!
ok "for life: the Pod leads" wait_for 30 has_messages d "me became leader"
uid=$(kubectl get configmap -n ops d -o jsonpath='{.metadata.uid}')
is "$(events d | jq -cS '.involvedObject | del(.resourceVersion)')" \
	"{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"name\":\"d\",\"namespace\":\"ops\",\"uid\":\"$uid\"}" \
	"... the Event is about the ConfigMap"
kill -TERM "$kelect"
wait "$kelect"
is "$(messages d)" "me became leader" "... which it keeps at its end"
runs 0 "outside of a cluster" env -u KUBERNETES_SERVICE_HOST \
	kelect --for-life --lease e -- true
is "$(events e)$(grep warning "$T/err")" "" \
	"... there is no object, and no Event"

done_testing
