# shellcheck shell=bash
# What tests share that run on an API server, kapi or the real one. The first
# that the test's line "# servers: ..." names, or SERVER. After t/lib.sh:
#
#	. "${0%/*}/cluster/lib.sh"
#	cluster_start			# gone at the end of the test
#	kubectl apply -f ...		# as admin; the one of the cluster
#	pipeline pipeline/playground playground		# one user for all stages
#	pipeline pipeline/memcached		# users kwatch, kapply, kstatus
#	audit_mark; ...; is "$(audit_writes kapply kstatus)" "" "silent"

# On kapi: the same variables, kubeconfigs, users and audit functions, no
# controllers but its own, and every user may do everything unless the test says
# KAPI_OPTIONS=--authorization-mode=RBAC. kubectl is own_kubectl's (t/lib.sh) or,
# after kapi_kubectl, the real one. KAPI_OPTIONS, words: more options
# for kapi, also when it starts again.
SERVER=${SERVER:-$(sed -n 's/^# servers: \([a-z]*\).*/\1/p' "$0")}
export SERVER=${SERVER:-real}

# cluster_start [-- APISERVER-ARGUMENT...]
cluster_start() {
	local code=0

	[ "$SERVER" = real ] || {
		own_kubectl
		kapi_start --save "$T/kapi/state"
		return
	}

	t/cluster/build >"$T/build.out" 2>&1 || code=$?
	[ "$code" -ne 100 ] || skip_all "$(tail -n 1 "$T/build.out")"
	CLUSTER=$(t/cluster/up --owner $$ "$@") || exit 1
	trap 'cluster_stop; cleanup' EXIT
	# shellcheck source=/dev/null
	. "$CLUSTER/env"
	PATH=$BIN:$CLUSTER_BIN:$PATH
	AUDIT_FROM=1
}

# kapi_up ADDRESS. It must not hold the pipe that a test writes to.
kapi_up() {
	[ ! -e "$CLUSTER/admin.kubeconfig" ] || rm "$CLUSTER/admin.kubeconfig"
	# shellcheck disable=SC2086
	start kapi --listen "$1" --token-auth-file "$CLUSTER/tokens" \
		--tls-cert-file "$CLUSTER/certificates/apiserver.crt" \
		--tls-private-key-file "$CLUSTER/certificates/apiserver.key" \
		--kubeconfig-out "$CLUSTER/admin.kubeconfig" \
		--journal "$CLUSTER/audit.log" "${kapi_options[@]}" \
		${KAPI_OPTIONS:-} 2>>"$CLUSTER/kapi.log" 7>&-
	KAPI=$!
	wait_for 20 test -s "$CLUSTER/admin.kubeconfig" && return
	quote <"$CLUSTER/kapi.log"
	exit 1
}

# server_down, server_up: the API server goes (the real one by kill -9; kapi,
# which keeps its objects only on a clean end, by SIGTERM) and comes back with
# all that it had, at the same address.
server_down() {
	if [ "$SERVER" = real ]; then
		t/cluster/kill-apiserver "$CLUSTER"
		return
	fi
	kill -TERM "$KAPI"
	wait "$KAPI"
}

server_up() {
	if [ "$SERVER" = real ]; then
		t/cluster/start-apiserver "$CLUSTER" || exit 1
		return
	fi
	kapi_options=(--load "$CLUSTER/state" --save "$CLUSTER/state")
	kapi_up "${CLUSTER_SERVER#*://}"
}

# server_save COPY: the API server, which is restarted, keeps what it has there;
# server_restore COPY: it goes back to that
server_save() {
	if [ "$SERVER" = real ]; then
		t/cluster/data save "$CLUSTER" "$1" || exit 1
		return
	fi
	server_down
	cp "$CLUSTER/state" "$1"
	server_up
}

server_restore() {
	if [ "$SERVER" = real ]; then
		t/cluster/data restore "$CLUSTER" "$1" || exit 1
		return
	fi
	server_down
	cp "$1" "$CLUSTER/state"
	server_up
}

# with_rights: the API server checks rights. kapi does so if KAPI_OPTIONS, set
# before it starts, say it.
with_rights() {
	[ "$SERVER" = real ] ||
		[[ ${KAPI_OPTIONS:-} == *--authorization-mode=RBAC* ]]
}

# with_kubectl: kubectl is the real one, which has more commands.
with_kubectl() {
	[ "$SERVER" = real ]
}

