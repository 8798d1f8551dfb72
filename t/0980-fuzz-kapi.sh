#!/bin/bash
# Twenty seconds of requests that are almost right, under ASan and UBSan: bad
# HTTP/1.1 and HTTP/2, paths, selectors, bodies and patches of all kinds. Inputs
# that were found are kept in t/fuzz/kapi.corpus; this looks for more, guided by
# the code that an input reaches:
#
#	make BUILD=build-fuzz SANITIZE=address,undefined \
#		CFLAGS='-O1 -g -fsanitize-coverage=trace-pc' \
#		build-fuzz/t/fuzz-kapi
#	build-fuzz/t/fuzz-kapi 600 1 t/fuzz/kapi.corpus
# check-all: fuzzers
# shellcheck source=fuzz.sh
. "${0%/*}/fuzz.sh"

fuzz fuzz-kapi "${FUZZ_SECONDS:-20}" "${FUZZ_SEED:-1}"
done_testing
