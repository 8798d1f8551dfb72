#!/bin/bash
# The official JavaScript client: requests, patches, watches and an informer, the
# same on kapi as on the real server.
# servers: kapi real
# check-all: a client in JavaScript needs npm
# shellcheck source=t/lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=t/cluster/lib.sh
. "${0%/*}/cluster/lib.sh"

code=0
program=$(t/clients/javascript/build 2>"$T/build.err") || code=$?
[ "$code" -eq 0 ] || skip_all "$(tail -n 1 "$T/build.err")"
cluster_start

steps="version
who am I
create, read, list
replace
pages
patches
watch
informer
a CRD
custom resources
scale
a time with microseconds
delete"
# with KUBECONFIG USER WHAT
with() {
	runs 0 "$3: the program ends well" timeout 300 node "$program" "$1" "$2"
	is "$(<"$T/out")" "$steps" "... after each of its steps"
}
with "$(config admin)" admin "TLS"
# The client takes clear text only from a kubeconfig that says that TLS need not
# be verified.
if [ "$SERVER" = kapi ]; then
	start kapi --listen 127.0.0.1:0 --kubeconfig-out "$T/clear" 2>"$T/clear.log"
	wait_for 20 test -s "$T/clear"
	ok "kapi is in clear text" grep -q 'http://' "$T/clear"
	with "$T/clear" kubernetes-admin "clear text"
fi
done_testing
