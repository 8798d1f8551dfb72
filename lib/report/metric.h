/*
 * metric: the table of all metrics, and the lines by which a tool reports its
 * samples (doc/protocol.md, Reports). What each means: doc/monitoring.md.
 *
 *	metric_lines_init(&m, "kapply", &buf);
 *	metric_add(&m, METRIC_APPLIED, METRIC_LABELS("created"), 12);
 *	metric_lines_end(&m);
 *
 * Names, types, labels and buckets of the first part of the table are those
 * of controller-runtime 0.25 (pkg/internal/controller/metrics,
 * pkg/internal/metrics/workqueue.go, pkg/metrics), so that its dashboards and
 * alerts go on working; the others begin with kpipe_.
 *
 * A label has few values, and nothing secret: a kind, a controller, a code;
 * never the name of an object, never a message.
 */
#ifndef METRIC_H
#define METRIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/span.h"

enum metric {
	METRIC_RECONCILE_TOTAL,
	METRIC_RECONCILE_ERRORS,
	METRIC_RECONCILE_TERMINAL_ERRORS,
	METRIC_RECONCILE_PANICS,
	METRIC_RECONCILE_TIMEOUTS,
	METRIC_RECONCILE_TIME,
	METRIC_MAX_CONCURRENT,
	METRIC_ACTIVE_WORKERS,
	METRIC_QUEUE_DEPTH,
	METRIC_QUEUE_ADDS,
	METRIC_QUEUE_DURATION,
	METRIC_QUEUE_WORK,
	METRIC_QUEUE_UNFINISHED,
	METRIC_QUEUE_LONGEST,
	METRIC_QUEUE_RETRIES,
	METRIC_REST_REQUESTS,
	METRIC_LEADER,
	METRIC_CERT_READS,
	METRIC_CERT_READ_ERRORS,
	METRIC_PROCESS_CPU,
	METRIC_PROCESS_RESIDENT,
	METRIC_PROCESS_VIRTUAL,
	METRIC_PROCESS_START,
	METRIC_PROCESS_OPEN_FDS,
	METRIC_PROCESS_MAX_FDS,
	/* ours */
	METRIC_READY,
	METRIC_STAGE_RUNNING,
	METRIC_STAGE_READY,
	METRIC_STAGE_STARTS,
	METRIC_STAGE_OOM_KILLS,
	METRIC_TOOL_CPU,
	METRIC_TOOL_RESIDENT,
	METRIC_BAD_LINES,
	METRIC_WATCH_EVENTS,
	METRIC_WATCH_RELISTS,
	METRIC_WATCH_RECONNECTS,
	METRIC_WATCH_COALESCED,
	METRIC_OBJECTS,
	METRIC_TOO_LARGE,
	METRIC_PRIMARIES,
	METRIC_PRIMARIES_HELD,
	METRIC_ORPHANS,
	METRIC_UNPROVEN,
	METRIC_SETS,
	METRIC_TOLERATED,
	METRIC_LOOPS,
	METRIC_UNSETTLED,
	METRIC_DELAYED,
	METRIC_SHADOW_DIFFERENCES,
	METRIC_SHADOW_FAILURES,
	METRIC_SHADOW_COMPARED,
	METRIC_APPLIED,
	METRIC_STALE,
	METRIC_PRUNES_HELD,
	METRIC_WRITES_HELD,
	METRIC_STATUS,
	METRIC_EVENTS,
	METRIC_DECISION_TIME,
	METRIC_TRACES,
	METRICS
};

enum metric_type { METRIC_COUNTER, METRIC_GAUGE, METRIC_HISTOGRAM };

enum {
	METRIC_LABELS_MAX = 3,
	METRIC_BUCKETS_MAX = 40,
	METRIC_LABEL_BYTES = 200, /* bytes of a value; more is cut off */
	METRIC_LINE_MAX = 4096	  /* PIPE_BUF: written in one piece */
};

struct metric_family {
	const char *name;
	enum metric_type type;
	const char *labels[METRIC_LABELS_MAX]; /* names of the labels */
	const char *help;
	const double *buckets; /* METRIC_HISTOGRAM: upper bounds, */
	size_t bucket_count;   /* without +Inf */
};
extern const struct metric_family metric_families[METRICS];

/* The values of a family's labels, in its order. */
struct metric_labels {
	const char *values[METRIC_LABELS_MAX];
};
#define METRIC_LABELS(...) (&(const struct metric_labels){{__VA_ARGS__}})

/* Zeroed: nothing was observed. */
struct metric_histogram {
	uint64_t
	    buckets[METRIC_BUCKETS_MAX + 1]; /* each by itself; last: +Inf */
	uint64_t count;
	double sum;
};
/* Returns the number of the bucket. */
size_t metric_observe(
    struct metric_histogram *h, enum metric id, double seconds);

/* The newest observation of a bucket that is also a trace. */
struct metric_exemplar {
	char trace_id[33]; /* hex digits; empty: none */
	double seconds;
	int64_t us; /* since 1970 */
};

/* Writes lines to out, each complete and at most METRIC_LINE_MAX long. */
struct metric_lines {
	const char *tool; /* borrowed */
	struct buf *out;  /* borrowed */
	size_t start;	  /* start of the line that is open */
	bool open;
};
void metric_lines_init(
    struct metric_lines *m, const char *tool, struct buf *out);
void metric_lines_end(struct metric_lines *m);
/* labels NULL: the family has none. */
void metric_add(struct metric_lines *m, enum metric id,
    const struct metric_labels *labels, double value);
void metric_add_histogram(struct metric_lines *m, enum metric id,
    const struct metric_labels *labels, const struct metric_histogram *h);
/* exemplars: one for each bucket, +Inf included. */
void metric_add_exemplary(struct metric_lines *m, enum metric id,
    const struct metric_labels *labels, const struct metric_histogram *h,
    const struct metric_exemplar *exemplars);

/* name{label="value",...}, as Prometheus wants it. */
void metric_series(struct buf *b, enum metric id, const char *suffix,
    const struct metric_labels *labels, const char *le);
/* A sample's value: whole numbers without a point. */
void metric_add_value(struct buf *b, double value);

/*
 * The family of a series as metric_series writes it, or -1: an unknown name,
 * labels other than the family's, a value that is not escaped as it must be.
 */
int metric_of_series(struct span series);

#endif
