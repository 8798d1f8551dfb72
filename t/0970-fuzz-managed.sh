#!/bin/bash
# Five seconds of objects, patches and managedFields that are almost right,
# under ASan and UBSan.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"

modules=$(sed -n 's,^// needs ,,p' t/unit/test-kapi-managed.c)
# shellcheck disable=SC2086 # one word each
runs 0 "the fuzzer builds" "${CC:-cc}" -std=c11 -D_GNU_SOURCE -O1 -g \
	-fsanitize=address,undefined -fno-sanitize-recover=all -iquote lib \
	-o "$T/fuzz-managed" t/fuzz/fuzz-managed.c $modules lib/utf8.c lib/quote.c lib/hash.c lib/json*.c \
	lib/tree*.c lib/arena.c lib/clock.c lib/text.c lib/map.c lib/yaml.c lib/digest.c \
	lib/file.c lib/buf.c lib/mem.c lib/err.c -lyaml -lcrypto -lpcre2-8 -lm
runs 0 "fuzz-managed" "$T/fuzz-managed" t/unit/managed/steps.jsonl \
	"${FUZZ_SECONDS:-5}" "${FUZZ_SEED:-1}"
note "$(cat "$T/out")"
done_testing
