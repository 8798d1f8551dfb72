#!/bin/bash
# ktorture: two instances of an operator, with an election and without.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
unset OPERATOR_NAME
play=(ktorture -f pipeline/memcached/watches.yaml --seed=1)
lease=leases.coordination.k8s.io/default/memcached.cache.example.com
at=kapply/patch/deployments.apps/default/example

# pair FAULT: played with two instances; nothing is wrong
pair() {
	runs 0 "pair: ${1%%@*}" "${play[@]}" --scenario=pair --fault="$1"
	grep -q "^\*\*\* ${1%%@*}@" "$T/out" || flaw "it did not happen"
}
# leaders N: so many times one became leader
leaders() {
	is "$(grep -c 'kelect: became leader: ' "$T/out")" "$1" \
		"... $1 times one becomes leader"
}

pair "409@kelect/update/$lease"
leaders 2
pair "steal:0@kelect/update/$lease"
ok "... the leader ends" grep -q 'kelect: fatal: lost the lease .*: thief holds it' \
	"$T/out"
leaders 3
pair "stop:instance:60@kelect/update/$lease#11"
ok "... it ends when it goes on" grep -q \
	'kapply: fatal: the leadership is over' "$T/out"
leaders 2
pair "part:40000@kelect/update/$lease#11"
ok "... it ends in time" grep -q 'kelect: fatal: lost .* not renewed within 10000 ms' \
	"$T/out"
pair "kill:kelect@$at"
ok "... one of them" grep -q 'kpipe: error: kelect (pid [0-9]*) was killed by SIGKILL' \
	"$T/out"
pair "update-slow:2000@$at"
leaders 3
pair "delete@kelect/update/$lease"

"${play[@]}" --scenario=pair --list | sed -n 's/^pair //p' >"$T/list"
ok "--list: faults of the election" grep -qx "503@kelect/update/$lease" "$T/list"
ok "... and of processes, at what the leader writes" grep -qx "update@$at" "$T/list"
is "$(grep -cx -e "409@$at" -e "beside:20@$at" "$T/list")" 0 "... nothing else there"
"${play[@]}" --scenario=life --list | sed -n 's/^life //p' >"$T/list"
is "$(grep -c 'kelect\|instance\|^steal\|^part' "$T/list")" 0 \
	"one instance has no election"

# ---- without an election ----

runs 0 "a second one beside the first" "${play[@]}" --scenario=life \
	--fault="beside:20@$at"
is "$(grep -c 'kpipe: ready' "$T/out")" 2 "... two are ready"
is "$(grep -c 'kpipe: told to end' "$T/out")" 2 "... and both end"
is "$(grep -c 'kapply made Deployment' "$T/out")" 1 "... one makes the object"
done_testing
