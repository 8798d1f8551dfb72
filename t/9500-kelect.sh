#!/bin/bash
# kelect on the real control plane: its writes are accepted, it ends in every
# way, and takes turns with an operator in Go.
# servers: real
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=cluster/lib.sh
. "${0%/*}/cluster/lib.sh"
cluster_start

# Long enough for a server that stands still for a second or two
times=(--lease-duration 4s --renew-deadline 3s --retry-period 300ms)

# spec NAME: of a Lease, without what differs from run to run
spec() {
	kubectl get lease "$1" -o json | jq -c .spec | sed -E \
		's/_[0-9a-f]{32}/_RANDOM/g; s/[0-9]{4}-[0-9-]+T[0-9:]+\.[0-9]{6}Z/MICROTIME/g'
}

says() {
	grep -qF "$2" "$T/$1"
}

POD_NAME=pod-1 runs 3 "a command" kelect "${times[@]}" --lease a -- sh -c \
	"kubectl get lease a -o json >$T/lease; exit 3"
is "$(jq -c '.spec | .holderIdentity |= sub("_[0-9a-f]{32}$"; "_RANDOM") |
	[.holderIdentity, .leaseDurationSeconds, .leaseTransitions,
	.acquireTime <= .renewTime]' "$T/lease")" '["pod-1_RANDOM",4,0,true]' \
	"the Lease is held while it runs"
is "$(spec a)" '{"acquireTime":"MICROTIME","holderIdentity":"","leaseDurationSeconds":1,"leaseTransitions":0,"renewTime":"MICROTIME"}' \
	"... and given back"

start kelect "${times[@]}" --lease b -- sh -c "echo leads >&2
	sleep 1000" 2>"$T/one"
one=$!
wait_for 20 says one leads
start kelect "${times[@]}" --lease b -- sh -c "echo leads >&2
	sleep 1000" 2>"$T/two"
two=$!
ok "a second one stands by" wait_for 20 says two "standing by"
kill -9 "$one"
ok "... and follows after kill -9" wait_for 20 says two leads
is "$(kubectl get lease b -o jsonpath='{.spec.leaseTransitions}')" 1 \
	"... one transition more"
kill -TERM "$two"
wait "$two"
is "$?" 0 "SIGTERM ends it"
is "$(spec b)" '{"acquireTime":"MICROTIME","holderIdentity":"","leaseDurationSeconds":1,"leaseTransitions":1,"renewTime":"MICROTIME"}' \
	"... and the Lease is given back"

mkfifo "$T/objects"
start kelect "${times[@]}" --lease c -- sh -c \
	"kapply -o none <$T/objects" 2>"$T/writer"
three=$!
exec 7>"$T/objects"
echo '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"m"}}' >&7
ok "a writer writes" wait_for 20 kubectl get configmap m
kubectl patch lease c --type merge \
	-p '{"spec":{"holderIdentity":"somebody"}}' >/dev/null
wait "$three"
is "$?" 111 "the Lease is taken away: lost"
ok "... and its new holder" says writer "lost the lease default/c: somebody holds it"
exec 7>&-

unset KUBECONFIG
start kelect "${times[@]}" --lease d --kubeconfig "$(config user1)" -- true \
	2>"$T/forbidden"
forbidden=$!
ok "without rights it says which are missing" wait_for 20 says forbidden \
	'cannot read the lease default/d: leases.coordination.k8s.io "d" is forbidden: User "user1" cannot get resource "leases" in API group "coordination.k8s.io" in the namespace "default"'
kill -TERM "$forbidden"
wait "$forbidden"
is "$?" 0 "... and ends at once"
export KUBECONFIG=$CLUSTER/admin.kubeconfig

if contender=$(t/contender/build 2>"$T/build.err"); then
	start "$contender" "${times[@]}" --lease e --lock "$T/lock" \
		>"$T/go" 2>/dev/null
	go=$!
	wait_for 20 says go leading
	start kelect "${times[@]}" --lease e -- flock -n "$T/lock" -c \
		'echo leads >&2; exec sleep 1000' 2>"$T/ours"
	ours=$!
	wait_for 20 says ours "standing by: the lease default/e is held by"
	kill -9 "$go"
	ok "kelect takes over from an operator in Go" wait_for 20 says ours leads
	start "$contender" "${times[@]}" --lease e --lock "$T/lock" \
		>"$T/go2" 2>/dev/null
	kill -TERM "$ours"
	ok "... and gives it back to one" wait_for 20 says go2 leading
else
	note "no operator in Go: $(tail -n 1 "$T/build.err")"
fi

done_testing
