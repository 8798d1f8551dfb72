#!/bin/bash
# Ten seconds of text that is almost JSON, under ASan and UBSan.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"

runs 0 "the fuzzer builds" "${CC:-cc}" -std=c11 -D_GNU_SOURCE -O1 -g \
	-fsanitize=address,undefined -fno-sanitize-recover=all -iquote lib \
	-o "$T/fuzz-json" t/fuzz/fuzz-json.c lib/json*.c lib/utf8.c lib/quote.c lib/stream*.c \
	lib/project.c lib/buf.c lib/mem.c lib/err.c
runs 0 "fuzz-json" "$T/fuzz-json" "${FUZZ_SECONDS:-10}" "${FUZZ_SEED:-1}"
note "$(cat "$T/out")"
done_testing
