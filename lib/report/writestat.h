/*
 * writestat: counters of the writing tools, by controller: failed writes, which
 * are failed reconciliations in the metrics, and primaries with requests under
 * way. A controller is named as ireconcile and the logs name it: kind.group of
 * the primary, in lower case.
 */
#ifndef WRITESTAT_H
#define WRITESTAT_H

#include "base/map.h"
#include "base/span.h"
#include "report/metric.h"

struct writestat {
	char *name; /* owned */
	uint64_t errors;
	uint64_t max; /* limit of primaries at work */
	/* Counted again for each report, by writestat_busy. */
	uint64_t active, busy_ms, longest_ms;
};

/* Zeroed memory is an empty one. */
struct writestats {
	struct map by_name; /* struct writestat, owned */
};

/* The one of that kind, made if there is none; lives as long as t. */
struct writestat *writestat_of(
    struct writestats *t, struct span group, struct span kind, uint64_t max);
void writestats_release(struct writestats *t);

/* Before a report: writestats_begin, then writestat_busy for each primary with
 * requests under way. */
void writestats_begin(struct writestats *t);
void writestat_busy(struct writestat *t, uint64_t ms);

void writestats_metrics(const struct writestats *t, struct metric_lines *m);
/* Only the errors: for a tool that does not work by keys. */
void writestats_errors(const struct writestats *t, struct metric_lines *m);

#endif
