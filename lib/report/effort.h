/*
 * effort: counters of the writing tools, by controller: failed writes, which
 * are failed reconciliations in the metrics, and primaries with requests under
 * way. A controller is named as ireconcile and the logs name it: kind.group of
 * the primary, in lower case.
 */
#ifndef EFFORT_H
#define EFFORT_H

#include "base/map.h"
#include "base/span.h"
#include "report/metric.h"

struct effort {
	char *name; /* owned */
	uint64_t errors;
	uint64_t max; /* limit of primaries at work */
	/* Counted again for each report, by effort_busy. */
	uint64_t active, busy_ms, longest_ms;
};

/* Zeroed memory is an empty one. */
struct efforts {
	struct map by_name; /* struct effort, owned */
};

/* The one of that kind, made if there is none; lives as long as t. */
struct effort *effort_of(
    struct efforts *t, struct span group, struct span kind, uint64_t max);
void efforts_release(struct efforts *t);

/* Before a report: efforts_begin, then effort_busy for each primary with
 * requests under way. */
void efforts_begin(struct efforts *t);
void effort_busy(struct effort *t, uint64_t ms);

void efforts_metrics(const struct efforts *t, struct metric_lines *m);
/* Only the errors: for a tool that does not work by keys. */
void efforts_errors(const struct efforts *t, struct metric_lines *m);

#endif
