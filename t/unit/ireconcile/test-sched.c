/* sched: the timers of primaries. */
#include "state/sched.h"

#include "tap.h"

static struct sched_timer
timer(const char *key)
{
	return (struct sched_timer){.key = span_str(key)};
}

static void
test_times(void)
{
	struct sched s = {.clock = SCHED_INPUT};
	struct sched_timer a = timer("a"), b = timer("b");
	unsigned reasons = 0;

	ok(sched_next(&s) == 0 && sched_due(&s, 9, &reasons) == NULL,
	    "nothing is set");
	sched_set(&s, &b, SCHED_PERIOD, 5);
	sched_set(&s, &a, SCHED_PERIOD, 5);
	sched_set(&s, &a, SCHED_HELD, 3);
	sched_set(&s, &a, SCHED_SLOT, 3);
	ok(sched_at(&a, SCHED_HELD) == 3 && sched_at(&a, SCHED_AGAIN) == 0,
	    "a time that is set, and one that is not");
	ok(sched_next(&s) == 3, "the earliest");
	ok(sched_due(&s, 2, &reasons) == NULL, "it is not due before");
	ok(sched_due(&s, 9, &reasons) == &a &&
		reasons == (1u << SCHED_HELD | 1u << SCHED_SLOT),
	    "all reasons of the first time at once, none of a later one");
	ok(sched_due(&s, 9, &reasons) == &a && reasons == 1u << SCHED_PERIOD,
	    "of the same time: the first key");
	ok(a.times == NULL, "no memory for times when all were due");
	sched_set(&s, &a, SCHED_REQUEUE, 0);
	ok(sched_next(&s) == 1, "no time: as early as can be");
	ok(sched_due(&s, 9, &reasons) == &a && sched_next(&s) == 5,
	    "and again");
	sched_release(&s);
	ok(b.times == NULL && sched_at(&b, SCHED_PERIOD) == 0,
	    "none is set after the release");
}

static void
test_clear(void)
{
	struct sched s = {.clock = SCHED_INPUT};
	struct sched_timer a = timer("a"), b = timer("b");

	sched_clear(&s, &a, SCHED_HELD);
	sched_clear_all(&s, &a);
	sched_clear_but(&s, &a, SCHED_SLOT);
	ok(a.times == NULL, "nothing to clear");
	sched_set(&s, &a, SCHED_HELD, 3);
	sched_set(&s, &a, SCHED_SLOT, 4);
	sched_set(&s, &b, SCHED_SLOT, 5);
	sched_clear(&s, &a, SCHED_PERIOD);
	ok(sched_next(&s) == 3, "another reason is not cleared");
	sched_clear_but(&s, &a, SCHED_SLOT);
	ok(sched_next(&s) == 4 && sched_at(&a, SCHED_HELD) == 0,
	    "all but one are cleared");
	sched_clear(&s, &a, SCHED_SLOT);
	ok(sched_next(&s) == 5 && a.times == NULL, "the last one");
	sched_set(&s, &b, SCHED_HELD, 6);
	sched_clear_all(&s, &b);
	ok(sched_next(&s) == 0 && b.times == NULL, "all");
	sched_release(&s);
}

int
main(void)
{
	test_times();
	test_clear();
	return tap_done();
}
