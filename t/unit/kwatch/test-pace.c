/* pace: the delays of a watch that fails. */
#include "pace.h"

#include "tap.h"

static bool
within(uint64_t ms, uint64_t least)
{
	return ms >= least && ms <= 2 * least;
}

/* Fails so often that the delay no longer grows. */
static uint64_t
worst(struct pace *p, enum pace_why why, int64_t told_ms)
{
	for (int i = 0; i < 10; i++)
		pace_wait(p, why, told_ms, 1000);
	return pace_wait(p, why, told_ms, 1000);
}

int
main(void)
{
	struct pace p = {0};

	ok(within(pace_wait(&p, PACE_FAILED, -1, 1000), 800) &&
		within(pace_wait(&p, PACE_FAILED, -1, 1000), 1600) &&
		within(pace_wait(&p, PACE_FAILED, -1, 1000), 3200),
	    "they double");
	ok(within(worst(&p, PACE_FAILED, -1), 15000), "to 15 s");
	ok(within(worst(&p, PACE_DENIED, -1), 8000), "where denied to 8 s");
	ok(within(worst(&p, PACE_CHEAP, -1), 4000), "where cheap to 4 s");
	ok(within(worst(&p, PACE_FAILED, 1000), 4000),
	    "where the server says when, too");
	ok(worst(&p, PACE_FAILED, 30000) == 30000, "it is heeded");
	ok(worst(&p, PACE_FAILED, 999999) == 60000, "within bounds");

	pace_began(&p, 5000);
	ok(within(pace_wait(&p, PACE_FAILED, -1, 14999), 15000),
	    "a stream of less than 10 s mends nothing");
	pace_began(&p, 5000);
	ok(within(pace_wait(&p, PACE_FAILED, -1, 15000), 800),
	    "one of 10 s does");
	ok(within(pace_wait(&p, PACE_FAILED, -1, 99000), 1600),
	    "and is forgotten then");

	ok(pace_wait_expired(&p, 1000) == 0, "a gap costs no time");
	ok(pace_wait_expired(&p, 2000) > 0, "the second one in a row does");
	ok(pace_wait_expired(&p, 123000) == 0, "not much later");

	worst(&p, PACE_FAILED, -1);
	pace_sent(&p, 1000);
	pace_began(&p, 2000);
	pace_sent(&p, 12000);
	ok(within(pace_wait(&p, PACE_FAILED, -1, 12000), 800),
	    "a good stream that just ended counts as well");

	pace_sent(&p, 9000);
	ok(pace_is_short(&p, 9999) && !pace_is_short(&p, 10000),
	    "a stream is short up to a second");
	return tap_done();
}
