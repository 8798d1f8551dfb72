#!/bin/bash
# Five seconds of CRDs and objects of them that are almost right, under ASan
# and UBSan.
# check-all: fuzzers
# shellcheck source=fuzz.sh
. "${0%/*}/fuzz.sh"

fuzz fuzz-crd t/kapi/crd-widgets.json \
	t/kapi/crd-definitions.jsonl t/kapi/crd-objects.jsonl \
	"${FUZZ_SECONDS:-5}" "${FUZZ_SEED:-1}"
done_testing
