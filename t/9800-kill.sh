#!/bin/bash
# kill -9 of each stage, and of the API server, after the n-th write: the final
# state is the same as without it, and nothing is created twice. POINTS seeded
# points each (one; make kill-points: ten); SEED=N repeats a run; TARGETS="kapply
# ...": only these.
# servers: real
TEST_SECONDS=$((${POINTS:-1} * 400 + 3600))
. "${0%/*}/lib.sh"
. "${0%/*}/iot.sh"

points=${POINTS:-1}
RANDOM=${SEED:-20261121}
changed='.spec.core_spring.enabled |= not | .spec.postgresql.size |= 1 - .
	| .spec.enableNetworkPolicies |= not'

# after_writes N: whether the operator has written N times since audit_mark
after_writes() {
	[ "$(audit_writes user1 | wc -l)" -ge "$1" ]
}

# strike TARGET
strike() {
	local pid

	if [ "$1" = apiserver ]; then
		server_down
		server_up
	else
		wait_for 10 has_stage "$1" && pid=$(stage "$operator" "$1") &&
			kill -9 "$pid"
	fi
}

has_stage() {
	[ -n "$(stage "$operator" "$1")" ]
}

# strike_after TARGET N WHAT: strikes when N writes were seen
strike_after() {
	local end=$((SECONDS + 20))

	until after_writes "$2"; do
		[ "$SECONDS" -lt "$end" ] || break # fewer writes: strike late
		sleep 0.02
	done
	strike "$1"
}

instance_gone() {
	api_gone "/apis/cp.iot.sap/v1/namespaces/dev/iotservices/$1" &&
		api_gone "/api/v1/namespaces/dev-$1"
}

# The controller manager may be minutes late after the API server was away: its
# StatefulSets and caches back off, twice as long each time, each on its own.
available() {
	iot_is dev "$1" Available
}

# life TARGET: an instance from creation to deletion, with three strikes
life() {
	local target=$1 n

	n=$((RANDOM % 24 + 1))
	audit_mark
	iot_create dev one
	[ "$target" = none ] || strike_after "$target" "$n"
	ok "$target killed after write $n of the creation: Available" \
		wait_for 400 available one || iot_why Available
	settle "$target" created

	n=$((RANDOM % 8 + 1))
	audit_mark
	kc patch iotservice -n dev one --type=merge -p \
		"$(kc get iotservice -n dev one -o json | jq "$changed | {spec}")" >/dev/null
	[ "$target" = none ] || strike_after "$target" "$n"
	ok "$target killed after write $n of the change: Available" \
		wait_for 400 available one || iot_why Available
	settle "$target" changed

	n=$((RANDOM % 3 + 1))
	audit_mark
	kc delete iotservice -n dev one --wait=false >/dev/null
	[ "$target" = none ] || strike_after "$target" "$n"
	ok "$target killed after write $n of the deletion: gone" \
		wait_for 120 instance_gone one
	is "$(created_twice user1)" "" "nothing was created twice"
}

# settle TARGET NAME: the objects are those of the undisturbed run
settle() {
	if [ "$1" = none ]; then
		iot_objects dev-one >"$T/$2.json"
		return
	fi
	wait_for 30 objects_are "$2"
	iot_objects dev-one >"$T/got.json"
	same "$T/got.json" "$T/$2.json" "... and all objects are as they should be"
	is "$(created_twice user1)" "" "... and nothing was created twice"
}

objects_are() {
	iot_objects dev-one | cmp -s - "$T/$1.json"
}

# ten TARGET: ten instances at once, one strike
ten() {
	local target=$1 n i

	n=$((RANDOM % 150 + 1))
	audit_mark
	for i in 1 2 3 4 5 6 7 8 9 10; do
		iot_create dev "$target$i"
	done
	strike_after "$target" "$n"
	ok "$target killed after write $n of ten creations: all Available" \
		wait_for 600 ten_available "$target" || iot_why Available
	is "$(created_twice user1)" "" "... and nothing was created twice"
	kc delete iotservices -n dev --all --wait=false >/dev/null
}

ten_available() {
	[ "$(iot_count dev "$1" Available)" = 10 ]
}

iot_cluster
iot_namespace dev
iot_operator dev
life none
iot_stop "$operator"
for target in ${TARGETS:-kwatch ireconcile kapply kstatus apiserver}; do
	for _ in $(seq "$points"); do
		iot_operator dev
		life "$target"
		ok "the operator ends with 0" iot_stop "$operator"
	done
	# The two that matter most when there are many; the others in torture.
	case $points$target in
	1kwatch|1ireconcile|1kstatus) continue ;;
	esac
	iot_operator dev
	ten "$target"
	ok "the operator ends with 0" iot_stop "$operator"
done
done_testing
