#!/bin/bash
# servers: kapi
# Every tool with few descriptors, and with closed standard streams: it does its
# work, or ends with a message that names the cause. None waits for ever.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=cluster/lib.sh
. "${0%/*}/cluster/lib.sh"

cluster_start
limit=$(patience 60) lease=0
memcached=pipeline/memcached
kubectl apply -f $memcached/crd.yaml >/dev/null
echo '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","namespace":"default"}}' |
	tee "$T/object" | kapply 2>"$T/err" || quote <"$T/err"
head -n 20 "$memcached/t/life.jsonl" >"$T/life"
primary=$(jq -r 'select(.object.kind == "Memcached" and .object.metadata.name)
	| "Memcached \(.object.metadata | .namespace + "/" + .name)"' \
	"$T/life" | head -n 1)
echo '{"apiVersion":"cache.example.com/v1alpha1","kind":"Memcached","metadata":{"name":"m","namespace":"default","uid":"u"},"status":{}}' \
	>"$T/status"

# What it reads (- nothing), whether it writes to standard output, command
tools=(
	"- out kwatch configmaps --once"
	"life out ireconcile -f $memcached/watches.yaml --clock=input"
	"object out kapply -o result"
	"object out kapply -o result -f -"
	"status out kstatus -o result"
	"- - kelect --lease=LEASE -- true"
	"life out kview --term"
	"life out kwhy $primary"
	"life out krecord redact -f $memcached/watches.yaml"
	"- out kgen rights -f $memcached"
	"state - kpipe-http --health-probe-bind-address=127.0.0.1:0"
	"- - kpipe -f $memcached/watches.yaml --dry-run"
	"- out kapi --envtest"
)
echo '{"tool":"kpipe","phase":"draining","leader":false,"stages":{}}' >"$T/state"

# few N COMMAND...: with N descriptors, or 0 if N is unlimited
few() {
	ulimit -n "$1" || return
	shift
	exec timeout -s KILL "$limit" "$@"
}

# attempt INPUT N CLOSED COMMAND...: the code is in $code
attempt() {
	local input=$T/$1 n=$2 closed=$3

	[ "$1" != - ] || input=/dev/null
	shift 3
	lease=$((lease + 1)) # the last holder may not have released its own
	set -- "${@/LEASE/l$lease}"
	(
		trap - EXIT
		exec <"$input" >"$T/out" 2>"$T/err" 3>&- 7>&-
		[[ $closed != *0* ]] || exec 0<&-
		[[ $closed != *1* ]] || exec 1>&-
		[[ $closed != *2* ]] || exec 2>&-
		few "$n" "$@"
	)
	code=$?
}

for tool in "${tools[@]}"; do
	read -r input output command <<<"$tool"
	name=${command%% *}
	wrong=""
	enough=0
	for n in 8 9 10 11 12 14 16 20 24 32 48 64 100; do
		# Three numbers that suffice: those between them and the last do.
		[ "$enough" -lt 3 ] || [ "$n" -eq 100 ] || continue
		# shellcheck disable=SC2086
		attempt "$input" "$n" "" $command
		case $code in
		0) enough=$((enough + 1)) ;;
		1 | 100 | 111)
			enough=0
			grep -q "Too many open files" "$T/err" ||
				wrong+="$n: $code, $(tail -n 1 "$T/err")"$'\n'
			;;
		*) wrong+="$n: $code"$'\n' ;;
		esac
	done
	is "$wrong" "" "$command: few descriptors are named, or suffice"
	is "$code" 0 "... 100 suffice"

	wrong=
	for closed in 0 1 2 01 02 12 012; do
		# shellcheck disable=SC2086
		attempt "$input" 100 "$closed" $command
		want=0 message=
		if [ "$input" != - ] && [[ $closed == *0* ]]; then
			want=100 message="Bad file descriptor"
			[[ $command != *"-f -" ]] || want=1
		elif [ "$output" = out ] && [[ $closed == *1* ]]; then
			want=111 message="Bad file descriptor"
		fi
		[ "$code" -eq "$want" ] || wrong+="$closed: $code"$'\n'
		[[ $closed == *2* ]] || grep -q "$message" "$T/err" ||
			[ -z "$message" ] ||
			wrong+="$closed: $(tail -n 1 "$T/err")"$'\n'
	done
	is "$wrong" "" "$command: what it uses and is closed is an error"
done

done_testing
