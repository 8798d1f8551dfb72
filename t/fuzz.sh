# shellcheck shell=bash
# What the tests of fuzzers share.
#
#	. "${0%/*}/fuzz.sh"
#	fuzzer fuzz-json lib/json/stream*.c
#	runs 0 "fuzz-json" "$T/fuzz-json" "${FUZZ_SECONDS:-10}" "${FUZZ_SEED:-1}"

# shellcheck source=lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

# The files of lib/ that every fuzzer is linked with: text, JSON, trees, YAML.
fuzz_lib=(lib/base/*.c lib/json/json.c lib/json/{frame,scan,syntax,project,tree*}.c
	lib/conf/{label,yaml}.c lib/value/*.c lib/process/{clock,file}.c)

# needed_by TEST: the files of a tool that a unit test names.
needed_by() {
	sed -n 's,^// needs ,,p' "t/unit/$1.c" | while read -r files; do
		compgen -G "$files"
	done
}

# fuzzer NAME [FILE|FLAG]...: builds $T/NAME of t/fuzz/NAME.c and these files,
# with ASan and UBSan.
fuzzer() {
	local name=$1 tool

	shift
	tool=$(printf '%s\n' "$@" | sed -n 's,^\(cmd/[^/]*\)/.*,\1,p' | head -n 1)
	runs 0 "the fuzzer builds" "${CC:-cc}" -std=c11 -D_GNU_SOURCE -O1 -g \
		-fsanitize=address,undefined -fno-sanitize-recover=all \
		-iquote lib -iquote "${tool:-.}" -iquote t/unit -o "$T/$name" \
		"t/fuzz/$name.c" "$@" "${fuzz_lib[@]}" \
		-lyaml -lcrypto -lpcre2-8 -lm
}
