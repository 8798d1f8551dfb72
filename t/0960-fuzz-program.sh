#!/bin/bash
# Texts that are almost programs, messages of jq, quantities, under ASan and
# UBSan.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"

runs 0 "the fuzzer builds" "${CC:-cc}" -std=c11 -D_GNU_SOURCE -O1 -g \
	-fsanitize=address,undefined -fno-sanitize-recover=all -iquote lib \
	-o "$T/fuzz-program" t/fuzz/fuzz-program.c \
	cmd/ireconcile/{compose,guards,jqlex,jqparse,jqterm,jqtext}.c \
	cmd/ireconcile/{message,prelude,quantity,reads,source}.c \
	lib/json*.c lib/quote.c lib/utf8.c lib/file.c lib/buf.c lib/mem.c lib/err.c
runs 0 "fuzz-program" "$T/fuzz-program" "${FUZZ_SECONDS:-5}" "${FUZZ_SEED:-1}"
note "$(cat "$T/out")"
done_testing