# kapi_start [KAPI-ARGUMENT...]; KAPI_USERS: more users
# shellcheck disable=SC2120
kapi_start() {
	local user config users="kwatch kapply kstatus playground user1 user2
		user3 user4 ${KAPI_USERS:-}"

	CLUSTER=$T/kapi
	mkdir -p "$CLUSTER/certificates"
	{
		echo "token-admin,admin,admin,system:masters"
		for user in $users; do
			echo "token-$user,$user,$user"
		done
	} >"$CLUSTER/tokens"
	echo "Authorization: Bearer token-admin" >"$CLUSTER/admin.header"
	: >"$CLUSTER/audit.log"
	openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 \
		-nodes -subj /CN=kapi -addext subjectAltName=IP:127.0.0.1 -days 2 \
		-keyout "$CLUSTER/certificates/apiserver.key" \
		-out "$CLUSTER/certificates/apiserver.crt" 2>/dev/null
	kapi_options=("$@")
	kapi_up 127.0.0.1:0
	KUBECONFIG=$CLUSTER/admin.kubeconfig
	config=$(<"$KUBECONFIG")
	for user in $users; do
		echo "${config//token-admin/token-$user}" \
			>"$CLUSTER/$user.kubeconfig"
	done
	[[ $config =~ server:\ *\"?([^[:space:]\"}]+) ]]
	CLUSTER_SERVER=${BASH_REMATCH[1]-}
	AUDIT_FROM=1
	export KAPI KUBECONFIG CLUSTER CLUSTER_SERVER
}

# The real kubectl on kapi, for tests of commands that users type
kapi_kubectl() {
	local code=0

	t/cluster/build >"$T/build.out" 2>&1 || code=$?
	[ "$code" -ne 100 ] || skip_all "$(tail -n 1 "$T/build.out")"
	CLUSTER_BIN=$(tail -n 1 "$T/build.out")
	KUBECTL=$CLUSTER_BIN/kubectl
	PATH=$BIN:$CLUSTER_BIN:$PATH
	export KUBECTL CLUSTER_BIN
}

# kapi_fault JQ-ARGUMENT...: kapi fails so from now on, as the lines that jq prints
# say (see kapi(1)); kapi_recovers: no more
kapi_fault() {
	jq -nc "$@" | kapi_faults --data-binary @-
}

kapi_recovers() {
	kapi_faults -X DELETE
}

kapi_faults() {
	curl -sSf -m 10 --cacert "$CLUSTER/certificates/apiserver.crt" \
		-H "@$CLUSTER/admin.header" "$@" "$CLUSTER_SERVER/kapi/faults"
}

cluster_stop() {
	[ -z "${KPIPE_KEEP_LOGS:-}" ] || cp -r "$CLUSTER" "$KPIPE_KEEP_LOGS"
	t/cluster/down "$CLUSTER"
}

# config USER: its kubeconfig
config() {
	echo "$CLUSTER/$1.kubeconfig"
}

# has_right USER VERB RESOURCE [KUBECTL-ARGUMENT...]: the API server knows it. Of
# a binding it learns some time after that was made, and until then refuses.
has_right() {
	! with_rights ||
		[ "$(kubectl auth can-i "$2" "$3" --as="$1" "${@:4}" 2>/dev/null)" = yes ]
}

# pipeline FOLDER [USER]: starts the four stages as a shell would, in the
# background. Their pids are in STAGE[kwatch] ..., their messages in
# $T/NAME.STAGE.log.
declare -A STAGE
pipeline() {
	local name=${1##*/} f=$1/watches.yaml a b c

	a=$T/$name.a b=$T/$name.b c=$T/$name.c
	mkfifo "$a" "$b" "$c"
	run_stage kwatch "${2:-kwatch}" /dev/null "$a" -f "$f"
	run_stage ireconcile "" "$a" "$b" -f "$f"
	run_stage kapply "${2:-kapply}" "$b" "$c"
	run_stage kstatus "${2:-kstatus}" "$c" /dev/null
}

# run_stage TOOL USER INPUT OUTPUT ARGUMENT...: one stage of a pipeline. The
# process itself opens its pipes, because that blocks until the other end is
# open.
run_stage() {
	local tool=$1 user=$2 input=$3 output=$4

	shift 4
	(
		trap - EXIT
		unset KUBECONFIG
		[ -z "$user" ] || set -- "$@" --kubeconfig "$(config "$user")"
		exec "$tool" "$@" <"$input" >"$output" \
			2>>"$T/$name.$tool.log"
	) &
	# shellcheck disable=SC2034
	STAGE[$tool]=$!
	started+=($!)
}

# The playground, which plays kubelet, cloud provider and volumes.
playground() {
	kubectl apply -f pipeline/playground/rbac.yaml >/dev/null || return
	pipeline pipeline/playground playground
	controllers
}

# On kapi, as user2: the controllers of a kube-controller-manager.
controllers() {
	[ "$SERVER" != real ] || return 0
	kubectl create clusterrolebinding controllers --user=user2 \
		--clusterrole=cluster-admin >/dev/null
	start kpipe -f pipeline/playground/controllers.yaml \
		--kubeconfig "$(config user2)" 2>>"$T/controllers.log"
}

# show_logs NAME: the messages of a pipeline's stages, as TAP comments
show_logs() {
	tail -n 20 "$T/$1".*.log | quote
}

# phase RESOURCE NAME NAMESPACE
phase() {
	kubectl get "$1" "$2" -n "$3" -o jsonpath='{.status.phase}'
}

# wait_for_phase SECONDS PHASE RESOURCE NAME NAMESPACE
wait_for_phase() {
	local seconds phase=$2 resource=$3 name=$4 namespace=$5

	seconds=$(patience "$1")
	kubectl wait --timeout="${seconds}s" "--for=jsonpath={.status.phase}=$phase" \
		"$resource/$name" -n "$namespace" >"$T/wait.out" 2>&1 && return
	quote <"$T/wait.out"
	kubectl get "$resource" "$name" -n "$namespace" -o jsonpath='{.status}' |
		quote
	return 1
}

# api PATH [CURL-ARGUMENT...]: an object from the API server, as admin. Ten times as fast as
# kubectl: for conditions that are polled.
api() {
	curl -sf -m 10 --cacert "$CLUSTER/certificates/apiserver.crt" \
		-H "@$CLUSTER/admin.header" "$CLUSTER_SERVER$1" "${@:2}"
}

# api_delete PATH: as admin, for names that kubectl does not encode
api_delete() {
	api "$1" -X DELETE >/dev/null
}

# api_gone PATH: whether the API server says that the object does not exist.
api_gone() {
	[ "$(curl -s -m 10 -o /dev/null -w '%{http_code}' \
		--cacert "$CLUSTER/certificates/apiserver.crt" \
		-H "@$CLUSTER/admin.header" "$CLUSTER_SERVER$1")" = 404 ]
}

# gone RESOURCE NAME [-n NAMESPACE]: the same with kubectl
gone() {
	kubectl get "$@" -o name 2>&1 | grep -q '(NotFound)'
}

# The part of the audit log after audit_mark.
audit_mark() {
	AUDIT_FROM=$(($(wc -l <"$CLUSTER/audit.log") + 1))
}

# audit JQ-FILTER [JQ-ARGUMENT...]: of every complete line. A line that is
# just being written is left out.
audit() {
	local filter=$1 line=.

	[ "$SERVER" = real ] || line='{user: {username: .user}, verb,
		requestURI: (.path + "?" + (.query // "")),
		responseStatus: {code}, objectRef: (select(.resource) |
			{resource, subresource, name, namespace:
				(if .resource == "namespaces" then .name
				else .namespace end)})}'
	shift
	tail -n "+$AUDIT_FROM" "$CLUSTER/audit.log" |
		jq -rR "fromjson? | $line | $filter" "$@"
}

# audit_writes USER...: "USER VERB RESOURCE[/SUBRESOURCE] NAMESPACE/NAME CODE",
# in the order of their completion; no USER: every user of a stage. What one asks
# about itself (has_right, on kapi) does not count.
audit_writes() {
	[ $# -gt 0 ] || set -- kwatch kapply kstatus
	# shellcheck disable=SC2016
	audit 'select(.user.username as $u | $ARGS.positional | index($u))
		| select(.verb | . != "get" and . != "list" and . != "watch")
		| select(.objectRef)
		| select(.objectRef.resource | startswith("selfsubject") | not)
		| .objectRef as $o
		| "\(.user.username) \(.verb) \($o.resource
			)\(if $o.subresource then "/" + $o.subresource
			else "" end) \($o.namespace // "")/\($o.name // ""
			) \(.responseStatus.code)"' --args "$@"
}

# rests SECONDS COMMAND...: what it prints stays the same for so long. On a slow
# machine something may be under way before that: then the time begins again.
rests() {
	local seconds=$1 before try

	shift
	for try in 1 2 3 4 5; do
		before=$("$@")
		sleep "$seconds"
		[ "$("$@")" != "$before" ] || return 0
	done
	note "the last of it, the $try. time:"
	"$@" | tail -n 5 | quote
	return 1
}

# audit_created USER...: "COUNT RESOURCE NAMESPACE/NAME" of objects created
audit_created() {
	audit_writes "$@" | awk '$5 == 201 { n[$3 " " $4]++ }
		END { for (k in n) print n[k], k }' | sort -k 2
}
