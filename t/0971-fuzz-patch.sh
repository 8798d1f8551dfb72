#!/bin/bash
# Patches that are almost right, under ASan and UBSan: JSON patches, merge
# patches, strategic merge patches. What they found is kept in
# t/fuzz/patch-TYPE.corpus: `FUZZ_KEEP=1 FUZZ_SECONDS=600 t/0971-fuzz-patch.sh`
# adds to it.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"

kapi() {
	printf 'cmd/kapi/%s.c ' "$@"
}

# shellcheck disable=SC2046
runs 0 "the fuzzer builds" "${CC:-cc}" -std=c11 -D_GNU_SOURCE -O1 -g \
	-fsanitize=address,undefined -fno-sanitize-recover=all \
	-fsanitize-coverage=trace-pc -iquote lib \
	-o "$T/fuzz-patch" t/fuzz/fuzz-patch.c \
	$(kapi patch_parse patch_json patch_merge patch_strategic patch_list \
		gotext problem cause) \
	lib/utf8.c lib/quote.c lib/hash.c lib/json*.c lib/tree*.c lib/yaml.c lib/arena.c lib/map.c lib/file.c \
	lib/buf.c lib/mem.c lib/err.c -lyaml
for type in json merge strategic; do
	corpus=t/fuzz/patch-$type.corpus
	[ -n "${FUZZ_KEEP:-}" ] || cp "$corpus" "$T/$type.corpus"
	[ -n "${FUZZ_KEEP:-}" ] || corpus=$T/$type.corpus
	runs 0 "fuzz-patch $type" "$T/fuzz-patch" "$type" \
		"${FUZZ_SECONDS:-7}" "${FUZZ_SEED:-1}" "$corpus"
	note "$(cat "$T/out")"
done
done_testing
