#!/bin/bash
# Hostile objects against the pipelines and a corpus of expressions: ireconcile
# and the other primaries always go on.
# check-all: fuzzers
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"

runs 0 "fuzz/eval" t/fuzz/eval "${FUZZ_SECONDS:-60}" "${FUZZ_SEED:-1}"
note "$(<"$T/out")"
done_testing
