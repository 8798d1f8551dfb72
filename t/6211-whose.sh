#!/bin/bash
# The five operators, each as many instances that are started in every way that
# the manual allows, and see each other's objects: none writes to what another
# one has. One user runs each instance, so the audit log tells.
# servers: kapi real
# check-all: many operators at once
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=cluster/lib.sh
. "${0%/*}/cluster/lib.sh"

users=(kwatch kapply kstatus playground user1 user2 user3 user4)
SEED=${SEED:-36}
cluster_start
count=${#users[@]}
for p in memcached at experimental cronjob iotservice; do
	cat "pipeline/$p/crd.yaml"
	echo ---
done | kubectl apply -f - >/dev/null
for p in memcached at experimental cronjob iotservice; do
	wait_for 20 kubectl wait --for=condition=Established \
		-f "pipeline/$p/crd.yaml"
done
[ "$SERVER" != real ] || kubectl create clusterrolebinding all \
	--clusterrole=cluster-admin "${users[@]/#/--user=}" >/dev/null

# ---- the instances ----

# The ways to start one: where it looks, what names it, which key it has,
# whether it asks for the lead and takes over from a third one, whether IoTService
# adopts. Each user has one of each, in an order that the seed gives; two with
# the same scope differ in the rest. One is without IoTService.
scopes=(own list all empty env-own env-all none file)
names=(outside pod file)
keys=(shared secret file)
RANDOM=$SEED
shuffled=()
while [ ${#shuffled[@]} -lt ${#scopes[@]} ]; do
	at=$((RANDOM % ${#scopes[@]}))
	[[ " ${shuffled[*]} " == *" ${scopes[at]} "* ]] ||
		shuffled+=("${scopes[at]}")
done
note "seed $SEED: ${shuffled[*]}"

# watches I: its watches.yaml, of all operators that can be started so
watches() {
	local operators=(memcached at experimental cronjob) p
	local more=

	case ${scope[$1]} in
	file) more="  namespaces: [i$1]" ;;
	esac
	[ "${name[$1]}" != file ] || more="$more
  instance: named-$1"
	! has_iot "$1" || operators+=(iotservice)
	for p in "${operators[@]}"; do
		sed -E "s,^  program: (.*),  program: $PWD/pipeline/$p/\1," \
			"pipeline/$p/watches.yaml" |
			if [ "$p" = iotservice ]; then
				cat
			else
				awk -v "more=$more" '{ print }
					/^  program:/ && more { print more }'
			fi
	done >"$T/i$1.yaml"
}
# has_iot I: IoTService runs with no namespace chosen, and needs a name
has_iot() {
	[[ ${scope[$1]} =~ ^(env-all|none|file)$ && ${name[$1]} != alone ]]
}
declare -A scope name key user pid
everywhere=
for ((i = 0; i < count; i++)); do
	scope[$i]=${shuffled[i % 8]}
	name[$i]=${names[(i + i / 8) % 3]}
	key[$i]=${keys[(i / 3 + i / 8) % 3]}
	user[$i]=${users[i]}
	everywhere+=,i$i
	printf "%064d\n" "$i" >"$T/i$i.key"
done
for ((i = 0; i < count; i++)); do
	# Its kinds may not be those of the landscape.
	[[ ! ${scope[$i]} =~ ^(all|empty)$ ]] || {
		name[$i]=alone
		break
	}
done
alone=$i
for ((i = 0; i < count; i++)); do
	watches "$i"
	note "i$i: ${scope[$i]}, name ${name[$i]}, key ${key[$i]}"
done

# settings I: environment and options of that one, in $env and $options
settings() {
	local i=$1

	env=(-u WATCH_NAMESPACE -u POD_NAMESPACE -u OPERATOR_NAME)
	options=(-f "$T/i$i.yaml" --kubeconfig="$(config "${user[$i]}")")
	case ${scope[$i]} in
	own) options+=(-n "i$i") ;;
	list) options+=(-n "i$i$everywhere") ;;
	all) options+=(-A) ;;
	empty) options+=(--namespace=) ;;
	env-own) env+=(WATCH_NAMESPACE="i$i") ;;
	env-all) env+=(WATCH_NAMESPACE=) ;;
	esac
}
# instance I: starts it
instance() {
	local i=$1 env options

	settings "$i"
	case ${name[$i]} in
	pod) env+=(POD_NAMESPACE="i$i") ;;
	esac
	# A second installation has the same name, in another namespace.
	case ${name[$i]} in
	pod) has_iot "$i" && env+=(OPERATOR_NAME="i$i") ||
		env+=(OPERATOR_NAME=operator) ;;
	*) env+=(OPERATOR_NAME="i$i") ;;
	esac
	case ${key[$i]} in
	secret) options+=(--marks-key-secret="i$i/key") ;;
	file) options+=(--marks-key-file="$T/i$i.key") ;;
	esac
	((i % 2)) || options+=(--take-over-instance=nobody)
	((i % 4 > 1)) ||
		options+=(--leader-elect --leader-election-namespace="i$i")
	((i % 3)) || env+=(IOTSERVICE_ADOPT_LABEL=instance)
	start env "${env[@]}" kpipe "${options[@]}" 2>>"$T/i$i.log"
	pid[$i]=$!
}
# by_hand I: the stages, once, as a shell has them, over all that is there. They
# have no name.
by_hand() {
	env -u OPERATOR_NAME kwatch --once -A -f "$T/i$1.yaml" "$k" |
		ireconcile -A -f "$T/i$1.yaml" | kapply "$k" | kstatus "$k"
}
stop() { # I...
	local i

	for i; do
		kill "${pid[$i]}"
	done
	for i; do
		wait "${pid[$i]}"
	done
}

