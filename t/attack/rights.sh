# shellcheck shell=bash disable=SC2154
# What the tenant cannot do, and what the operator cannot.

section "rights"
forbidden() {
	[ "$(<"$T/code")" = 403 ]
}
not_allowed() {
	tries "$1" as mallory "${@:2}" >"$T/answer"
	gets "403" forbidden
}
not_allowed "reading the operator's Secret" GET /api/v1/namespaces/sys/secrets/credentials
not_allowed "listing all Secrets" GET /api/v1/secrets
not_allowed "changing the victim's object" PATCH "$targets/victim/targets/v" '{"spec":{"x":"y"}}'
not_allowed "changing the victim's member" PATCH "$(configmaps victim v)" '{"data":{"k":"v"}}'
not_allowed "deleting the victim's marked member" DELETE "$(configmaps sys victim.v)"
not_allowed "a binding to cluster-admin" POST /apis/rbac.authorization.k8s.io/v1/clusterrolebindings \
	'{"metadata":{"name":"m"},"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"ClusterRole","name":"cluster-admin"}}'
no_right() {
	[ "$(kubectl auth can-i "$@" --as user1)" = no ]
}
for right in "get secrets -n victim" "delete targets.attack.example.com -n victim" \
	"create pods -n tenant" "create clusterrolebindings" "delete namespaces" "update nodes"; do
	tries "by the operator's rights: $right" true
	# shellcheck disable=SC2086
	gets "no" no_right $right
done
# No stage has its credential in its environment or its arguments, and
# ireconcile has none at all.
pid_of_stage() {
	pgrep -P "$operator" -x "$1"
}
holds_nothing() {
	local pid

	for pid in $(pgrep -P "$operator"); do
		! tr '\0' '\n' <"/proc/$pid/environ" | grep -qi -e token -e kubeconfig || return
		! tr '\0' ' ' <"/proc/$pid/cmdline" | grep -qF "$(awk -F, '$2 == "user1" { print $1 }' "$CLUSTER/tokens")" || return
	done
}
tries "the credential in environment or arguments of a stage" true
gets "nothing" holds_nothing
# Its log is that of the operator: here, a file.
no_files() {
	local pid inode

	pid=$(pid_of_stage ireconcile)
	! find "/proc/$pid/fd" ! -name 2 -printf '%l\n' | grep '^/' |
		grep -v -e '^/dev/null' -e /memfd || return
	for inode in $(find "/proc/$pid/fd" -printf '%l\n' |
		sed -n 's/^socket:\[\(.*\)\]$/\1/p'); do
		! grep -qw "$inode" "/proc/$pid/net/tcp" "/proc/$pid/net/tcp6" \
			"/proc/$pid/net/udp" || return
	done
}
tries "a file or connection that ireconcile holds" true
gets "nothing" no_files
hardened() {
	local pid

	for pid in $(pgrep -P "$operator") "$operator"; do
		grep -q '^NoNewPrivs:[[:space:]]*1' "/proc/$pid/status" &&
			grep -q '^Max core file size *0 *0' "/proc/$pid/limits" || return
	done
}
tries "a core file, or new privileges, of any stage" true
gets "none" hardened
