#!/bin/bash
# Random programs: what a function does not see makes no difference to it.
# check-all: fuzzers
# shellcheck source=fuzz.sh
. "${0%/*}/fuzz.sh"

fuzz fuzz-sees "${FUZZ_PROGRAMS:-150}" "${FUZZ_SEED:-1}"
done_testing
