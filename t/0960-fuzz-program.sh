#!/bin/bash
# Texts that are almost programs, messages of jq, quantities, under ASan and
# UBSan.
# check-all: fuzzers
# shellcheck source=fuzz.sh
. "${0%/*}/fuzz.sh"

fuzzer fuzz-program cmd/ireconcile/language/*.c
runs 0 "fuzz-program" "$T/fuzz-program" "${FUZZ_SECONDS:-5}" "${FUZZ_SEED:-1}"
note "$(cat "$T/out")"
done_testing
