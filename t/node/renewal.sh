# shellcheck shell=bash
# shellcheck disable=SC2154 # name, ns, stages: of life
# Each token is renewed in place (t/node/life): the accounts and their Secrets are
# made again, and the Pods go on with what appears in their folders.

token() {
	object "/api/v1/namespaces/$ns/secrets/$name-$1" .data.token |
		base64 -d | grep .
}
has_tokens() {
	local stage

	for stage in "${stages[@]}"; do
		token "$stage" || return
	done >/dev/null
}
# answer TOKEN: the code of an answer to it
answer() {
	curl -s -o /dev/null -w '%{http_code}' -m 10 \
		--cacert "$CLUSTER/certificates/apiserver.crt" \
		-H "Authorization: Bearer $1" "$CLUSTER_SERVER/api"
}
have_new_tokens() {
	local pid stage now

	for stage in "${stages[@]}"; do
		now=$(token "$stage")
		[ "$now" != "${old[$stage]}" ] || return
		for pid in "${pids[@]}"; do
			[ "$(<"/proc/$pid/root/var/run/secrets/kubernetes.io/serviceaccount/$stage")" = "$now" ] ||
				return
		done
	done
}
is_refused() {
	[ "$(answer "$1")" = 401 ]
}
# has_written STAGE: it was answered 200 or 201 since the mark
has_written() {
	tail -n "+$AUDIT_FROM" "$CLUSTER/audit.log" |
		grep -F "\"system:serviceaccount:$ns:$name-$1\"" |
		grep -q '"code":20[01]'
}
# It is asked who asks.
scrape() {
	curl -sk -m 10 -H "Authorization: Bearer $asker" \
		"https://$address:8443/metrics"
}

renewed() {
	local before of stage

	lead
	declare -gA old=()
	pids=()
	before=$(running | sort)
	for of in $before; do
		pids+=("$(process "$of" "$ns")")
	done
	of=$(for of in $before; do restarts "$of" "$ns"; done)
	for stage in "${stages[@]}"; do
		old[$stage]=$(token "$stage")
	done
	is "$(answer "${old[kwatch]}")" 200 "a token counts"
	kubectl delete -n "$ns" "secret/$name-kwatch" >/dev/null
	make_accounts
	wait_for 180 has_tokens
	is "$(token kwatch)" "${old[kwatch]}" \
		"a Secret that is made again has the same token"
	kubectl delete --ignore-not-found -n "$ns" \
		"${stages[@]/#/serviceaccount/$name-}" \
		"${stages[@]/#/secret/$name-}" >/dev/null
	make_accounts
	ok "of an account that is made again it is another one, and reaches the Pods" \
		wait_for 240 have_new_tokens
	for stage in "${stages[@]}"; do
		ok "the old one of $stage is refused" \
			wait_for 180 is_refused "${old[$stage]}"
	done

	audit_mark
	works "with the new ones the work goes on"
	address=$(object "$pods/$pod" .status.podIP)
	asker=$(kubectl create token default)
	kill -9 "$(pgrep -P "$pid" -x kwatch)"
	wait_for 180 scrape
	for stage in "${stages[@]}"; do
		ok "... of $stage" wait_for 180 has_written "$stage" ||
			node_logs "$ns"
	done
	is "$(running | sort)" "$before" "... in the same Pods"
	is "$(for pod in $before; do restarts "$pod" "$ns"; done)" "$of" \
		"... and the same containers"
}
