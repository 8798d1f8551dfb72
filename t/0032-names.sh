#!/bin/bash
# A file is found from a name; and check-names finds what breaks this.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"

runs 0 "the tree keeps to its names" t/check-names . "${BUILD:-build}"
is "$(<"$T/out")" "" "... without a word"

tree() {
	local lib=$T/tree/lib/base a=$T/tree/cmd/a

	rm -rf "$T"/tree/{lib,cmd,t}
	mkdir -p "$lib" "$a/room" "$T/tree/t"
	printf '%s\n' '#ifndef SPAN_H' '#define SPAN_H' 'struct span {' \
		'	int n;' '};' 'int span_len(struct span *s);' \
		'extern const int span_max;' '#endif' >"$lib/span.h"
	printf '%s\n' '#include "base/span.h"' 'const int span_max = 3;' \
		'int span_len(struct span *s) { return s->n; }' >"$lib/span.c"
	printf '%s\n' '#ifndef POLICY_H' '#define POLICY_H' 'struct policy;' \
		'int policies_count(void);' 'int policy_find(int key);' \
		'static inline int' 'room_any(void)' '{' '	return 1;' '}' \
		'#endif' >"$a/room/policy.h"
	printf '%s\n' '#include "room/policy.h"' 'struct policy {' '	int n;' \
		'};' 'int policies_count(void) { return 1; }' >"$a/room/policy.c"
	printf '%s\n' '/* Part of room/policy.h: finds one. */' \
		'#include "room/policy.h"' \
		'int policy_find(int key) { return key; }' >"$a/room/find.c"
	printf '%s\n' '/* a: a tool. */' 'int main(void) { return 0; }' \
		>"$a/main.c"
}

# compiles: makes the objects of the tree, as make does; those of what was as it
# is the last time are there.
declare -A texts=()
compiles() {
	local file header text status=0

	cd "$T/tree" || return
	for file in lib/*/*.c cmd/a/*.c cmd/a/*/*.c; do
		text=$(<"$file")
		for header in "${file%/*}"/*.h; do
			[ ! -e "$header" ] || text+=$(<"$header")
		done
		[ "${texts[$file]-}" != "$text" ] || continue
		texts[$file]=$text
		mkdir -p "build/${file%/*}"
		"${CC:-cc}" -std=c11 -iquote lib -iquote cmd/a -c \
			-o "build/${file%.c}.o" "$file" || status=1
	done
	cd "$ROOT" && return "$status"
}
# offends WANT WHAT: check-names on the tree says WANT.
offends() {
	ok "$2: it compiles" compiles
	runs 1 "$2" t/check-names "$T/tree"
	is "$(<"$T/out")" "$1" "... and says where"
}

tree
ok "a tree that keeps to its names compiles" compiles
runs 0 "... and passes" t/check-names "$T/tree"
is "$(<"$T/out")" "" "... without a word"

: >"$T/tree/cmd/a/other.c"
echo '/* Text, no part. */' >"$T/tree/cmd/a/other.c"
offends 'cmd/a/other.c: neither its own header nor a "Part of room/x.h"' \
	"a file that belongs to no header"

tree
sed -i 's|room/policy.h: |room/gone.h: |' "$T/tree/cmd/a/room/find.c"
offends 'cmd/a/room/find.c: neither its own header nor a "Part of room/x.h"
cmd/a/room/policy.h: policy_find is defined in cmd/a/room/find.c, no part of it' \
	"a part of what is not there"

tree
sed -i 1d "$T/tree/cmd/a/main.c"
offends "cmd/a/main.c: no opening comment says what it is" "a main.c without a word"

tree
mkdir "$T/tree/cmd/a/more"
printf '#ifndef SPAN_H\n#define SPAN_H\n#endif\n' >"$T/tree/cmd/a/more/span.h"
offends "cmd/a/more/span.h: has the name of lib/base/span.h" "a header's name twice"

tree
mkdir "$T/tree/cmd/a/more"
echo '/* Part of more/all.h. */' >"$T/tree/cmd/a/more/span.c"
printf '#ifndef ALL_H\n#endif\n' >"$T/tree/cmd/a/more/all.h"
offends "cmd/a/more/span.c: has the name of lib/base/span.c" "a file's name twice"

tree
printf '#ifndef OTHER_H\n#endif\n' >"$T/tree/t/helper.h"
offends "t/helper.h: its guard is not HELPER_H" "another guard, in the tests"

tree
sed -i 's/policies_count/count/' "$T/tree/cmd/a/room/"*
offends "cmd/a/room/policy.c: count does not say its module" "a name without its module"

tree
sed -i 's/room_any/any/' "$T/tree/cmd/a/room/policy.h"
offends "cmd/a/room/policy.h: any does not say its module" "... of an inline function"

tree
sed -i 's/span_max/limit/' "$T/tree/lib/base/"*
offends "lib/base/span.c: limit does not say its module" "... of an object"

tree
sed -i '/^int policy_find/d' "$T/tree/cmd/a/room/find.c"
offends "cmd/a/room/policy.h: policy_find is declared and nowhere defined" \
	"a function that is gone"

tree
sed -i '/^int policy_find/d' "$T/tree/cmd/a/room/find.c"
echo 'int policy_find(int key) { return key; }' >>"$T/tree/cmd/a/main.c"
offends "cmd/a/room/policy.h: policy_find is defined in cmd/a/main.c, no part of it" \
	"a function defined elsewhere"

tree
echo 'int span_len(int n) { return n; } /* span_ */' \
	>>"$T/tree/cmd/a/room/policy.c"
sed -i '/span.h/d' "$T/tree/cmd/a/room/policy.c"
offends "cmd/a/room/policy.c: span_len is defined in lib/base/span.c too
cmd/a/room/policy.c: span_len does not say its module" "a symbol twice"

tree
echo 'struct span { char c; };' >>"$T/tree/cmd/a/room/find.c"
offends "cmd/a/room/find.c: struct span is another in lib/base/span.h" \
	"a struct of a header, in another file"

tree
echo 'struct policy { char c; };' >>"$T/tree/cmd/a/room/find.c"
offends "cmd/a/room/policy.c: struct policy is another in cmd/a/room/find.c" \
	"a struct that a header names, twice"

tree
ok "a file that is not built: the others are" compiles
rm "$T/tree/build/cmd/a/room/find.o"
runs 1 "... is an offence" t/check-names "$T/tree"
is "$(head -n 1 "$T/out")" "cmd/a/room/find.c: is not built: make" "... that is told"

done_testing
