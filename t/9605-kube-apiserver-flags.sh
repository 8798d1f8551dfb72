#!/bin/bash
# The flags that kapi takes under the name kube-apiserver are those of the real
# one.
# servers: real
# shellcheck source=t/lib.sh
. "${0%/*}/lib.sh"

folder=$(t/cluster/build 2>"$T/err") || skip_all "$(tail -n 1 "$T/err")"
t/kapi/record-flags "$folder/kube-apiserver" >"$T/flags"
same "$T/flags" cmd/kapi/envtest/flags.txt "the flags of kube-apiserver"
done_testing
