#!/bin/bash
# Three kelects, whose leader is killed, stopped or ended again and again, and a
# server that fails now and then: never do two lead at a time, and none writes
# after the next one has begun. SEED and TURNS choose another run.
# check-all: long faults
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=kapi.sh
. "${0%/*}/kapi.sh"

RANDOM=${SEED:=$((RANDOM + 1))}
note "SEED=$SEED"
kapi_up --journal "$T/journal"
export KUBECONFIG=$T/kubeconfig
maps=/api/v1/namespaces/default/configmaps

# The plan of faults: each kind now and then, for ever.
for nth in 7 19 31 43 59 71 83 97 113 127 139 151 163 181 193 211 227 239; do
	echo "{\"resource\":\"leases\",\"verb\":\"update\",\"nth\":$nth,\"code\":409}"
	echo "{\"resource\":\"leases\",\"verb\":\"update\",\"nth\":$((nth + 1)),\"code\":504,\"after\":true}"
	echo "{\"resource\":\"leases\",\"verb\":\"update\",\"nth\":$((nth + 3)),\"fault\":\"cut\"}"
	echo "{\"resource\":\"leases\",\"verb\":\"get\",\"nth\":$nth,\"code\":503}"
	echo "{\"resource\":\"leases\",\"verb\":\"get\",\"nth\":$((nth + 2)),\"fault\":\"cut\",\"after\":true}"
done >"$T/plan"
ask POST /kapi/faults "$(<"$T/plan")"

# The Lease guards a writer, kapply, that is fed without end, each object with
# the number of its kelect; and a lock on a file, which shows if two of them
# run.
cat >"$T/work" <<'END'
#!/bin/bash
exec 9>"$T/lock"
flock -n 9 || echo "$1: two at a time" >>"$T/overlaps"
echo "$1" >"$T/leader.new"
mv "$T/leader.new" "$T/leader"
n=0
while sleep 0.02; do
	n=$((n + 1))
	echo "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\
\"name\":\"m\",\"namespace\":\"default\"},\"data\":{\"by\":\"$1\",\"n\":\"$n\"}}"
done | kapply -o none --force-conflicts --field-manager "k$1" 2>>"$T/kapply.err"
END
chmod +x "$T/work"

declare -A pid
contend() {
	# Between the two there is time for what may stand still for a while:
	# the watchdog that kills the command, a write that was begun.
	kelect --lease-duration 3s --renew-deadline 1s --retry-period 100ms \
		--lease x -- "$T/work" "$1" 2>>"$T/kelect.err" &
	pid[$1]=$!
	started+=($!)
	disown $!
}

# next LAST: another one leads, is there, and has written. A kelect that lost its
# leadership in a slow moment is replaced.
next() {
	for n in "${!pid[@]}"; do
		is_child "${pid[$n]}" && continue
		unset "pid[$n]"
		contend $((number += 1))
	done
	leader=$(cat "$T/leader" 2>/dev/null)
	[ -n "$leader" ] && [ "$leader" != "$1" ] &&
		[ -n "${pid[$leader]:-}" ] && [ "$(ask GET "$maps/m" | jq -r .data.by)" = "$leader" ]
}

go_on() {
	for n in "${!pid[@]}"; do
		is_child "${pid[$n]}" && kill -CONT "${pid[$n]}"
	done
}

number=0 leader=
for _ in 1 2 3; do
	contend $((number += 1))
done
for ((turn = 0; turn < ${TURNS:-12}; turn++)); do
	wait_for 20 next "$leader" || break
	go_on # continues a stopped one, which finds that it has lost
	case $((RANDOM % 3)) in
	0) kill -TERM "${pid[$leader]}" ;;
	1) kill -KILL "${pid[$leader]}" ;;
	2) kill -STOP "${pid[$leader]}" ;;
	esac
done
is "$turn" "${TURNS:-12}" "the leader goes, another one follows"
go_on
is "$(cat "$T/overlaps" 2>/dev/null)" "" "never two at a time"

# In the server's order, the writers come one after the other.
jq -r 'select(.resource == "configmaps" and .verb == "patch" and .code < 300) |
	.body.data.by' "$T/journal" | uniq >"$T/writers"
is "$(sort "$T/writers" | uniq -d)" "" \
	"no writes after the next one has begun"
ok "... as many as there were turns" \
	test "$(wc -l <"$T/writers")" -ge "${TURNS:-12}"
is "$(jq -r 'select(.fault != null) | .fault' "$T/journal" | sort -u | xargs)" \
	"409 503 504 after cut cut after" "... and the server did fail"
is "$(grep -Ev 'the leadership is over' "$T/kapply.err")" "" \
	"kapply fails for no other reason"

done_testing
