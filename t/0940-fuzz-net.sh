#!/bin/bash
# Five seconds of YAML, kubeconfigs and answers that are almost right, under
# ASan and UBSan.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"

runs 0 "the fuzzer builds" "${CC:-cc}" -std=c11 -D_GNU_SOURCE -O1 -g \
	-fsanitize=address,undefined -fno-sanitize-recover=all -iquote lib \
	-o "$T/fuzz-net" t/fuzz/fuzz-net.c lib/json*.c lib/utf8.c lib/quote.c lib/yaml.c \
	lib/kubeconfig.c lib/kubeuser.c lib/kubeerror.c lib/resources.c \
	lib/textlist.c lib/digest.c lib/file.c lib/buf.c lib/mem.c lib/err.c \
	-lyaml -lcrypto
runs 0 "fuzz-net" "$T/fuzz-net" "${FUZZ_SECONDS:-5}" "${FUZZ_SEED:-1}"
note "$(cat "$T/out")"
done_testing
