#!/bin/bash
# Five seconds of JSON Web Tokens that are almost right, under ASan and UBSan.
# check-all: fuzzers
# shellcheck source=fuzz.sh
. "${0%/*}/fuzz.sh"

fuzz fuzz-jwt "${FUZZ_SECONDS:-5}" "${FUZZ_SEED:-1}"
done_testing
