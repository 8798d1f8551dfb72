#!/bin/bash
# Two replicas of each operator, elected by a Lease or for life, and 125
# fail-overs: half by kill -9 of kelect, others by SIGTERM, by kill -9 of all,
# by SIGSTOP past the lease. In kapi's journal: after the first write of a new
# leader, none of an older one arrives. LEASES and LIVES: rounds, of one
# fail-over of each operator at once; OPERATORS="at ..."; SEED=N repeats a run.
# servers: kapi
# check-all: long faults
. "${0%/*}/lib.sh"
# shellcheck source=cluster/lib.sh
. "${0%/*}/cluster/lib.sh"
leases=${LEASES:-20} lives=${LIVES:-5}
RANDOM=${SEED:-20261121}
# shellcheck disable=SC2206
operators=(${OPERATORS:-memcached experimental at iotservice cronjob})
short=(--lease-duration=2s --renew-deadline=1s --retry-period=200ms)
declare -A pid standby strike

users=()
for op in "${operators[@]}"; do
	for n in $(seq 0 $((leases + lives + 2))); do
		users+=("$op-$n")
	done
done
KAPI_USERS=${users[*]} cluster_start
# replica OPERATOR N KIND: starts its N-th replica; every other one is warm.
# Sets $replica.
replica() {
	local name=$1-$2 how=(kelect) warm=(--leader-elect)
	local file=pipeline/$1/watches.yaml

	if [ "$3" = life ]; then
		how+=(--for-life) warm+=(--leader-elect-for-life)
		ask /api/v1/namespaces/ops/pods -H 'Content-Type: application/json' \
			-d '{"metadata":{"name":"pod-'"$name"'"},"spec":{"containers":[{"name":"c","image":"c"}]}}'
	else
		how+=("${short[@]}") warm+=("${short[@]/#--/--leader-elect-}")
	fi
	if [ $(($2 % 2)) -eq 0 ]; then
		how=(kpipe -f "$file" "${warm[@]}" --leader-election-id="$1-$3"
			--leader-election-namespace=ops)
	else
		how+=(--lease="$1-$3" -n ops -- sh -c
			"kwatch -f $file | ireconcile -f $file --instance=ops/ops | kapply | kstatus")
	fi
	start setsid env KUBECONFIG="$(config "$name")" OPERATOR_NAME=ops \
		POD_NAME="pod-$name" POD_NAMESPACE=ops WATCH_NAMESPACE="$(scope "$1")" \
		"${how[@]}" 2>>"$T/$name.log" 8>&- 9>&-
	replica=$!
	disown "$replica" # or bash would report its end
}

# ask PATH CURL-ARGUMENT...: of the API server, as admin
ask() {
	curl -sf -m 10 -o /dev/null --cacert "$CLUSTER/certificates/apiserver.crt" \
		-H "@$CLUSTER/admin.header" "$CLUSTER_SERVER$1" "${@:2}"
}

scope() {
	[ "$1" = iotservice ] || echo ops
}

# The load that keeps each leader writing.
changes() {
	local i=$1

	cat <<-EOF
	{"apiVersion":"cache.example.com/v1alpha1","kind":"Memcached","metadata":{"name":"m","namespace":"ops"},"spec":{"size":$((i % 3))}}
	{"apiVersion":"experiments.vapourware.com/v1alpha1","kind":"Experimental","metadata":{"name":"e","namespace":"ops"},"spec":{"isPublic":true,"numberOfReplicas":$((i / 10 % 3))}}
	{"apiVersion":"at.example.com/v1alpha1","kind":"At","metadata":{"name":"at-$i","namespace":"ops"},"spec":{"schedule":"2026-01-01T00:00:00Z","command":"true"}}
	{"apiVersion":"batch.tutorial.kubebuilder.io/v1","kind":"CronJob","metadata":{"name":"c","namespace":"ops"},"spec":{"schedule":"@every 1s","concurrencyPolicy":"Replace","jobTemplate":{"spec":{"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"c"}]}}}}}}
	$(jq -c ".spec.cockpit.size = $((i % 3))" "$T/iot.json")
	EOF
}

load() {
	local i=0

	while [ -e "$T/loading" ]; do
		changes $((i += 1))
		read -r -t 0.15 -u 8 _
	done
}

# wrote OPERATOR N: that replica did
wrote() {
	grep -q "\"user\":\"$1-$2\".*\"verb\":\"\(create\|update\|patch\|delete\)\".*\"resource\":\"$(written "$1")\"" \
		"$CLUSTER/audit.log"
}

# An object of the operator: a write of it shows who leads.
written() {
	case $1 in
	memcached | iotservice) echo deployments ;;
	cronjob) echo jobs ;;
	*) echo pods ;;
	esac
}

# elect PID: the pid of that replica's kelect
elect() {
	pgrep -x kelect -s "$1"
}

gone_session() {
	! pgrep -s "$1" >/dev/null
}

# hit OPERATOR N KIND: ends that replica's lead
hit() {
	local p=${pid[$1]}

	case ${strike[$1]} in
	kelect)
		kill -9 "$(elect "$p")"
		kill -TERM "$p" 2>/dev/null # kpipe would start again
		;;
	all) kill -9 "$p" ;;
	term) kill -TERM "$p" ;;
	stop) kill -STOP "$(elect "$p")" ;;
	esac
	[ "$3" = lease ] || {
		# A kubelet lets the Pod go when its processes have ended.
		wait_for 20 gone_session "$p"
		ask "/api/v1/namespaces/ops/pods/pod-$1-$2?gracePeriodSeconds=0" \
			-X DELETE
	}
}

