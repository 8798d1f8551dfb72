#!/bin/bash
# The Java client of fabric8, with two of its HTTP clients, and an operator with
# the Java Operator SDK: the same on kapi as on the real server. Watches and
# informers of this client are WebSockets.
# servers: kapi real
# check-all: a client in Java needs Maven
# shellcheck source=t/lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=t/cluster/lib.sh
. "${0%/*}/cluster/lib.sh"

code=0
path=$(t/clients/java/build 2>"$T/build.err") || code=$?
[ "$code" -eq 0 ] || skip_all "$(tail -n 1 "$T/build.err")"
cluster_start

# java_program WHAT PROGRAM ARGUMENT...
java_program() {
	runs 0 "$1: the program ends well" timeout 600 java -cp "$path" "${@:2}"
}
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
wait for a condition
delete"
for http in jdk vertx; do
	java_program "$http" Client "$(config admin)" admin "$http"
	is "$(<"$T/out")" "$steps" "... after each of its steps"
done
java_program "an operator" Operator "$(config admin)"
is "$(<"$T/out")" "the operator starts
a new object
a change
what is missing comes back
a deletion, with a finalizer" "... after each of its steps"

if [ "$SERVER" = kapi ]; then
	start kapi --listen 127.0.0.1:0 --kubeconfig-out "$T/clear" 2>"$T/clear.log"
	wait_for 20 test -s "$T/clear"
	java_program "clear text" Client "$T/clear" kubernetes-admin jdk
	is "$(<"$T/out")" "$steps" "... after each of its steps"
fi
done_testing
