// alone: it has functions in place of the tool's
/* cost: what was used between two moments, and nothing else. */
#include "program/program.h"

#include <time.h>

#include "program/evaluator.h"
#include "program/run.h"
#include "tap.h"

static struct program_losses losses = {.limited = 5, .crashed = 7};
static uint64_t programs_us = 1000;

struct program_losses
program_losses(void)
{
	return losses;
}

uint64_t
evaluator_cpu_us(void)
{
	return programs_us;
}

static void
use_cpu_time(void)
{
	clock_t until = clock() + 2 * CLOCKS_PER_SEC / 1000;

	while (clock() < until)
		;
}

static void
test_losses(void)
{
	struct cost all = cost_begin(COST_NO_TIME), c;

	losses.limited += 2;
	c = cost_begin(COST_NO_TIME);
	losses.crashed++;
	programs_us += 300;
	cost_end(&c);
	ok(c.limited == 0 && c.crashed == 1, "a crash since it began");
	ok(c.cpu_us == 0, "... and no time, which was not asked for");
	cost_end(&all);
	ok(all.limited == 2 && all.crashed == 1, "costs overlap");
	c = cost_begin(COST_NO_TIME);
	cost_end(&c);
	ok(c.limited == 0 && c.crashed == 0, "nothing happened");
}

static void
test_time(void)
{
	struct cost theirs = cost_begin(COST_PROGRAMS);
	struct cost all = cost_begin(COST_PROGRAMS_AND_OURS);

	programs_us += 300;
	use_cpu_time();
	cost_end(&theirs);
	cost_end(&all);
	ok(theirs.cpu_us == 300, "the time of the programs");
	ok(all.cpu_us >= 300 + 2000, "... and ours");
}

int
main(void)
{
	test_losses();
	test_time();
	return tap_done();
}