for op in "${operators[@]}"; do
	kubectl apply -f "pipeline/$op/crd.yaml" >/dev/null 2>&1 || exit 1
done
kubectl create namespace ops >/dev/null
kubectl create secret docker-registry image-pull-secret -n ops \
	--docker-server=registry.example.com --docker-username=u \
	--docker-password=p >/dev/null
kubectl create --dry-run=client -o json -f pipeline/iotservice/example.yaml |
	jq -sc 'map(select(.kind == "IoTService"))[0] | .metadata.namespace = "ops"' \
		>"$T/iot.json"
mkfifo "$T/tick" "$T/load"
exec 8<>"$T/tick" 9<>"$T/load"
: >"$T/loading"
# Processes in the background get a standard input of their own.
apply_load() {
	exec kapply -o none --field-manager=load <&9 2>"$T/load.log"
}
start apply_load
start load >&9

ways=(kelect all kelect stop kelect term)

# first N KIND: replica N of each operator, which leads at once
first() {
	for op in "${operators[@]}"; do
		replica "$op" "$1" "$2"
		pid[$op]=$replica
	done
	for op in "${operators[@]}"; do
		ok "$op: the first replica leads" wait_for 10 wrote "$op" "$1" ||
			tail -n 5 "$T/$op-$1.log" "$T/load.log" | quote
	done
}

# last: ends the leaders
last() {
	for op in "${operators[@]}"; do
		kill -TERM "${pid[$op]}"
	done
	for op in "${operators[@]}"; do
		ok "$op: the last replica ends" wait_for 20 gone_session "${pid[$op]}"
	done
}

# fail_over N KIND: from replica N - 1 to N, of each operator
fail_over() {
	local n=$1

	for op in "${operators[@]}"; do
		replica "$op" "$n" "$2"
		standby[$op]=$replica
		strike[$op]=${ways[RANDOM % 6]}
		[ "$2 ${strike[$op]}" != "life stop" ] || strike[$op]=all
	done
	for op in "${operators[@]}"; do
		hit "$op" $((n - 1)) "$2"
	done
	for op in "${operators[@]}"; do
		ok "$n: $op: $2, ${strike[$op]}: the other one leads" \
			wait_for 20 wrote "$op" "$n" ||
			tail -n 5 "$T/$op-$n.log" "$T/$op-$((n - 1)).log" | quote
		end "$op"
		ok "... and nothing is left of the old one" \
			wait_for 20 gone_session "${pid[$op]}" || {
			pgrep -a -s "${pid[$op]}" | quote
			pkill -9 -s "${pid[$op]}"
		}
		pid[$op]=${standby[$op]}
	done
}

# end OPERATOR: the stopped processes continue, and find that their time is
# over; kpipe would start again and stand for election.
end() {
	[ "${strike[$1]}" != stop ] || kill -CONT "$(elect "${pid[$1]}")"
	kill -TERM "${pid[$1]}"
} 2>/dev/null

first 0 lease
for n in $(seq "$leases"); do
	fail_over "$n" lease
done
last
first $((leases + 1)) life
for n in $(seq $((leases + 2)) $((leases + lives + 1))); do
	fail_over "$n" life
done
last
rm "$T/loading"
for op in "${operators[@]}"; do
	jq -r --arg op "$op-" 'select(.user // "" | startswith($op))
		| select(.verb | IN("create", "update", "patch", "delete", "deletecollection"))
		| select(.resource != "leases" and (.name // "" | IN("'"$op"'-life") | not))
		| .user' "$CLUSTER/audit.log" | uniq >"$T/leaders"
	is "$(sort "$T/leaders" | uniq -d)" "" "$op: no leader wrote after its successor did"
	is "$(wc -l <"$T/leaders")" $((leases + lives + 2)) "... and each has written"
done
done_testing