# ---- the objects ----

today=$(date -u +%F)
# objects I ROUND: the primaries of instance I; each round changes all
objects() {
	jq -cn --arg ns "i$1" --argjson n "$2" --argjson iot "$(has_iot "$1" &&
		echo true || echo false)" --arg schedule "$(date -u \
		-d "$today -$((20 - $2)) days" '+0 0 %-d %-m *')" '
		def of($v; $kind; $spec): {apiVersion: $v, kind: $kind,
			metadata: {name: "x", namespace: $ns}, spec: $spec};
		of("cache.example.com/v1alpha1"; "Memcached"; {size: $n}),
		of("at.example.com/v1alpha1"; "At"; {command: "echo \($n)",
			schedule: "2020-01-01T00:00:00Z"}),
		of("experiments.vapourware.com/v1alpha1"; "Experimental";
			{numberOfReplicas: $n}),
		of("batch.tutorial.kubebuilder.io/v1"; "CronJob"; {$schedule,
			jobTemplate: {spec: {template: {spec: {
			restartPolicy: "Never",
			containers: [{name: "c", image: "x"}]}}}}}),
		if $iot then input | .metadata.namespace = $ns
			| .metadata.name = "x" | .spec.cockpit.size = $n
		else empty end' "$T/iot.json"
}
kubectl create --dry-run=client -o json -f pipeline/iotservice/example.yaml |
	jq -s 'map(select(.kind == "IoTService"))[0]' >"$T/iot.json"
round() { # N I...
	local n=$1 i

	shift
	for i; do
		objects "$i" "$n"
	done | kubectl apply -f - >/dev/null
}
# lists GROUP-VERSION RESOURCE...: as the API server lists them, everywhere
lists() {
	local resource

	for resource in "${@:2}"; do
		api "$1/$resource"
	done
}
all() {
	lists /apis/cache.example.com/v1alpha1 memcacheds
	lists /apis/at.example.com/v1alpha1 ats
	lists /apis/experiments.vapourware.com/v1alpha1 experimentals
	lists /apis/batch.tutorial.kubebuilder.io/v1 cronjobs
	lists /apis/cp.iot.sap/v1 iotservices
	lists /apis/apps/v1 deployments
	lists /apis/batch/v1 jobs
	lists /api/v1 pods namespaces
}
# settled ROUND I...: their operators have done all of that round
settled() {
	all | jq -cn --argjson n "$1" --args '[inputs | (.kind | rtrimstr("List")) as $kind
		| .items[] | .kind = $kind] | group_by(.metadata.namespace)
		| map({key: "\(.[0].metadata.namespace)", value: .}) | from_entries
		| . as $all
		| def the($kind): map(select(.kind == $kind));
		def served: .status.observedGeneration == .metadata.generation;
		$ARGS.positional[] | . as $i | $all[.] // []
		| (the("Memcached") | length == 1 and all(served))
		and (the("Deployment") | length == 1 and .[0].spec.replicas == $n)
		and (the("At") | length == 1 and all(served and .status.phase == "RUNNING"))
		and (the("Experimental") | length == 1
			and all(served and .status.numberOfReplicas == $n))
		and (the("CronJob") | length == 1 and all(served))
		and (the("Job") | length == $n)
		and (the("Pod") | map(select(.metadata.ownerReferences[0].kind == "Job" | not))
			| length > $n)
		and (the("IoTService") | . == [] or (all(served)
			and ($all[$i + "-x"] // [] | the("Deployment")
			| any(.metadata.name == "cockpit-x" and .spec.replicas == $n))))
		' "${@:2}" | grep -qv true && return 1
	return 0
}
# foreign: what a user wrote that is not its own
foreign() {
	local i

	for ((i = 0; i < count; i++)); do
		audit_writes "${user[$i]}" | awk -v "own=i$i" '{
			split($4, place, "/") }
			place[1] != own && place[1] != own "-x" &&
			!(place[1] == "default" && $3 ~ /^(secrets|leases|events)$/)'
	done
}

