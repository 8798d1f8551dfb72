# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154
# Two replicas of a small operator on kapi, and work for them. After t/lib.sh and
# t/kapi.sh:
#
#	leader_up		# kapi, with a CRD and an object
#	replica 1 [COMMAND...]	# in the background: pid[1]; user and pod "r1"
#	busy			# the leader writes five times a second
#	mark; now_leads 2	# whether r2 holds the lease, and writes
#	stage_of 1 kapply	# its pid

LEASE_TIMES=(--leader-elect-lease-duration=2s --leader-elect-renew-deadline=1s
	--leader-elect-retry-period=200ms)
WORK=/api/v1/namespaces/default/configmaps/thing # a pattern: what a leader writes
things=/apis/example.com/v1/namespaces/default/things
declare -A pid

# long_leases: a leader that stands still for two seconds leads on, and what it
# wrote just before comes in time
long_leases() {
	LEASE_TIMES=(--leader-elect-lease-duration=5s
		--leader-elect-renew-deadline=3s
		--leader-elect-retry-period=200ms)
}

# as_admin METHOD PATH [BODY [TYPE]]
as_admin() {
	ask "$1" "$2" "${3-}" "${4:-application/json}" \
		-H "Authorization: Bearer token-admin"
}

leader_up() {
	local user

	for user in admin r1 r2; do
		echo "token-$user,$user,$user"
	done >"$T/tokens"
	kapi_up --journal "$T/journal" --token-auth-file "$T/tokens"
	for user in r1 r2; do
		sed "s/token-admin/token-$user/" "$T/kubeconfig" >"$T/$user.kubeconfig"
	done
	as_admin POST /apis/apiextensions.k8s.io/v1/customresourcedefinitions '{
		"apiVersion": "apiextensions.k8s.io/v1",
		"kind": "CustomResourceDefinition",
		"metadata": {"name": "things.example.com"},
		"spec": {"group": "example.com", "scope": "Namespaced",
			"names": {"kind": "Thing", "plural": "things"},
			"versions": [{"name": "v1", "served": true, "storage": true,
				"subresources": {"status": {}},
				"schema": {"openAPIV3Schema": {"type": "object",
				"x-kubernetes-preserve-unknown-fields": true}}}]}}' \
		>"$T/crd.out"
	cat >"$T/watches.yaml" <<-'END'
	- group: example.com
	  version: v1
	  kind: Thing
	  program: thing.jq
	  desiredReads: [now]
	  dependents:
	  - {apiVersion: v1, kind: ConfigMap, manage: true}
	END
	cat >"$T/thing.jq" <<-'END'
	def desired: [{apiVersion: "v1", kind: "ConfigMap",
	    metadata: {name: "thing"}, data: {n: "\(.primary.spec.n)",
	        at: (if .primary.spec.busy then "\(.now)" else "" end)}}];
	def status: {n: .primary.spec.n};
	def requeue: if .primary.spec.busy then 0.2 else null end;
	END
	wait_for 10 made_thing
}

made_thing() {
	as_admin POST "$things" '{"apiVersion": "example.com/v1", "kind": "Thing",
		"metadata": {"name": "t"}, "spec": {"n": 0}}' >/dev/null
	[ "$(code)" = 201 ]
}

# replica N [OPTION]... ; with $LOCK: for life
replica() {
	local n=$1

	shift
	: >"$T/r$n.ready"
	[ -z "${LOCK:-}" ] || set -- --leader-elect-for-life "$@"
	[ -n "${LOCK:-}" ] || set -- "${LEASE_TIMES[@]}" "$@"
	POD_NAME=r$n POD_NAMESPACE=default kpipe -f "$T/watches.yaml" --kubeconfig "$T/r$n.kubeconfig" \
		--leader-elect --report-fd=9 "$@" \
		9>"$T/r$n.ready" 2>>"$T/r$n.err" &
	pid[$n]=$!
	started+=($!)
	disown $!
}

is_ready() {
	test -s "$T/r$1.ready"
}

busy() {
	as_admin PATCH "$things/t" '{"spec": {"busy": true}}' \
		application/merge-patch+json >/dev/null
}

# amid COMMAND...: at the next full second, in the midst of what it brings
amid() {
	local passes

	mark
	clock pass "$((1000 - $(clock ms) % 1000))ms" &
	passes=$!
	until now_leads '[12]' || ! is_child "$passes"; do
		nap .001
	done
	nap "0.0$((RANDOM % 5))$((RANDOM % 10))"
	"$@"
	builtin wait "$passes"
}

# stage_of N NAME: the newest
stage_of() {
	pgrep -n -P "${pid[$1]}" -x "$2"
}

# mark: journal lines before it do not count for now_leads
mark() {
	[ -n "${journal:-}" ] || exec {journal}<"$T/journal"
	mapfile -u "$journal" skipped
}

# journal_anew: it is empty
journal_anew() {
	exec {journal}<&-
	journal=
	: >"$T/journal"
}

# now_leads N: whether it has written since the mark; '[12]': one has. Which one
# is in $leader.
now_leads() {
	local line

	while IFS= read -r line; do
		# shellcheck disable=SC2053
		if [[ $line == *'"user":"r'$1'"'*'"path":"'$WORK*'"code":2'* &&
			$line != *'"method":"GET"'* ]]; then
			leader=${line#*'"user":"r'}
			leader=${leader%%'"'*}
			return
		fi
	done <&"$journal"
	false
}

# stray: each write by a replica that did not lead at that moment. Of a lock for
# life only the taking is seen, because the garbage collector releases it. The
# Events of kelect, which say who leads, may be late.
stray() {
	jq -Rc 'fromjson? | select(.user // "" | startswith("r")) |
		select(.method != "GET" and .body.reason? != "LeaderElection")' \
		"$T/journal" | jq -nc '
		def lock: .resource == "configmaps" and .name != "thing";
		foreach inputs as $w ({holder: ""};
			.stray = null |
			if $w.code >= 300 and ($w | lock or .resource == "leases")
			then .
			elif $w.resource == "leases" then
				.holder = ($w.body.spec.holderIdentity // "" |
					sub("_.*"; ""))
			elif $w | lock then .holder =
				$w.body.metadata.ownerReferences[0].name
			elif .holder != $w.user then .stray = {holder, write:
				($w | {number, user, method, path, code})}
			else . end;
			.stray // empty)'
}
