/* The words of the oracle about what comes too late. In the record the Memcached
 * is changed at 20 s, and the Deployment in the same moment. */
#include "oracle/oracle.h"

#include "edited.h"
#include "tap.h"

#define AT_20 "(.time == 1775001680000000)"
/* A fault, at so many seconds. */
#define FAULT(at, more)                                                  \
	"| ahead(" AT_20 "; [{fault: \"x\", step: 1, time: ((1775001660" \
	"+ " at ") * 1000000)} + " more "])"
/* Changes of the Deployment by the operator at 20 s come later. */
#define SLOW(seconds)                                                  \
	"each(of(\"Deployment\") and .by == \"kapply\" and " AT_20 ";" \
	".time += " seconds " * 1000000)"

TEST(late)
{
	is(said("memcached", SLOW("7") FAULT("20", "{dueMs: 5000}")),
	    "late: Deployment default/example: the operator changes it at "
	    "27.000 s, 2.000 s too late: the last change by another was at "
	    "20.000 s, and the fault should have no effect from 25.000 s on",
	    "later than the fault allows");
	is(said("memcached", SLOW("7") FAULT("20", "{dueMs: 6000}")), "",
	    "two plays may differ by a second");
	is(said("memcached", SLOW("7") FAULT("20", "{}")), "",
	    "a fault of which it cannot be said");
	is(said("memcached", SLOW("7")), "", "no fault at all");
	is(said("memcached", SLOW("7") FAULT("10", "{dueMs: 5000}")),
	    "late: Deployment default/example: the operator changes it at "
	    "27.000 s, 7.000 s too late: the last change by another was at "
	    "20.000 s, and the fault should have no effect from 20.000 s on",
	    "an answer to what was asked when the fault was over");
	is(said("memcached", SLOW("7") FAULT("28", "{dueMs: 0}")), "",
	    "a change before the fault");
}

TEST(later)
{
	is(said(
	       "memcached", SLOW("7") FAULT("0", "{dueMs: 5000, later: true}")),
	    "late: Deployment default/example: the operator changes it at "
	    "27.000 s, 2.000 s too late: the last change by another was at "
	    "20.000 s, and the fault should have no effect from 25.000 s on",
	    "a fault that begins nobody knows when");
	is(said(
	       "memcached", SLOW("7") FAULT("0", "{dueMs: 6000, later: true}")),
	    "", "... and is over in time");
}

TEST(two)
{
	is(said("memcached",
	       SLOW("7") FAULT("20", "{dueMs: 4000}")
		   FAULT("20", "{fault: \"y\", dueMs: 2000}")),
	    "", "two faults take the time of both");
	is(said("memcached",
	       SLOW("7") FAULT("20", "{dueMs: 2000}")
		   FAULT("20", "{dueMs: 2000}") FAULT("20", "{dueMs: 2000}")),
	    "late: Deployment default/example: the operator changes it at "
	    "27.000 s, 5.000 s too late: the last change by another was at "
	    "20.000 s, and the fault should have no effect from 22.000 s on",
	    "one that has several effects begins with the first");
	is(said("memcached",
	       SLOW("7") FAULT("20", "{dueMs: 4000}")
		   FAULT("20", "{fault: \"y\"}")),
	    "", "one of them may take any time");
}

TEST(habits)
{
	struct oracle *o = oracle_of_edited("memcached", SLOW("4"), ".", NULL);

	is(said_with(o, "memcached", SLOW("7") FAULT("20", "{dueMs: 2000}")),
	    "", "clean records take as long");
	is(said_with(o, "memcached", SLOW("8") FAULT("20", "{dueMs: 2000}")),
	    "late: Deployment default/example: the operator changes it at "
	    "28.000 s, 2.000 s too late: the last change by another was at "
	    "20.000 s, and the fault should have no effect from 22.000 s on",
	    "... and not longer");
	is(said_with(o, "memcached",
	       "each(of(\"Memcached\") and .by == \"kstatus\" and " AT_20
	       "; .time += 8000000)" FAULT("20", "{dueMs: 2000}")),
	    "late: Memcached default/example: the operator changes it at "
	    "28.000 s, 6.000 s too late: the last change by another was at "
	    "20.000 s, and the fault should have no effect from 22.000 s on",
	    "... but for this change");
	is(said_with(o, "memcached",
	       "each(of(\"Memcached\") and .by == \"kstatus\" and " AT_20
	       "; .time += 7000000 | .object.status.x = 1)" FAULT(
		   "20", "{dueMs: 2000}")),
	    "", "one that they do not have takes as long as the longest");
	oracle_free(o);
}

TEST(patience)
{
	struct oracle *o = oracle_of(
	    "memcached", "[{\"patience\": \"Deployment\", \"ms\": 4000}]");

	is(said_with(o, "memcached", SLOW("7") FAULT("20", "{dueMs: 2000}")),
	    "", "a rule: the program may wait");
	is(said_with(o, "memcached", SLOW("8") FAULT("20", "{dueMs: 2000}")),
	    "late: Deployment default/example: the operator changes it at "
	    "28.000 s, 2.000 s too late: the last change by another was at "
	    "20.000 s, and the fault should have no effect from 22.000 s on",
	    "... and not longer");
	oracle_free(o);
}

TEST(appointments)
{
	/* At 20 s nobody has asked for it: it was due. */
#define ALONE "map(select((.by == \"client\" and " AT_20 ") | not))"
	is(said("memcached", ALONE FAULT("1", "{dueMs: 5000}")), "",
	    "a change at the time of the clean record");
	is(said("memcached", ALONE "|" SLOW("3") FAULT("1", "{dueMs: 5000}")),
	    "late: Deployment default/example: the operator changes it at "
	    "23.000 s, 17.000 s too late: the last change by another was at "
	    "5.000 s, and the fault should have no effect from 6.000 s on",
	    "... and another time");
#undef ALONE
}
