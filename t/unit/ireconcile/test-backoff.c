/* backoff: which primaries are not evaluated before some time. */
#include "state/backoff.h"

#include "base/array.h"
#include "tap.h"

static const int64_t second = 1000000;
static struct map all;

static struct span
who(void)
{
	return span_make("ns\0a", 4);
}

static void
test_failures(void)
{
	static const int64_t want[] = {10, 20, 40, 80, 160, 320, 600, 600};
	bool doubling = true;
	int64_t now = 5 * second;

	ok(backoff_until(&all, who(), now) == 0, "at first nothing waits");
	for (size_t i = 0; i < COUNT(want); i++) {
		int64_t until = backoff_failed(&all, who(), now);

		doubling = doubling && until == now + want[i] * second &&
		    backoff_until(&all, who(), now) == until &&
		    backoff_until(&all, who(), until) == 0;
		now = until;
	}
	ok(doubling, "10 s, doubling to ten minutes");
	ok(backoff_has_failed(&all, who()), "it has failed");
	ok(backoff_until(&all, span_make("ns\0b", 4), now - 1) == 0,
	    "another one does not wait");
	backoff_went_well(&all, who(), now, 1);
	ok(!backoff_has_failed(&all, who()), "it went well");
	ok(backoff_failed(&all, who(), now) == now + 10 * second,
	    "... then it is 10 s again");
	backoff_release(&all);
}

static void
test_long(void)
{
	int64_t now = 100 * second;

	backoff_went_well(&all, who(), now, BACKOFF_CHEAP_US);
	ok(backoff_until(&all, who(), now) == 0, "what costs little is free");
	backoff_went_well(&all, who(), now, (uint64_t)second / 2);
	ok(backoff_until(&all, who(), now) == now + 5 * second,
	    "what took long waits ten times as long");
	ok(!backoff_has_failed(&all, who()), "... and has not failed");
	backoff_hurry(&all, who());
	ok(backoff_until(&all, who(), now) == now + 5 * second,
	    "... nor is it hurried");
	backoff_release(&all);
}

static void
test_hurry(void)
{
	int64_t now = 100 * second;

	backoff_hurry(&all, who());
	ok(backoff_until(&all, who(), now) == 0, "nothing to hurry");
	for (int i = 0; i < 4; i++)
		backoff_failed(&all, who(), now);
	backoff_hurry(&all, who());
	ok(backoff_until(&all, who(), now) == now + 10 * second,
	    "asked for: not before the shortest wait");
	ok(backoff_failed(&all, who(), now) == now + 160 * second,
	    "... and the next wait is as long as it would have been");
	backoff_release(&all);
}

static void
test_many(void)
{
	size_t most = 0;

	for (int64_t i = 0; i < 20000; i++) {
		backoff_failed(&all, span_make((const char *)&i, sizeof(i)),
		    i * 10 * second);
		most = all.count > most ? all.count : most;
	}
	ok(most < 1000, "those who waited long ago are forgotten");
	backoff_release(&all);
}

int
main(void)
{
	test_failures();
	test_long();
	test_hurry();
	test_many();
	return tap_done();
}
