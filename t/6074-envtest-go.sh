#!/bin/bash
# A Go program with envtest of controller-runtime: the same on kapi --envtest as
# on etcd and kube-apiserver.
# check-all: a program with envtest needs Go
# shellcheck source=t/lib.sh
. "${0%/*}/lib.sh"

code=0
t/clients/envtest/build >"$T/build.out" 2>&1 || code=$?
[ "$code" -ne 100 ] || skip_all "$(tail -n 1 "$T/build.out")"
program=$(tail -n 1 "$T/build.out")
real=$(t/cluster/build 2>"$T/err") || skip_all "$(tail -n 1 "$T/err")"
export KUBEBUILDER_CONTROLPLANE_START_TIMEOUT=300s
export KUBEBUILDER_CONTROLPLANE_STOP_TIMEOUT=300s

# on WHAT FOLDER
on() {
	mkdir -p "$T/tmp"
	KUBEBUILDER_ASSETS=$2 TMPDIR=$T/tmp runs 0 "$1: the program ends well" \
		"$program" t/clients/envtest/crds
	note "$(<"$T/err")"
	is "$(<"$T/out")" "typed client
unstructured client, a CRD
AddUser
no certificate, no access
a manager and its cache
no controllers
stop" "... after each of its steps"
	is "$(ls "$T/tmp")" "" "... and leaves nothing"
}
on kapi "$(XDG_CACHE_HOME=$T/cache kapi --envtest)"
on "the real server" "$real"
done_testing
