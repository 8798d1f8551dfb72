#!/bin/bash
# The tests of a project as kubebuilder lays it out, unchanged, with envtest: on
# kapi as on etcd and kube-apiserver.
# servers: kapi real
# check-all: a suite with envtest needs Go
# shellcheck source=t/lib.sh
. "${0%/*}/lib.sh"

SERVER=${SERVER:-kapi} code=0
t/clients/suites/build kubebuilder >"$T/build.out" 2>&1 || code=$?
[ "$code" -ne 100 ] || skip_all "$(tail -n 1 "$T/build.out")"
if [ "$SERVER" = real ]; then
	assets=$(t/cluster/build 2>"$T/err") || skip_all "$(tail -n 1 "$T/err")"
else
	assets=$(XDG_CACHE_HOME=$T/cache kapi --envtest)
fi
runs 0 "the suite runs" t/clients/suites/run "$assets" "$T/suites" kubebuilder
read -r suite _ passed failed code seconds memory <"$T/out"
note "$seconds s, $memory MB"
is "$suite: $passed passed, $failed failed, $code" \
	"kubebuilder: 4 passed, 0 failed, 0" "... all its tests pass" ||
	quote <"$T"/suites/kpipe*.log
is "$(ls "$T/suites/tmp")" "" "... and leave nothing"

# A suite whose servers do not start
mkdir "$T/none"
runs 0 "a suite without servers" t/clients/suites/run "$T/none" "$T/failed" \
	kubebuilder
ok "... has failed" grep -q ' 0 0 1 ' "$T/out"
ok "... and the suite that did is named" grep -q "	.*BeforeSuite" "$T/out"
done_testing
