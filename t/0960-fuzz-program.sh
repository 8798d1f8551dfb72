#!/bin/bash
# Texts that are almost programs, messages of jq, quantities, under ASan and
# UBSan.
# check-all: fuzzers
# shellcheck source=fuzz.sh
. "${0%/*}/fuzz.sh"

fuzz fuzz-program "${FUZZ_SECONDS:-5}" "${FUZZ_SEED:-1}"
done_testing
