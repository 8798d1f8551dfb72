/*
 * stats: the counters of a controller, for --report-fd. Durations are in real
 * time, also with --clock=input.
 */
#ifndef STATS_H
#define STATS_H

#include <stddef.h>
#include <stdint.h>

#include "report/metric.h"

enum stats_result {
	STATS_SUCCESS,
	STATS_ERROR,
	STATS_REQUEUE_AFTER, /* the program asked to be called again */
	STATS_RESULTS
};

/* Zeroed: nothing was counted. */
struct stats {
	uint64_t results[STATS_RESULTS];
	uint64_t limited; /* errors because a limit was met */
	uint64_t crashed; /* errors because jq crashed */
	uint64_t adds, retries, sets, tolerated, loops, unsettled;
	uint64_t delayed;  /* evaluations, by evaluationsPerMinute */
	uint64_t compared; /* primaries, by --against */
	uint64_t taken;	   /* hidden values, see hidden_taken */
	uint64_t guessed;  /* answers that may depend on hidden values */
	size_t queued;	   /* primaries in the queue now */
	struct metric_histogram wait, work, reconcile;
};

struct entries;

/* A primary was queued; returns the time for stats_taken. */
int64_t stats_queued(struct stats *s);
/* A primary is taken out of the queue. */
void stats_taken(struct stats *s, int64_t queued_us);
/* An evaluation has ended that began at began_us (clock_real_us). */
void stats_evaluated(
    struct stats *s, int64_t began_us, enum stats_result result);

/* All samples of all controllers. bad_lines: of the input. */
void stats_metrics(
    const struct entries *es, uint64_t bad_lines, struct metric_lines *m);

#endif
