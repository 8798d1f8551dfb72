#!/bin/bash
# Twenty seconds of requests that are almost right, under ASan and UBSan: bad
# HTTP/1.1 and HTTP/2, paths, selectors, bodies and patches of all kinds. It
# changes the requests of t/parity, and those of t/fuzz/kapi.corpus, which reach
# other code; this looks for more of them:
#
#	make BUILD=build-fuzz SANITIZE=address,undefined \
#		CFLAGS='-O1 -g -fsanitize-coverage=trace-pc' \
#		build-fuzz/t/fuzz-kapi
#	t/parity/play --seeds t/parity/*.http | cat - t/fuzz/kapi.corpus >seeds
#	build-fuzz/t/fuzz-kapi 600 1 seeds t/fuzz/kapi.corpus
# check-all: fuzzers
# shellcheck source=fuzz.sh
. "${0%/*}/fuzz.sh"

t/parity/play --seeds t/parity/*.http | cat - t/fuzz/kapi.corpus >"$T/seeds"
fuzz fuzz-kapi "${FUZZ_SECONDS:-20}" "${FUZZ_SEED:-1}" "$T/seeds"
done_testing
