# shellcheck shell=bash
# What the tests of fuzzers share.
#
#	. "${0%/*}/fuzz.sh"
#	fuzz fuzz-json "${FUZZ_SECONDS:-10}" "${FUZZ_SEED:-1}"

# shellcheck source=lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

# sanitized FILE...: makes these of the sanitized build, as make check-all does
sanitized() {
	runs 0 "the fuzzer builds" make --no-print-directory -s \
		SANITIZE=address,undefined "${@/#/build-sanitize/}"
}

# fuzz NAME ARGUMENT...: builds and runs it
fuzz() {
	sanitized "t/$1"
	runs 0 "$1" "build-sanitize/t/$1" "${@:2}"
	note "$(<"$T/out")"
}
