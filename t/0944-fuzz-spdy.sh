#!/bin/bash
# Five seconds of frames of SPDY that are almost right, under ASan and UBSan.
# check-all: fuzzers
# shellcheck source=fuzz.sh
. "${0%/*}/fuzz.sh"

fuzz fuzz-spdy "${FUZZ_SECONDS:-5}" "${FUZZ_SEED:-1}"
done_testing
