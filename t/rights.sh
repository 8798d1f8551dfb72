# shellcheck shell=bash
# What the tests of the least rights share: an operator many times on one API
# server, each in a namespace of its own and without one of its rights.
#
#	. "${0%/*}/lib.sh"
#	. "${0%/*}/rights.sh"
#	rights_cluster memcached	# control plane, CRD, playground
#	rights_sweep '.stage == "kapply"'	# take away those; tests
#
# rights_spec, if it is set, changes the example (a jq filter).
#
# In s0 nothing is taken away. There the audit log must show each right used,
# and none refused or missing; in the others the right is named by a tool. A
# life has two parts: an operator with the lease, whose members are created,
# changed, and refused; then a version of it that wants no members, and leads
# for life after a leader whose node is gone. (No status is refused there, so
# kstatus needs no right to Events: t/4100-kstatus.sh.)

. "${BASH_SOURCE[0]%/*}/cluster/lib.sh"
export KAPI_OPTIONS=--authorization-mode=RBAC
BATCH=${BATCH:-12}

# rights_cluster NAME: the folder is then in $folder
rights_cluster() {
	name=$1 folder=pipeline/$1
	rights_server
	kubectl apply -f "$folder/crd.yaml" >/dev/null || exit 1
	wait_for 20 kubectl wait --for=condition=Established \
		-f "$folder/crd.yaml" || exit 1
	kubectl apply -f pipeline/playground/rbac.yaml >/dev/null || exit 1
	start kpipe -f pipeline/playground/watches.yaml \
		--kubeconfig "$(config playground)" 2>>"$T/playground.log"
	rights_denied
	rights_dead_node
	kubectl create serviceaccount reader >/dev/null
	kubectl create clusterrole reader --verb=get \
		--non-resource-url=/metrics >/dev/null
	kubectl create clusterrolebinding reader --clusterrole=reader \
		--serviceaccount=default:reader >/dev/null
	reader=$(kubectl create token reader)
	kgen describe -f "$folder" >"$T/operator.json"
	mkdir "$T/empty"
	cp "$folder"/*.yaml "$T/empty"
	echo 'def desired: [];' >"$T/empty/reconcile.jq"
}

# A server that checks rights. It has no streaming lists, so that kwatch lists as
# on older ones.
rights_server() {
	cluster_start -- --feature-gates=WatchList=false
	[ "$SERVER" = real ] || kapi_fault '{verb: "watch",
		query: "*sendInitialEvents=*", code: 422, count: 0}'
}

# Members of primaries called "denied..." cannot be created: so there are Events
# that repeat. (kapi asks no policies, but fails as it is told.)
rights_denied() {
	if [ "$SERVER" = kapi ]; then
		kapi_fault '{verb: "patch", name: "*denied*", code: 422,
			count: 0, message: "denied by the test"} + {resource:
			("namespaces", "pods", "deployments", "jobs")}'
		return
	fi
	kubectl apply -f - >/dev/null <<-'END'
		apiVersion: admissionregistration.k8s.io/v1
		kind: ValidatingAdmissionPolicy
		metadata: {name: denied}
		spec:
		  matchConstraints:
		    resourceRules:
		    - {apiGroups: ["", apps, batch], apiVersions: [v1], operations: [CREATE], resources: [namespaces, pods, deployments, jobs]}
		  validations:
		  - expression: "!object.metadata.name.contains('denied')"
		    message: denied by the test
		---
		apiVersion: admissionregistration.k8s.io/v1
		kind: ValidatingAdmissionPolicyBinding
		metadata: {name: denied}
		spec: {policyName: denied, validationActions: [Deny]}
	END
	wait_for 30 rights_is_denied
}
rights_is_denied() {
	! kubectl create namespace "denied-$RANDOM" >/dev/null 2>&1
}

rights_dead_node() {
	kubectl create -f - >/dev/null <<-'END'
		apiVersion: v1
		kind: Node
		metadata: {name: dead}
	END
	kubectl patch node dead --subresource=status --type=merge \
		-p '{"status":{"conditions":[{"type":"Ready","status":"False"}]}}' \
		>/dev/null
}

# Each right as a line: {stage, where, rule}
rights_each() {
	jq -c -L lib/jq 'include "gen/rights";
		stages[] as $stage | rules($stage) | del(.others) | to_entries[]
		| .key as $where | .value[] | . as $rule
		| .resources[] as $resource | .verbs[] as $verb
		| {$stage, $where, rule: ($rule + {resources: [$resource],
			verbs: [$verb]})}' "$T/operator.json"
}

# rights_objects N [LINE]: the namespace sN, and all rights but that of the line.
# One that kelect has in both of its ways is taken from both.
rights_objects() {
	jq -cs --argjson line "${2:-0}" --arg ns "s$1" --arg name "$name" '
	"rbac.authorization.k8s.io" as $api
	| def account($stage): $name + "-" + ($stage | rtrimstr("-for-life"));
	def named($kind): {apiVersion: ($api + "/v1"), kind: $kind};
	(map(.stage) | unique) as $stages
	| (if $line > 0 then .[$line - 1] else null end) as $gone
	| map(select($gone == null or .where != $gone.where or .rule != $gone.rule
		or account(.stage) != account($gone.stage)))
	| {apiVersion: "v1", kind: "List", items: [
		{apiVersion: "v1", kind: "Namespace", metadata: {name: $ns}},
		(["kwatch", "kapply", "kstatus", "kelect", "http"][]
		| {apiVersion: "v1", kind: "ServiceAccount",
			metadata: {name: account(.), namespace: $ns}}),
		($stages[] as $stage | map(select(.stage == $stage))
		| [{kind: "ServiceAccount", name: account($stage), namespace: $ns}]
			as $subjects
		| (map(select(.where == "cluster").rule) | named("ClusterRole")
			+ {metadata: {name: ($ns + "-" + $stage)}, rules: .}),
		(named("ClusterRoleBinding") + {metadata: {name: ($ns + "-" + $stage)},
			roleRef: {apiGroup: $api, kind: "ClusterRole",
				name: ($ns + "-" + $stage)}, $subjects}),
		(map(select(.where != "cluster").rule) | named("Role")
			+ {metadata: {name: $stage, namespace: $ns}, rules: .}),
		(named("RoleBinding") + {metadata: {name: $stage, namespace: $ns},
			roleRef: {apiGroup: $api, kind: "Role", name: $stage},
			$subjects})),
		({apiVersion: "v1", kind: "Pod",
			metadata: {name: ("me", "old"), namespace: $ns},
			spec: {containers: [{name: "c", image: "x"}],
				terminationGracePeriodSeconds: 0}}
		| if .metadata.name == "old" then .spec.nodeName = "dead" else . end)
	]}' "$T/rights"
}

# rights_begin N [LINE]
rights_begin() {
	local stage d=$T/s$1

	mkdir "$d"
	echo "${2:-0}" >"$d/line"
	rights_objects "$@" | kubectl create -f - >"$d/created" 2>&1 ||
		quote <"$d/created"
	for stage in kwatch kapply kstatus kelect http; do
		kubectl create token "$name-$stage" -n "s$1" | tr -d '\n' \
			>"$d/$stage"
	done
	declare -F rights_prepare >/dev/null && rights_prepare "s$1"
	rights_start "$1" "$folder" --leader-elect
	kubectl create -f "$folder/example.yaml" --dry-run=client -o json |
		jq --arg ns "s$1" '(select(.kind == "List") | .items[]), .
			| select(.kind != "List")
			| .metadata.namespace = $ns
			| '"${rights_spec:-.}"'
			| (., (.metadata.name = "denied"))' |
		jq --arg n "$1" 'if .metadata.name == "denied" then .
			else .metadata.name += $n end' | kubectl create -f - >>"$d/created" 2>&1
}

# rights_start N FOLDER KPIPE-ARGUMENT...
rights_start() {
	local d=$T/s$1 ns=s$1 scope=(-n "s$1") operator=()

	[ "$name" != iotservice ] || scope=() operator=(OPERATOR_NAME="$ns")
	start env -u KUBECONFIG "${operator[@]}" POD_NAME=me POD_NAMESPACE="$ns" \
		HOME="$T" kpipe -f "$2/watches.yaml" "${scope[@]}" \
		--server "$CLUSTER_SERVER" \
		--certificate-authority "$CLUSTER/certificates/apiserver.crt" \
		--kwatch-token-file "$d/kwatch" --kapply-token-file "$d/kapply" \
		--kstatus-token-file "$d/kstatus" \
		--kelect-token-file "$d/kelect" --http-token-file "$d/http" \
		--metrics-bind-address=127.0.0.1:0 --metrics-secure \
		--leader-election-namespace="$ns" --leader-election-id="$lease" \
		"${@:3}" 2>>"$d/log"
	echo $! >"$d/pid"
}

rights_stop() {
	local n

	for n in "$@"; do
		kill "$(<"$T/s$n/pid")" 2>/dev/null
	done
	for n in "$@"; do
		wait "$(<"$T/s$n/pid")" 2>/dev/null
	done
}

# rights_of N: the line that was taken away
rights_of() {
	sed -n "$(<"$T/s$1/line")p" "$T/rights"
}

# Whether a tool said so.
rights_is_named() {
	local text

	rights_scrape "$1"
	text=$(rights_of "$1" |
		jq -r '"cannot \(.rule.verbs[0]) resource \"\(.rule.resources[0])\""')
	grep -qF "$text" <(sed 's/\\"/"/g' "$T/s$1/log")
}

# Somebody asks for the metrics.
rights_scrape() {
	local address

	address=$(sed -n 's/.*metrics at //p' "$T/s$1/log" | tail -n 1)
	[ -n "$address" ] && curl -sk -m 10 -o /dev/null \
		-H "Authorization: Bearer $reader" "https://$address/metrics"
}

# The rights of s0 beside what was done there, by now.
rights_compared() {
	grep -E '"user(name)?":"system:serviceaccount:s0:' "$CLUSTER/audit.log" \
		>"$T/audit.s0"
	kgen rights -f "$folder" --namespace=s0 --from "$T/audit.s0" \
		>"$T/compared.all" 2>&1
	[ $? -le 1 ] || return # it may find some missing, but must not fail
	grep -v '^unused *kstatus: [a-z]* events' "$T/compared.all" >"$T/compared"
	true
}

# Primaries are looked at in the first part: what was refused is asked for again.
primaries='ats|cronjobs|experimentals|iotservices|memcacheds'
# What the second part is for.
second='select((.stage == "kelect-for-life") or (.stage == "kapply"
	and (.rule.verbs[0] == "delete" or (.rule.verbs[0] == "get"
	and (.rule.resources[0] | test("^('"$primaries"')$") | not)))))'

rights_first_done() {
	rights_scrape 0
	rights_compared && ! grep '^unused\|^idle' "$T/compared" |
		sed -E "/kapply: get ($primaries)/b
			/kapply: (get|delete)|for-life/d" | grep -q .
}
rights_all_done() {
	rights_scrape 0
	rights_compared && ! grep -q '^unused\|^idle' "$T/compared"
}

# rights_lock N: a lock for life whose Pod is on a node that is gone
rights_lock() {
	kubectl get pod old -n "s$1" -o json | jq --arg lease "$lease" '{
		apiVersion: "v1", kind: "ConfigMap", metadata: {name: $lease,
		namespace: .metadata.namespace, ownerReferences: [{apiVersion: "v1",
		kind: "Pod", name: "old", uid: .metadata.uid}]}}' |
		kubectl create -f - >/dev/null
}

# rights_sweep JQ-CONDITION: those of the rights are taken away
rights_sweep() {
	local lines line n=0 batch

	rights_each >"$T/rights"
	lease=$(jq -r -L lib/jq 'include "gen/rights"; lease_name' "$T/operator.json")
	mapfile -t lines < <(jq -rs "to_entries[] | select(.value | $1)
		| select(.value | .stage != \"kstatus\"
			or .rule.resources[0] != \"events\")
		| .key + 1" "$T/rights")
	note "$name: $(wc -l <"$T/rights") rights, ${#lines[@]} taken away"
	rights_life_of_all 0
	set -- "${lines[@]}"
	while [ $# -gt 0 ]; do
		batch=()
		for line in "${@:1:BATCH}"; do
			n=$((n + 1))
			batch+=("$n:$line")
		done
		shift $(($# < BATCH ? $# : BATCH))
		rights_life "${batch[@]}"
	done
}

# The life with all rights.
rights_life_of_all() {
	rights_begin 0
	ok "with all rights: created, refused, measured" \
		wait_for 90 rights_first_done || quote <"$T/compared"
	rights_stop 0
	rights_lock 0
	rights_start 0 "$T/empty" --leader-elect --leader-elect-for-life
	ok "... deleted, and led for life: each right is used" \
		wait_for 90 rights_all_done
	is "$(<"$T/compared")" "" "... none is missing or was refused" ||
		quote <"$T/s0/log"
	rights_stop 0
}

# rights_life N:LINE...: with one right less each
rights_life() {
	local pair n late=()

	for pair in "$@"; do
		rights_begin "${pair%:*}" "${pair#*:}"
	done
	for pair in "$@"; do
		n=${pair%:*}
		if [ -n "$(rights_of "$n" | jq -c "$second")" ]; then
			late+=("$n")
			continue
		fi
		rights_named "$n"
	done
	rights_stop "${@%:*}"
	for n in "${late[@]}"; do
		rights_lock "$n"
		rights_start "$n" "$T/empty" --leader-elect --leader-elect-for-life
	done
	for n in "${late[@]}"; do
		rights_named "$n"
	done
	rights_stop "${late[@]}"
}

rights_named() {
	ok "without $(rights_of "$1" | jq -r '"\(.stage): \(.rule.verbs[0
		]) \(.rule.resources[0])"'): it is named" \
		wait_for 60 rights_is_named "$1" || tail -n 20 "$T/s$1/log" | quote
}
