#include "base/nearest.h"

#include "tap.h"

/* The nearest of a few names. */
static void
nearest(const char *wanted, const char *want)
{
	static const char *const names[] = {
	    "dependents", "finalizer", "kind", "when", "_own", NULL};
	struct nearest n;

	nearest_init(&n, span_str(wanted));
	nearest_offer_all(&n, names);
	ok(span_is(n.name, want), wanted);
}

TEST(nearest)
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
}
