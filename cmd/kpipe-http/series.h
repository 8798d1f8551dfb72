/*
 * series: the newest samples of all tools, and their page.
 *
 * Samples of several tools with the same name and labels (requests to the API
 * server, say) are added up: to a scraper the pipeline is one program. A stage
 * that is restarted counts from 0, so its earlier counts are added: counters
 * only grow, as if it had never ended.
 */
#ifndef SERIES_H
#define SERIES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/map.h"
#include "base/span.h"
#include "report/metric.h"

enum {
	SERIES_TOOLS_MAX = 16,
	SERIES_MAX = 10000 /* a sample more is an error */
};

struct series_sample {
	struct series_sample *next; /* next of the family, in order */
	char *series;		    /* owned: name{labels} */
	struct span labels;	    /* the labels in series, without le */
	int part;		    /* _bucket, _sum or _count of a histogram */
	bool bucket;	/* bucket of a histogram; may have an exemplar */
	double le;	/* bound of a bucket */
	double kept;	/* sum of runs that are over; counters only */
	uint32_t tools; /* bits: tools that have a value */
	double values[SERIES_TOOLS_MAX];
	char *exemplar; /* owned: as OpenMetrics writes it; NULL: none */
};

enum series_format {
	SERIES_TEXT,	   /* the text format of Prometheus 0.0.4 */
	SERIES_OPENMETRICS /* OpenMetrics 1.0, which has exemplars */
};

/* Zeroed: empty. */
struct series {
	struct map by_name;
	struct series_sample *first[METRICS];
};

void series_release(struct series *s);

/*
 * The samples of one line, {"name{labels}":1,...}, of this tool, where a bucket
 * may have an exemplar: [1,{"trace_id":"...","value":0.1,"time":1800000000.5}].
 * -1 with err for the first one that is not valid; the others are taken all the
 * same.
 */
int series_take(
    struct series *s, unsigned tool, struct span samples, struct err *err);
/* The tool was started again. */
void series_restart(struct series *s, unsigned tool);

/*
 * The page, appended; gauges only of the tools whose bits are set: those of a
 * tool that does not run mean nothing.
 */
void series_write(const struct series *s, enum series_format format,
    uint32_t running, struct buf *b);

#endif
