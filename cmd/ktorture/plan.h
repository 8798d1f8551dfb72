/*
 * plan: the schedules of a run, in an order that a seed gives: each fault at each
 * request that the operator made in a clean play, and then pairs of them.
 */
#ifndef PLAN_H
#define PLAN_H

#include <jv.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "fault.h"

enum { SCHEDULE_FAULTS = 2 };

struct schedule {
	size_t scenario; /* its place in the list */
	struct fault faults[SCHEDULE_FAULTS];
	size_t count;
};

struct plan {
	struct arena arena;
	struct schedule *singles; /* owned */
	size_t count;
	uint64_t seed;
};

void plan_init(struct plan *p, uint64_t seed);
void plan_release(struct plan *p);
/* Adds what the requests of this record allow. The start of the operator is the
 * same in all: only of the first scenario. */
void plan_add(struct plan *p, size_t scenario, jv record_peek);
/* All are added: gives them their order, in which all groups come in turns. */
void plan_order(struct plan *p);
/* The n-th schedule, from 0: the singles, then pairs without end. */
struct schedule plan_get(const struct plan *p, size_t n);

#endif
