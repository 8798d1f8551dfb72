#!/bin/bash
# t/measure: what it counts, in a tree of a few lines.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"

tree=$T/tree
mkdir -p "$tree"/{t,cmd/kapi,cmd/x,lib,doc,deploy}
cp t/measure "$tree/t"
cat >"$tree/cmd/x/x.c" <<'END'
/* It is what x does; here called() is not called. */
#include "x.h"

struct y;
static int calls;
static const int most = 3;
int both = 1, many[2];

static int
called(int n)
{
	return n < most ? n : calls++;
}

static void
again(struct x *x)
{
	x->n = called(x->n);
}

/* Nothing else is done. */
void
x_twice(struct x *x)
{
	printf("again(%d)", x->n);
	again(x);
	again(x);
}
END
cat >"$tree/cmd/x/x.h" <<'END'
struct x {
	int n;
	struct {
		int inner;
	} part;
};
void x_twice(struct x *x);
END
seq 90 | sed 's,.*,/* line & */,' >"$tree/cmd/kapi/main.c"
printf '# Glossary\n| word | meaning |\n|---|---|\n| set | a line |\n| item | a part |\n' \
	>"$tree/doc/glossary.md"
printf '# Order\n## One event\n`cmd/x/x.c`, then `lib/y.c`, `cmd/x/x.c`\n## More\n`cmd/x/z.c`\n' \
	>"$tree/doc/reading-order.md"
echo 'def desired: [];' >"$tree/lib/a.jq"
cp "$tree/lib/a.jq" "$tree/deploy"
cd "$tree" || exit
git init -q
git add .
echo '{}' >lib/untracked.h

runs 0 "what is tracked is counted" t/measure
is "$(tail -n +2 "$T/out" | sed 's/  */ /g')" \
	"lines of C 35 90
of these in headers 7 0
.c files 1 1
... below 80 lines 1 0
headers 1 0
structs 2 0
static functions 2 0
... called once 1 0
variables of files that change 2 0
comments that begin with a pronoun 1 0

files that one event goes through 2
words of the glossary 2
pages 2
words of pages 32
lines of manual pages 0
lines of jq 1
files of tests 1
lines of tests $(wc -l <t/measure)
lines of deploy/ 1
files 8" "... and is a line of the table each"
rm cmd/x/x.h
runs 0 "what is gone is not" t/measure
is "$(grep -c '^headers  *0  *0$' "$T/out")" 1 "... counted"
printf 'all:\n\tmkdir -p $(BIN)\n\tprintf 12345 >$(BIN)/x-$(CCACHE_DISABLE)\n' >Makefile
printf '#!/bin/sh\necho "ok 1 - x, start: instructions: 42 (t/costs: 41)"\n' >t/exec
chmod +x t/exec
runs 0 "--build" t/measure --build
is "$(tail -n 3 "$T/out" | sed 's/  */ /g; s/all tools [0-9.]*$/all tools/')" \
	"seconds to build all tools
bytes of x-1 5
x, start: instructions 42" "... is measured, too"
is "$(echo build*)" "build*" "... and not kept"
runs 1 "another option" t/measure --fast
is "$(<"$T/err")" "usage: t/measure [--build]" "... is refused"
done_testing
