#!/bin/bash
# Every installed program has the protection of compiler and linker against
# memory errors.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"

# The linker keeps notes of indirect branches only if the C library's start
# files have them, too: compare with an empty program.
flag() {
	sed -n "s/^HARDEN_$1 := *//p" build/config.mk
}
echo 'int main(void) { return 0; }' >"$T/empty.c"
# shellcheck disable=SC2046
"${CC:-cc}" -O2 $(flag CFLAGS) $(flag LDFLAGS) -o "$T/empty" "$T/empty.c"
features() {
	readelf -nW "$1" | sed -n 's/.*\(x86\|AArch64\) feature: //p'
}

for main in cmd/*/main.c; do
	tool=${main#cmd/}
	tool=bin/${tool%/main.c}
	readelf -hW "$tool" >"$T/header"
	readelf -lW "$tool" >"$T/segments"
	readelf -dW "$tool" >"$T/dynamic"
	readelf --dyn-syms -W "$tool" >"$T/symbols"
	ok "$tool can be anywhere in memory" grep -q 'Flags:.*PIE' "$T/dynamic"
	ok "... is bound before it runs" grep -q 'Flags:.*NOW' "$T/dynamic"
	ok "... and read-only from then on" grep -q GNU_RELRO "$T/segments"
	is "$(awk '$1 == "GNU_STACK" { print $7 }' "$T/segments")" RW \
		"... has a stack that is not executed"
	is "$(awk '$1 == "LOAD" && /W/ && /E/' "$T/segments")" "" \
		"... and nothing that is both written and executed"
	ok "... notices overwritten stacks" \
		grep -q '__stack_chk_fail' "$T/symbols"
	ok "... and buffers that are too small" grep -q '_chk@' "$T/symbols"
	is "$(features "$tool")" "$(features "$T/empty")" \
		"... lets branches go where the system lets them"
	is "$(readelf -dW "$tool" | grep -cE 'RPATH|RUNPATH|TEXTREL')" 0 \
		"... takes libraries from nowhere else"
done

# Our objects have them in any case.
case $("${CC:-cc}" -dumpmachine) in
x86_64-*) marks="IBT, SHSTK" ;;
aarch64-*) marks="BTI, PAC" ;;
*) marks= ;;
esac
is "$(features build/lib/base/buf.o)" "$marks" "our code marks where branches go"
ok "big stack frames are touched page by page" \
	grep -q 'stack-clash-protection' build/flags

done_testing
