/*
 * cost: what an evaluation used: CPU time, and calls that were lost.
 *
 *	struct cost c = cost_begin(COST_PROGRAMS);
 *	...
 *	cost_end(&c);
 *
 * Costs may overlap.
 */
#ifndef COST_H
#define COST_H

#include <stdint.h>

/* The processes whose CPU time counts. Where all goes by the clock of the
 * input, no time counts: the result must not depend on it. */
enum cost_time { COST_NO_TIME, COST_PROGRAMS, COST_PROGRAMS_AND_OURS };

struct cost {
	enum cost_time time;
	uint64_t cpu_us;
	uint64_t limited; /* calls that ended at a limit */
	uint64_t crashed; /* calls that crashed in jq */
};

struct cost cost_begin(enum cost_time time);
/* *c becomes what was used since cost_begin. */
void cost_end(struct cost *c);

#endif
