/*
 * roster: the schedules of a run, in an order that a seed gives: each fault at each
 * request that the operator made in a clean play, and then pairs of them.
 */
#ifndef ROSTER_H
#define ROSTER_H

#include <jv.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "mishap.h"

enum { SCHEDULE_FAULTS = 2 };

struct schedule {
	size_t spec; /* 1: the first of specs.h, which has no fault; 0: none */
	size_t scenario; /* its place in the list */
	struct mishap faults[SCHEDULE_FAULTS];
	size_t count;
};

struct roster {
	struct arena arena;
	struct schedule *singles; /* owned */
	size_t count;
	uint64_t seed;
	const char *const *only; /* borrowed: kinds that are added */
	size_t only_count;	 /* 0: all */
};

void roster_init(struct roster *p, uint64_t seed);
void roster_release(struct roster *p);
/*
 * Adds what the requests of this record allow. The start of the operator is the
 * same in all: only of the first scenario. Where a leader is elected, this is
 * about the election: all faults of its requests, of which a few of each step are
 * taken, and what becomes of processes at the others.
 */
void roster_add(struct roster *p, size_t scenario, jv record_peek);
/* Adds those of lines, in a record in which they were counted. */
void roster_add_lines(struct roster *p, size_t scenario, jv record_peek);
/* All are added: gives them their order, in which all kinds of faults come in
 * turns, and of each kind all sorts of requests. */
void roster_order(struct roster *p);
/* The n-th schedule, from 0: the singles, then pairs without end. */
struct schedule roster_get(const struct roster *p, size_t n);

#endif
