#include "base/nearest.h"

#include "tap.h"

/* The nearest of a few names. */
static void
nearest(const char *wanted, const char *want)
{
	static const char *const names[] = {
	    "dependents", "finalizer", "kind", "when", "_own"};
	struct nearest n;

	nearest_init(&n, span_str(wanted));
	for (int i = 0; i < 5; i++)
		nearest_offer(&n, span_str(names[i]), 0);
	ok(span_is(n.name, want), wanted);
}

int
main(void)
{
	nearest("dependant", "dependents");
	nearest("finaliser", "finalizer");
	nearest("knid", "kind");
	nearest("kidn", "kind");
	nearest("whe", "when");
	nearest("wh", "");
	nearest("kinship", "");
	nearest("own", "");
	nearest("", "");
	return tap_done();
}
