/*
 * reportfd: the reports of a tool on --report-fd: an empty line when it is ready,
 * then its counters and metrics as lines of JSON, 5 s after something happened
 * in the loop and only those that changed; and at once, also before, why it is
 * not ready. A tool to which nothing happens is not woken for a report.
 *
 * It never waits for the reader: a slow reader misses lines; when the reader is
 * gone, reports end. SIGPIPE must be ignored by the caller.
 */
#ifndef REPORTFD_H
#define REPORTFD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "process/loop.h"
#include "report/metric.h"

/* Appends the counters, each by reportfd_count. */
typedef void reportfd_fn(void *arg, struct buf *b);
/* Adds the samples. */
typedef void reportfd_metrics_fn(void *arg, struct metric_lines *m);

struct reason;
struct reportfd {
	struct loop *loop; /* borrowed */
	const char *tool;  /* borrowed */
	int fd;		   /* -1: none */
	reportfd_fn *fill;
	reportfd_metrics_fn *metrics; /* may be NULL */
	void *arg;
	bool ready;
	uint64_t *said; /* owned: digests of the lines, by their place */
	size_t said_count;
	struct reason *reasons; /* why it is not ready, in order of names */
	bool unsaid;		/* reasons changed, and the pipe was full */
};

/* fill NULL: no counters and metrics. */
void reportfd_init(struct reportfd *r, struct loop *l, const char *tool, int fd,
    reportfd_fn *fill, void *arg);
/* Call it before the tool is ready. fn is called with the arg of fill. */
void reportfd_metrics(struct reportfd *r, reportfd_metrics_fn *fn);
void reportfd_release(struct reportfd *r);

/* The tool is ready. Later calls do nothing. */
void reportfd_ready(struct reportfd *r);
/* Another report follows after 5 s, although nothing may happen until then: a
 * sample of this one changes with the time. */
void reportfd_again(struct reportfd *r);
/* Counters and metrics now, if the tool is ready: at the end, or right at the
 * start. */
void reportfd_send(struct reportfd *r);

/*
 * Part of the tool's work fails: `about` names it ("Secret"), `text` says why,
 * without secrets; NULL: it works again. Reported at once if it is new, also
 * before the tool is ready for the first time.
 */
void reportfd_unready(struct reportfd *r, const char *about, const char *text);

/* Says {NAME: {COUNTS}} at once. -1: not ready, or the pipe is full. */
int reportfd_now(struct reportfd *r, const char *name, struct span counts);

void reportfd_count(struct buf *b, const char *name, uint64_t n);

#endif