for ((i = 0; i < count; i++)); do
	echo "{apiVersion: v1, kind: Namespace, metadata: {name: i$i}}"
	echo ---
	echo "{apiVersion: v1, kind: Secret, metadata: {name: image-pull-secret, namespace: i$i}, type: kubernetes.io/dockerconfigjson, stringData: {.dockerconfigjson: '{\"auths\":{}}'}}"
	echo ---
done | kubectl apply -f - >/dev/null

# ---- one after the other ----

for ((i = 0; i < count; i++)); do
	round 1 "$i"
	kubectl patch cronjobs.batch.tutorial.kubebuilder.io x -n "i$i" \
		--subresource=status --type=merge -p "{\"status\":
		{\"lastScheduleTime\": \"$(date -u -d "$today -30 days" \
		+%FT00:00:00Z)\"}}" >/dev/null
	instance "$i"
	ok "i$i, ${scope[$i]}, named by ${name[$i]}, key ${key[$i]}: serves its own" \
		wait_for 30 settled 1 "i$i" || tail -n 20 "$T/i$i.log" | quote
	stop "$i"
done
is "$(foreign)" "" "... and none has written to another one's"

# ---- by hand ----

audit_mark
k=--kubeconfig=$(config user4)
runs 0 "the stages run by hand, in all namespaces" by_hand "$alone"
is "$(audit_writes user4)" "" "... write nothing" ||
	quote <"$T/err"
AUDIT_FROM=1

# ---- side by side ----

mapfile -t every < <(seq 0 $((count - 1)))
# uids: those of all that is there
uids() {
	all | jq -r '(.kind | rtrimstr("List")) as $kind | .items[].metadata
		| select(.namespace // .name | startswith("i"))
		| "\($kind) \(.namespace)/\(.name) \(.uid)"' | sort
}
uids >"$T/before"
for i in "${every[@]}"; do
	instance "$i"
done
for n in 2 3; do
	round $n "${every[@]}"
	ok "side by side, change $n: each serves its own" \
		wait_for 60 settled $n "${every[@]/#/i}"
done
is "$(foreign)" "" "... and none has written to another one's"
uids >"$T/after"
is "$(comm -23 "$T/before" "$T/after")" "" "... all that was there is there"

# ---- deleted while its own instance is away ----

odd=() even=()
for i in "${every[@]}"; do
	if ((i % 2)); then odd+=("$i"); else even+=("$i"); fi
done
stop "${odd[@]}"
for i in "${odd[@]}"; do
	kubectl delete ats.at.example.com x -n "i$i" --wait=false >/dev/null
	! has_iot "$i" || kubectl delete iotservices.cp.iot.sap x -n "i$i" \
		--wait=false >/dev/null
done
round 4 "${even[@]}"
ok "the others work meanwhile" wait_for 60 settled 4 "${even[@]/#/i}"
is "$(foreign)" "" "what is being deleted is left to its own"
uids >"$T/after"
is "$(comm -23 "$T/before" "$T/after")" "" "... all of it is there"
for i in "${odd[@]}"; do
	instance "$i"
done
# deleted: the odd ones have finished their deletions
deleted() {
	all | jq -e -n --args '[inputs | select(.kind == "AtList"
		or .kind == "IoTServiceList") | .items[].metadata.namespace]
		| all(IN($ARGS.positional[]) | not)' "${odd[@]/#/i}"
}
ok "its own finishes the deletion" wait_for 60 deleted
is "$(foreign)" "" "none has written to another one's"
stop "${every[@]}"
done_testing
