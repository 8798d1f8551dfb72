#!/bin/bash
# Ten seconds of text that is almost JSON, under ASan and UBSan.
# check-all: fuzzers
# shellcheck source=fuzz.sh
. "${0%/*}/fuzz.sh"

fuzz fuzz-json "${FUZZ_SECONDS:-10}" "${FUZZ_SEED:-1}"
done_testing
