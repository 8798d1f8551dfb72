#include "trouble.h"

#include "base/mem.h"
#include "tap.h"

int
main(void)
{
	struct trouble t = {0};

	ok(trouble_due(&t) == 0 && !trouble_clear(&t), "none");
	ok(trouble_set(&t, TROUBLE_PASSING, mem_strdup("a"), 1000),
	    "a sentence is new");
	ok(trouble_due(&t) == 16000, "... and counts after 15 s");
	ok(!trouble_set(&t, TROUBLE_PASSING, mem_strdup("a"), 5000),
	    "the same again is not");
	ok(trouble_set(&t, TROUBLE_PASSING, mem_strdup("b"), 9000),
	    "another one is");
	ok(trouble_due(&t) == 16000, "... and counts with the first");
	ok(trouble_set(&t, TROUBLE_LASTING, mem_strdup("c"), 9500) &&
		trouble_due(&t) == 1000,
	    "what does not pass counts at once");
	ok(trouble_clear(&t) && trouble_due(&t) == 0, "it is over");
	ok(trouble_set(&t, TROUBLE_PASSING, mem_strdup("c"), 30000) &&
		trouble_due(&t) == 45000,
	    "and begins again");
	trouble_clear(&t);
	return tap_done();
}
