#!/bin/bash
# Patches that are almost right, under ASan and UBSan: JSON patches, merge
# patches, strategic merge patches. Inputs that reached new code are kept in
# t/fuzz/patch-TYPE.corpus: `FUZZ_KEEP=1 FUZZ_SECONDS=600 t/0971-fuzz-patch.sh`
# adds to it.
# check-all: fuzzers
# shellcheck source=fuzz.sh
. "${0%/*}/fuzz.sh"

sanitized libkpipe.a
runs 0 "... with its coverage" "${CC:-cc}" -std=c11 -D_GNU_SOURCE -O1 -g \
	-fsanitize=address,undefined -fno-sanitize-recover=all \
	-fsanitize-coverage=trace-pc -iquote lib -iquote cmd/kapi \
	-o "$T/fuzz-patch" t/fuzz/{fuzz-patch,fuzz,guided}.c \
	cmd/kapi/tree/*.c cmd/kapi/merge/patch*.c \
	cmd/kapi/text/gotext.c cmd/kapi/type/{problem,cause}.c \
	build-sanitize/libkpipe.a -lyaml -lcrypto -lm
for type in json merge strategic; do
	corpus=t/fuzz/patch-$type.corpus
	runs 0 "fuzz-patch $type" "$T/fuzz-patch" "$type" "${FUZZ_SECONDS:-7}" \
		"${FUZZ_SEED:-1}" "$corpus" ${FUZZ_KEEP:+"$corpus"}
	note "$(<"$T/out")"
done
done_testing
