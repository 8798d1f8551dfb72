#!/bin/bash
# kelect --wait: an end instead of a standby.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=kapi.sh
. "${0%/*}/kapi.sh"

kapi_up --journal "$T/journal"
export KUBECONFIG=$T/kubeconfig
leases=/apis/coordination.k8s.io/v1/namespaces/default/leases

# anonymous: replaces what differs from run to run
anonymous() {
	sed -E "s/$(hostname)_[0-9a-f]{32}/HOLDER/g"
}

runs 3 "--wait=0, a Lease that is not there" \
	kelect --lease a --wait=0 -- sh -c 'exit 3'
runs 4 "... and one that was released" \
	kelect --lease a --wait=0 -- sh -c 'exit 4'

mkfifo "$T/hold"
start kelect --lease a -- sh -c "touch $T/leads; cat $T/hold" 2>"$T/holder.err"
holder=$!
wait_for 20 test -e "$T/leads"
runs 1 "--wait=0, a Lease that is held" \
	kelect --lease a --wait=0 -- touch "$T/ran"
is "$(anonymous <"$T/err")" "kelect: standing by: the lease default/a is held by HOLDER
kelect: error: not leading: the lease default/a is held by HOLDER" \
	"... is said"
ok "... and the command does not run" test ! -e "$T/ran"
runs 1 "--wait=300ms" kelect --lease a --wait=300ms -- touch "$T/ran"
ok "... neither" test ! -e "$T/ran"
is "$(ask GET "$leases/a" | jq .spec.leaseTransitions)" 2 \
	"... the Lease was left alone"

# It comes free in time.
start kelect --lease a --wait=10m --retry-period=200ms -- true 2>"$T/err"
waiter=$!
wait_for 20 grep -q "standing by" "$T/err"
echo >"$T/hold"
wait "$holder"
is "$?" 0 "a holder that ends"
wait "$waiter"
is "$?" 0 "... in time: the other one leads"

runs 111 "a namespace that does not exist" \
	kelect --lease a -n nowhere --wait=0 -- touch "$T/ran"
is "$(tail -n 1 "$T/err")" \
	'kelect: fatal: cannot create the lease nowhere/a: namespaces "nowhere" not found' \
	"... is said"
runs 111 "no server" \
	kelect --lease a --server http://127.0.0.1:1 --wait=0 -- touch "$T/ran"
is "$(tail -n 1 "$T/err" | cut -d: -f 1-3)" \
	"kelect: fatal: cannot read the lease default/a" "... is said"
ok "... and the command does not run" test ! -e "$T/ran"

# cron on two machines: both find it free, and one is faster.
# shellcheck source=writes.sh
. "${0%/*}/writes.sh"
lease='{"code":200,"body":{"kind":"Lease","metadata":{"name":"a","resourceVersion":"1"},"spec":{"holderIdentity":"other","leaseDurationSeconds":15}}}'
serve "{\"POST $leases\":[$(failure 409 AlreadyExists "it exists")],
	\"GET $leases/a\":[$(failure 404 NotFound "none"),$lease]}"
runs 1 "--wait=0, another instance is faster" kelect --lease a --server "$url" \
	--retry-period=200ms --wait=0 -- touch "$T/ran"
is "$(tail -n 1 "$T/err")" \
	"kelect: error: not leading: the lease default/a is held by other" \
	"... is named"
serve "{\"POST $leases\":[$(failure 409 AlreadyExists no),$(failure 409 AlreadyExists no)]}"
runs 111 "... and is not there afterwards, twice" kelect --lease a --server "$url" \
	--retry-period=200ms --wait=0 -- touch "$T/ran"
ok "... and the command does not run" test ! -e "$T/ran"

# Without --wait the namespace may still come.
start kelect --lease a -n nowhere -- touch "$T/ran" 2>"$T/err"
waiter=$!
ok "without --wait a namespace that does not exist is said at once" \
	wait_for 20 grep -q 'warning: cannot create the lease nowhere/a: namespaces "nowhere" not found' "$T/err"
told_to_end "$waiter" "... and kelect waits for it"

refuses "option --wait needs a command" kelect --lease a --wait=0 --gate-fd=1 \
	--fence-fd=1 --page-fd=1
done_testing
