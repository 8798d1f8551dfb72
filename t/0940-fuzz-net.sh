#!/bin/bash
# Five seconds of YAML, kubeconfigs and answers that are almost right, under
# ASan and UBSan.
# check-all: fuzzers
# shellcheck source=fuzz.sh
. "${0%/*}/fuzz.sh"

fuzzer fuzz-net lib/kubeconfig/kube{config,field,user}.c \
	lib/kube/{kubeerror,resources}.c
runs 0 "fuzz-net" "$T/fuzz-net" "${FUZZ_SECONDS:-5}" "${FUZZ_SEED:-1}"
note "$(cat "$T/out")"
done_testing
