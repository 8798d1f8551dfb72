/*
 * Part of program/program.h: what an evaluation used: CPU time, and calls that
 * were lost.
 */
#include "program/program.h"

#include <time.h>

#include "program/evaluator.h"
#include "program/run.h"

static uint64_t
our_cpu_us(void)
{
	struct timespec t;

	if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t) != 0)
		return 0;
	return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

struct cost
cost_begin(enum cost_time time)
{
	struct program_losses losses = program_losses();
	struct cost c = {
	    .time = time, .limited = losses.limited, .crashed = losses.crashed};

	if (time != COST_NO_TIME)
		c.cpu_us = evaluator_cpu_us();
	if (time == COST_PROGRAMS_AND_OURS)
		c.cpu_us += our_cpu_us();
	return c;
}

void
cost_end(struct cost *c)
{
	struct cost now = cost_begin(c->time);

	c->cpu_us = now.cpu_us - c->cpu_us;
	c->limited = now.limited - c->limited;
	c->crashed = now.crashed - c->crashed;
}
