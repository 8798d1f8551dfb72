/*
 * against: what another watches file and its programs would decide: --against.
 *
 * Two reconcilers have the same input. When both are done with a piece of it,
 * each primary that changed in either is decided about by both, at the same
 * time of day; the whole sets are compared, and what differs is printed, object
 * by object: when it first differs, when the difference is another one, and
 * when it is over.
 *
 * Nothing is requested here. So a decision depends on what was observed, not on
 * lines printed before: nothing is in a loop, held back or tolerated.
 */
#ifndef AGAINST_H
#define AGAINST_H

#include "against/telling.h"
#include "reconciler.h"
#include "report/metric.h"
#include "verdict.h"

enum { AGAINST_BEFORE, AGAINST_AFTER, AGAINST_SIDES };

struct against_primary;

struct against {
	struct reconciler sides[AGAINST_SIDES];
	struct out *out; /* borrowed; taken lines may wait in it */
	enum telling_format format;
	struct map primaries; /* by key: struct against_primary, owned */
	struct against_primary **pending; /* to be compared; borrowed */
	size_t pending_count;
	bool assumed, lacks; /* see assume; a kind was not in the input */
	/* Primaries so far; unknown: those that were not compared, at the end;
	 * guessed: those that look into hidden values. */
	size_t compared, differed, unknown, guessed;
};

/* Set clock, format, out, and es.proof of the sides before. The watches are
 * borrowed. -1 with err. */
int against_init(struct against *a,
    const struct watches *const watches[AGAINST_SIDES],
    const char *const *library_dirs, struct err *err);
void against_release(struct against *a);

/* A checked document of the input. By the clock of the input, all that it
 * causes is compared. -1 with err if it is not valid. */
int against_document(struct against *a, struct span text, struct err *err);
/* The real clock: fires the timers that are due. */
void against_timers(struct against *a);
/* The earliest time set in either, in ticks (sched.h); 0: none. */
int64_t against_next(const struct against *a);
/* Compares all that is pending. */
void against_compare(struct against *a);
/* The input has ended: the rest is complete; logs a summary. */
void against_end(struct against *a);

/* Every kind of both was complete once. */
bool against_ready(const struct against *a);
/* How many differ now, how many fail with both, and comparisons, by controller. */
void against_metrics(const struct against *a, struct metric_lines *m);

/* Of verdict.h, at the end: UNKNOWN if what did not differ was not compared, not
 * all the time, or not with the whole input. */
int against_verdict(const struct against *a);

#endif
