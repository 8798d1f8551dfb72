#!/bin/bash
# Includes point only towards the base, and the check that says so bites.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"

runs 0 "the tree keeps to its layers" t/check-layers
is "$(cat "$T/out")" "" "... without a word"

# offends WANT WHAT: check-layers on $T/tree says WANT.
offends() {
	runs 1 "$2" t/check-layers "$T/tree"
	is "$(cat "$T/out")" "$1" "... and says where"
}

tree() {
	rm -rf "$T/tree"
	mkdir -p "$T/tree/lib" "$T/tree/cmd/a" "$T/tree/cmd/b"
	printf 'Text.\nlayer base: low\nlayer net: high\n' \
		>"$T/tree/lib/README"
	: >"$T/tree/lib/low.h"
	printf '#include "low.h"\n' >"$T/tree/lib/low.c"
	printf '#include "low.h"\n' >"$T/tree/lib/high.h"
	printf '#include "high.h"\n#include "low.h"\n' >"$T/tree/lib/high.c"
	: >"$T/tree/cmd/a/own.h"
	printf '#include "own.h"\n#include "high.h"\n' >"$T/tree/cmd/a/main.c"
	printf '#include <stdio.h>\n#include "low.h"\n' >"$T/tree/cmd/b/main.c"
}

tree
runs 0 "a tree that does" t/check-layers "$T/tree"

echo '#include "high.h"' >>"$T/tree/lib/low.c"
offends "lib/low.c:2: layer base includes high.h of layer net" "upwards"

tree
printf '#include "low.h"\n#include "high.h"\n' >"$T/tree/lib/high.c"
offends "lib/high.c:1: its own header comes first" "another header first"

tree
: >"$T/tree/lib/new.h"
offends "lib/new.h: in no layer of lib/README" "a module in no layer"

tree
echo '#include "own.h"' >>"$T/tree/cmd/b/main.c"
offends "cmd/b/main.c:3: includes own.h, which is neither its own nor in a layer" \
	"a file of another tool"

tree
echo '#include "../a/own.h"' >>"$T/tree/cmd/b/main.c"
offends "cmd/b/main.c:3: includes ../a/own.h from elsewhere" "... by its path"

tree
echo '#include "own.h"' >>"$T/tree/lib/low.c"
offends "lib/low.c:2: includes own.h, which is neither its own nor in a layer" \
	"a file of a tool in lib"

tree
rm "$T/tree/lib/high.c" "$T/tree/lib/high.h"
: >"$T/tree/cmd/a/high.h" # a file of a tool is none of lib
offends "lib/README: high is listed and not there" "a module that is gone"

tree
echo 'layer top: low' >>"$T/tree/lib/README"
runs 1 "a module in two layers" t/check-layers "$T/tree"
is "$(head -n 1 "$T/out")" "lib/README: low is listed twice" "... says so"

compiles() {
	printf '#include <time.h>\nvoid *f(char *a) { return %s; }\n' "$1" |
		"${CC:-cc}" -include lib/base/banned.h -fsyntax-only -x c -
}
ok "the build refuses banned functions: a control" compiles 'strchr(a, 1)'
for call in 'strcpy(a, a)' 'strcat(a, a)' 'strtok(a, a)' 'gmtime((void *)a)' \
	'alloca(1)' 'gets(a)' 'sscanf(a, a)' 'mktemp(a)' 'tmpnam(a)' \
	'popen(a, a)' 'system(a)'; do
	runs 1 "... $call" compiles "$call"
	ok "... by that name" grep -q "poisoned \"${call%%(*}\"" "$T/err"
done
ok "... and the build uses that" grep -q -e '-include lib/base/banned.h' Makefile

done_testing
