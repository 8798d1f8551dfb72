#!/bin/bash
# Ten seconds of text that is almost JSON, under ASan and UBSan.
# check-all: fuzzers
# shellcheck source=fuzz.sh
. "${0%/*}/fuzz.sh"

fuzzer fuzz-json lib/json/stream*.c
runs 0 "fuzz-json" "$T/fuzz-json" "${FUZZ_SECONDS:-10}" "${FUZZ_SEED:-1}"
note "$(cat "$T/out")"
done_testing
