#!/bin/bash
# What changes below a running operator: the tokens of its stages, its image
# (there and back, while objects change), an image that cannot be pulled.
# check-all: a kubelet
# shellcheck source=node/lib.sh
. "${0%/*}/node/lib.sh"

ns=memcached-operator-system
deployment=memcached-operator-controller-manager
stages=(kwatch kapply kstatus kelect http)
push memcached:1.4.36-alpine
operator_image memcached
deploy memcached cluster
ok "two replicas are available" available memcached || node_logs $ns
kubectl apply -f pipeline/memcached/example.yaml >/dev/null

size=3
is_followed() {
	[ "$(kubectl get deployment example -o 'jsonpath={.spec.replicas}')" = \
		"$size" ]
}
change() {
	size=$((size % 4 + 1))
	kubectl patch memcached example --type=merge \
		-p "{\"spec\": {\"size\": $size}}" >/dev/null
}
works() {
	change
	ok "$1" wait_for 90 is_followed || node_logs $ns
}
pods() {
	kubectl get pods -n $ns --field-selector=status.phase=Running -o name |
		cut -d/ -f2
}
works "the example is followed"

# --- each token is renewed in place
token() {
	kubectl get secret "memcached-$1" -n $ns -o 'jsonpath={.data.token}' |
		base64 -d | grep .
}
mounted() {
	cat "/proc/$(process "$1" $ns)/root/var/run/secrets/kubernetes.io/serviceaccount/$2"
}
# answer TOKEN: the code of an answer to it
answer() {
	curl -s -o /dev/null -w '%{http_code}' -m 10 \
		--cacert "$CLUSTER/certificates/apiserver.crt" \
		-H "Authorization: Bearer $1" "$CLUSTER_SERVER/api"
}
has_new_tokens() {
	local pod stage

	for pod in $(pods); do
		for stage in "${stages[@]}"; do
			[ "$(token "$stage")" != "${old[$stage]}" ] &&
				[ "$(mounted "$pod" "$stage")" = "$(token "$stage")" ] ||
				return
		done
	done
}
is_refused() {
	[ "$(answer "$1")" = 401 ]
}
# has_written STAGE: it was answered 200 since the mark
has_written() {
	audit 'select(.responseStatus.code < 300) | .user.username' |
		grep -q ":memcached-$1\$"
}
# renew RESOURCE...: deletes them and applies the manifest again.
renew() {
	kubectl delete --ignore-not-found -n $ns "$@" >/dev/null
	kubectl apply --server-side \
		-f deploy/memcached/base/service_account.yaml >/dev/null
	wait_for 60 token kwatch
}
declare -A old
for stage in "${stages[@]}"; do
	old[$stage]=$(token "$stage")
done
is "$(answer "${old[kwatch]}")" 200 "a token counts"
renew secret/memcached-kwatch
is "$(token kwatch)" "${old[kwatch]}" \
	"a Secret that is made again has the same token"
before=$(pods | sort)
renew "${stages[@]/#/serviceaccount/memcached-}" \
	"${stages[@]/#/secret/memcached-}"
ok "of an account that is made again it is another one, and reaches the Pods" wait_for 120 has_new_tokens
for stage in "${stages[@]}"; do
	ok "the old one of $stage is refused" wait_for 60 is_refused "${old[$stage]}"
done
audit_mark
works "with the new ones the work goes on"
pod=$(leader memcached)
address=$(kubectl get pod "$pod" -n $ns -o 'jsonpath={.status.podIP}')
kill -9 "$(pgrep -P "$(process "$pod" $ns)" -x kwatch)"
# It is asked who asks.
scrape() {
	curl -sk -m 10 -H "Authorization: Bearer $(kubectl create token default)" \
		"https://$address:8443/metrics"
}
wait_for 60 scrape
for stage in "${stages[@]}"; do
	ok "... of $stage" wait_for 60 has_written "$stage" || node_logs $ns
done
is "$(pods | sort)" "$before" "... in the same Pods"
is "$(for pod in $before; do restarts "$pod" $ns; echo; done)" "0
0" "... and the same containers"

# --- another image, and back
# Its program makes another Deployment, so that it is seen at work.
copy=build/image/node/memcached
mkdir -p "$copy"
cp -p pipeline/memcached/*.{yaml,jq} "$copy"
sed -i 's/-m=64/-m=128/' "$copy/reconcile.jq"
touch -r pipeline/memcached/reconcile.jq "$copy/reconcile.jq"
operator_image memcached 0.2.0 "$copy"

# rolled_out: while objects change, one after another; each is followed. The
# slowest took $slowest seconds.
rolled_out() {
	local from=$SECONDS begun

	slowest=0 changes=0
	until kubectl rollout status deployment/$deployment -n $ns \
		--watch=false | grep -q 'successfully rolled out'; do
		begun=$EPOCHREALTIME
		change
		changes=$((changes + 1))
		wait_for 90 is_followed || return
		slowest=$(awk -v "t=$EPOCHREALTIME" -v "begun=$begun" \
			-v "most=$slowest" 'BEGIN { t -= begun
			printf "%.1f", (t > most ? t : most) }')
		[ $((SECONDS - from)) -lt 240 ] || return
	done
}
# Requests of kelect that renewed, released or took the lease, and the longest
# time between two.
leadership() {
	audit 'select(.user.username | endswith(":memcached-kelect"))
		| select(.verb != "get" and .responseStatus.code < 300)
		| "\(.stageTimestamp[11:23]) \(.sourceIPs[0])"' | awk '
		{ split($1, t, ":"); now = t[1] * 3600 + t[2] * 60 + t[3]
		  if (NR > 1 && now - last > gap) gap = now - last
		  if (NR > 1 && $2 != who) n++
		  last = now; who = $2 }
		END { printf "%d changes of the leader, at most %.1f s between two renewals\n", n, gap }'
}
program_is() {
	kubectl get deployment example -o jsonpath='{.spec.template.spec.containers[0].command}' |
		grep -q -- "$1"
}
audit_mark
kubectl set image -n $ns deployment/$deployment \
	kpipe=localhost/memcached-operator:0.2.0 >/dev/null
ok "another image is rolled out, and every change is followed" rolled_out ||
	node_logs $ns
note "$changes changes, the slowest took $slowest s; $(leadership)"
ok "its program is at work" wait_for 60 program_is -m=128
audit_mark
kubectl rollout undo -n $ns deployment/$deployment >/dev/null
ok "the one before is rolled out again, and every change is followed" rolled_out ||
	node_logs $ns
note "$changes changes, the slowest took $slowest s; $(leadership)"
ok "its program is at work" wait_for 60 program_is -m=64

# --- an image that does not exist
kubectl set image -n $ns deployment/$deployment \
	kpipe=localhost/memcached-operator:none >/dev/null
reason() {
	kubectl get pods -n $ns -o json | jq -r '.items[].status.containerStatuses[]?
		.state.waiting | values | "\(.reason): \(.message)"'
}
ok "an image that does not exist: the Pod says so" \
	wait_for 60 eval 'reason | grep -q "ImagePull.*memcached-operator:none"'
note "$(reason | cut -c1-150)"
is "$(pods | wc -l)" 2 "... two Pods of the image before still run"
works "... and work"
kubectl rollout undo -n $ns deployment/$deployment >/dev/null
ok "... and it is taken back" available memcached
is "$(refused memcached)" "" "the operator was refused nothing"
done_testing
