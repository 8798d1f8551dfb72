/* struct trouble: when it is logged, and when it counts. */
#include "app.h"

#include "base/mem.h"
#include "tap.h"

int
main(void)
{
	struct trouble t = {0};

	ok(app_trouble_due(&t) == 0 && !app_trouble_clear(&t), "none");
	ok(app_trouble_set(&t, TROUBLE_PASSING, mem_strdup("a"), 1000),
	    "a sentence is new");
	ok(app_trouble_due(&t) == 16000, "... and counts after 15 s");
	ok(!app_trouble_set(&t, TROUBLE_PASSING, mem_strdup("a"), 5000),
	    "the same again is not");
	ok(app_trouble_set(&t, TROUBLE_PASSING, mem_strdup("b"), 9000),
	    "another one is");
	ok(app_trouble_due(&t) == 16000, "... and counts with the first");
	ok(app_trouble_set(&t, TROUBLE_LASTING, mem_strdup("c"), 9500) &&
		app_trouble_due(&t) == 1000,
	    "what does not pass counts at once");
	ok(app_trouble_clear(&t) && app_trouble_due(&t) == 0, "it is over");
	ok(app_trouble_set(&t, TROUBLE_PASSING, mem_strdup("c"), 30000) &&
		app_trouble_due(&t) == 45000,
	    "and begins again");
	app_trouble_clear(&t);
	return tap_done();
}
