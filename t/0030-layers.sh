#!/bin/bash
# Includes point only towards the base, and check-layers finds those that do
# not; a file has a length that can be read, and each main the one shape.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"

runs 0 "the tree keeps to its layers" t/check-layers
is "$(<"$T/out")" "" "... without a word"

runs 0 "... and prints its matrix" t/check-layers --matrix
ok "... of lib" grep -q "^lib: the row includes the column" "$T/out"
ok "... of kapi" grep -q "^cmd/kapi: the row includes the column" "$T/out"

# offends WANT WHAT: check-layers on $T/tree says WANT.
offends() {
	runs 1 "$2" t/check-layers "$T/tree"
	is "$(<"$T/out")" "$1" "... and says where"
}

tree() {
	local lib=$T/tree/lib a=$T/tree/cmd/a b=$T/tree/cmd/b

	rm -rf "$T/tree"
	mkdir -p "$lib/base" "$lib/net" "$a/one" "$a/two" "$b"
	printf 'Text.\n\nbase/  first\nnet/   second\n' >"$lib/README"
	printf 'Text.\n\none/  first\ntwo/  second\n' >"$a/README"
	touch "$lib/base/README" "$lib/net/README" "$a/one/README" "$a/two/README"
	: >"$lib/base/low.h"
	printf '#include "base/low.h"\n' >"$lib/base/low.c"
	printf '#include "base/low.h"\n' >"$lib/net/high.h"
	printf '#include "net/high.h"\n#include "base/low.h"\n' >"$lib/net/high.c"
	: >"$a/one/own.h"
	: >"$a/beside.h"
	printf '#include "one/own.h"\n' >"$a/two/other.h"
	printf '#include "beside.h"\n#include "two/other.h"\n#include "net/high.h"\n' \
		>"$a/main.c"
	printf '#include <stdio.h>\n#include "base/low.h"\n' >"$b/main.c"
}

tree
runs 0 "a tree that does" t/check-layers "$T/tree"

echo '#include "net/high.h"' >>"$T/tree/lib/base/low.c"
offends "lib/base/low.c:2: room base includes net/high.h of room net" "upwards"

tree
echo '#include "two/other.h"' >>"$T/tree/cmd/a/one/own.h"
offends "cmd/a/one/own.h:1: room one includes two/other.h of room two" \
	"upwards, in a tool"

tree
echo '#include "beside.h"' >>"$T/tree/cmd/a/two/other.h"
offends "cmd/a/two/other.h:2: room two includes beside.h of room beside main.c" \
	"a room includes what is beside main.c"

tree
echo "Door: none" >>"$T/tree/cmd/a/one/README"
offends "cmd/a/two/other.h:1: includes one/own.h: the door of room one is closed" \
	"a header behind the door"
echo "Friends: two/" >>"$T/tree/cmd/a/one/README"
runs 0 "... but not of a friend's" t/check-layers "$T/tree"
sed -i 's/^Door: .*/Door: own.h/; /^Friends/d' "$T/tree/cmd/a/one/README"
runs 0 "... or through the door" t/check-layers "$T/tree"

tree
printf '#include "base/low.h"\n#include "net/high.h"\n' >"$T/tree/lib/net/high.c"
offends "lib/net/high.c:1: its own header comes first" "another header first"

tree
mkdir "$T/tree/lib/new"
: >"$T/tree/lib/new/new.h"
offends "lib/new: a room that lib/README does not list" "a room that is not listed"

tree
rm "$T/tree/lib/net/README"
offends "lib/net: has no README that says what belongs in it" "no README"

tree
for n in {1..40}; do
	: >"$T/tree/cmd/b/file$n.h"
done
offends "cmd/b: 41 files: make two rooms of it" "a crowded room"

tree
echo '#include "one/own.h"' >>"$T/tree/cmd/b/main.c"
offends "cmd/b/main.c:3: includes one/own.h, which is neither in lib nor its own" \
	"a file of another tool"

tree
echo '#include "own.h"' >>"$T/tree/cmd/a/one/own.h"
offends "cmd/a/one/own.h:1: includes own.h, which is neither in lib nor its own" \
	"an include without its room"

tree
echo '#include "one/own.h"' >>"$T/tree/lib/base/low.c"
offends "lib/base/low.c:2: includes one/own.h, which is neither in lib nor its own" \
	"a file of a tool in lib"

tree
rm -r "$T/tree/lib/net"
sed -i /net/d "$T/tree/cmd/a/main.c"
offends "lib/README: net/ is listed and not there" "a room that is gone"

tree
echo 'base/  again' >>"$T/tree/lib/README"
runs 1 "a room listed twice" t/check-layers "$T/tree"
is "$(head -n 1 "$T/out")" "lib/README: base/ is listed twice" "... says so"

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

# The shape of main that lib/process/opt.h asks for.
other=$(for main in cmd/*/main.c; do
	tail -n 2 "$main" | grep -q '^	return opt_main(&' && continue
	grep -q '^	code = opt_begin(&' "$main" &&
		tail -n 2 "$main" |
		grep -q '^	return code >= 0 ? code : opt_fatal(&' ||
		echo "$main"
done)
is "$other" "" "each main has the one shape"
is "$(find t -name '[0-9]*.sh' ! -perm -100)" "" "tests are executable"
long=$(find lib cmd -name '*.[ch]' -exec wc -l {} + |
	awk '$2 != "total" && $1 > 800')
is "$long" "" "no file has more than 800 lines"
done_testing
