#include "base/arena.h"

#include <string.h>

#include "tap.h"

TEST(lower)
{
	static const char given[] = "@AZ[`az{0\xc3\x84";
	struct arena a = ARENA_INIT;
	struct span all = span_str(given), part = span_make(given + 1, 2);
	struct span low = arena_lower(&a, all);

	ok(span_is(low, "@az[`az{0\xc3\x84") && low.p != given,
	    "a copy, its ASCII letters in lower case");
	low = arena_lower(&a, part);
	ok(span_is(low, "az") && strlen(low.p) == 2, "... ends in a NUL");
	low = arena_lower(&a, SPAN_NONE);
	ok(low.n == 0 && low.p[0] == '\0', "... of nothing, too");
	arena_release(&a);
}
