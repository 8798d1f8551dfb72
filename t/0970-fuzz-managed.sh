#!/bin/bash
# Five seconds of objects, patches and managedFields that are almost right,
# under ASan and UBSan.
# check-all: fuzzers
# shellcheck source=fuzz.sh
. "${0%/*}/fuzz.sh"

fuzz fuzz-managed t/unit/kapi/managed/steps.jsonl \
	"${FUZZ_SECONDS:-5}" "${FUZZ_SEED:-1}"
done_testing
