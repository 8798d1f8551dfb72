#!/bin/bash
# Five seconds each of recordings that are almost right, through kwhy and
# kview, under ASan and UBSan.
# check-all: fuzzers
# shellcheck source=fuzz.sh
. "${0%/*}/fuzz.sh"

t/view/incident >"$T/incident.jsonl"
for reader in kwhy kview; do
	fuzz "fuzz-$reader" "${FUZZ_SECONDS:-5}" "${FUZZ_SEED:-1}" \
		t/cases/5600/incident.jsonl "$T/incident.jsonl" \
		pipeline/*/t/*.jsonl
done
done_testing
