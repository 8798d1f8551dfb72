#!/bin/bash
# kelect and an operator written with controller-runtime on one Lease: never
# two at a time, and each takes over from the other.
# check-all: needs Go
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=kapi.sh
. "${0%/*}/kapi.sh"

contender=$(t/contender/build 2>"$T/build.err") ||
	skip_all "$(tail -n 1 "$T/build.err")"
kapi_up --journal "$T/journal"
export KUBECONFIG=$T/kubeconfig
# One that stands still for some seconds leads on.
times=(--lease-duration 6s --renew-deadline 4500ms --retry-period 150ms)

# go N, ours N: the Nth contender of that kind in the background. Each holds a
# lock on a file while it leads, and prints "leading" or "two at a time" in
# $T/KIND.N.
go() {
	"$contender" "${times[@]}" --lease x --lock "$T/lock" \
		>"$T/go.$1" 2>"$T/go.$1.err" &
	started+=($!)
	echo $! >"$T/go.$1.pid"
	disown $!
}

ours() {
	kelect "${times[@]}" --lease x -- flock -n "$T/lock" -c \
		'echo leading; exec sleep 300' >"$T/ours.$1" 2>"$T/ours.$1.err" &
	started+=($!)
	echo $! >"$T/ours.$1.pid"
	disown $!
}

leads() {
	grep -q leading "$T/$1"
}

# end SIGNAL KIND.N
end() {
	kill "-$1" "$(<"$T/$2.pid")"
}

# looks: how often the Lease was read, which the leader does not do
looks() {
	grep -c '"verb":"get".*"resource":"leases"' "$T/journal"
}

# turn SIGNAL KIND.N KIND.N: the first leads and ends, the second follows.
turn() {
	local asked

	wait_for 20 leads "$2"
	asked=$(looks)
	${3%.*} "${3#*.}"
	looked() {
		[ "$(looks)" -gt "$asked" ]
	}
	wait_for 20 looked
	! leads "$3"
	tap $? "$3 waits while $2 leads"
	end "$1" "$2"
	ok "$3 takes over from $2 after SIG$1" wait_for 20 leads "$3"
}

go 1
turn TERM go.1 ours.1
turn TERM ours.1 go.2
turn KILL go.2 ours.2
turn KILL ours.2 go.3
turn KILL go.3 go.4
turn TERM go.4 ours.3
turn KILL ours.3 ours.4
turn STOP ours.4 go.5
end CONT ours.4
lost() {
	grep -q "fatal: lost the lease default/x" "$T/ours.4.err"
}
ok "one that was stopped has lost" wait_for 10 lost
is "$(cat "$T"/go.[0-9] "$T"/ours.[0-9] | sort | uniq -c | xargs)" "9 leading" \
	"nine have led, never two at a time"

# What the server has seen, in its order: the writer, and the pause before it.
# (Contenders use a monotonic clock. The server's wall clock, while it is being
# set, may be slower by a tenth.)
jq -rn '[inputs | select(.resource == "leases" and .code < 300 and
		(.verb == "create" or .verb == "update")) |
		{time: ((.time[0:19] + "Z" | fromdate) +
			("0" + .time[19:26] | tonumber)),
		holder: .body.spec.holderIdentity}] |
	[range(1; length) as $i | {before: .[$i - 1], now: .[$i]} |
		select(.before.holder != .now.holder) |
		if .before.holder == "" then "taken when given back"
		elif .now.holder == "" then "given back"
		elif .now.time - .before.time > 5.25 then "taken when expired"
		else "taken after \(.now.time - .before.time) s" end] |
	group_by(.)[] | "\(length) \(.[0])"' "$T/journal" >"$T/turns"
is "$(<"$T/turns")" "3 given back
5 taken when expired
3 taken when given back" "each Lease was given back, or left to expire"

done_testing
