#!/bin/bash
# Each call of an operator below kpipe fails in turn, stage by stage (below.sh):
# what once fails is made good without help; what fails for ever is logged with
# its cause, and is made good by an operator without the fault.
# servers: kapi
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=clock/lib.sh
. "${0%/*}/clock/lib.sh"
# shellcheck source=cluster/lib.sh
. "${0%/*}/cluster/lib.sh"
few=20 first=4 growth=100
# shellcheck source=below.sh
. "${0%/*}/below.sh"
clock_begin --at 2026-03-01T00:00:00Z
cluster_start
kubectl apply -f pipeline/memcached/crd.yaml >/dev/null
kubectl create namespace below >/dev/null
primaries=/apis/cache.example.com/v1alpha1/namespaces/below/memcacheds
deployments=/apis/apps/v1/namespaces/below/deployments
export WATCH_NAMESPACE=below

# operator [COMMAND]...: kpipe, with all that may stand beside it, behind that
operator() {
	start timeout -s KILL "$(patience 120)" "$@" \
		kpipe -f pipeline/memcached/watches.yaml --leader-elect \
		--leader-election-namespace=below --record "$T/record" \
		--metrics-bind-address=127.0.0.1:0 >"$T/out" 2>"$T/err"
	operator=$!
}

# ends: sets its code
ends() {
	kill "$operator" 2>/dev/null
	wait "$operator"
	code=$?
}

# is_made SIZE: the Deployment of the primary, which is the only one
is_made() {
	[ "$(api "$deployments" | jq -r '.items[] |
		"\(.metadata.name) \(.spec.replicas)"')" = "m$turn $1" ]
}

attempt() {
	local body

	body=$(jq -nc --arg name "m$turn" '{kind: "Memcached",
		apiVersion: "cache.example.com/v1alpha1", metadata: {$name},
		spec: {size: 2}}')
	api "$primaries" -H "Content-Type: application/json" -d "$body" >/dev/null
	operator "${tool[@]}"
	clock pass 1m
	is_made 2
	made=$?
	api "$primaries/m$turn" -X PATCH -d '{"spec":{"size":3}}' \
		-H "Content-Type: application/merge-patch+json" >/dev/null
	clock pass 1m
	is_made 3
	changed=$?
	ends
	api_delete "$primaries/m$turn"
	clock pass 1s
}

# A fault that passes is made good; one that does not is named, and the next
# operator makes good what was left: it is the next attempt, whose Deployment is
# the only one.
right() {
	! grep -E 'killed by|exit code 101|SIG' "$T/err" || return
	if [ "$made$changed" = 00 ]; then
		return
	fi
	[ -n "$ever" ] && grep -Eq "${cause[$error]}" "$T/err"
}

all="memory:ENOMEM memory:ENOMEM:ever map:ENOMEM read:EINTR read:EAGAIN
	write:EINTR write:EAGAIN write:ENOSPC wait:EINTR open:EMFILE pipe:EMFILE
	pipe:EMFILE:ever fork:EAGAIN"
client="read:ECONNRESET read:ECONNRESET:ever write:ECONNRESET
	connect:ECONNREFUSED connect:ECONNREFUSED:ever connect:ETIMEDOUT
	socket:EMFILE"
for below_in in kwatch kapply kstatus kelect ireconcile krecord kpipe-http kpipe; do
	case $below_in in
	kwatch | kapply | kstatus | kelect) faults="$all $client" ;;
	kpipe) faults="$all fork:EAGAIN:ever" ;;
	*) faults=$all ;;
	esac
	# shellcheck disable=SC2086
	below "$below_in below kpipe" $faults
done
done_testing
