#!/bin/bash
# Five seconds of objects of built-in kinds that are almost right, under ASan
# and UBSan.
# check-all: fuzzers
# shellcheck source=fuzz.sh
. "${0%/*}/fuzz.sh"

fuzz fuzz-builtin t/unit/kapi/builtin/recorded.jsonl \
	"${FUZZ_SECONDS:-5}" "${FUZZ_SEED:-1}"
done_testing
