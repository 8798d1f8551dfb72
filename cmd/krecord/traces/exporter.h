/*
 * exporter: krecord spans --endpoint: reads a recording that goes on, from
 * standard input, and sends each decision as a trace (spanline.h) to a server
 * (courier.h), at most `batch` in one request, or those that make
 * SPANLINE_BYTES, EXPORTER_WAIT_MS after the first of them. While much waits for
 * a server that works it does not read, for at most EXPORTER_PAUSE_MS. Told to
 * end, it reads what has come, and sends it.
 *
 * How long decisions take, from the first event to the last answer, is a metric,
 * whose exemplars name the traces.
 */
#ifndef EXPORTER_H
#define EXPORTER_H

#include <stddef.h>

#include "base/err.h"

enum {
	EXPORTER_WAIT_MS = 1000,
	EXPORTER_PAUSE_MS = 5000,
	EXPORTER_END_MS = 1000 /* told to end: so long it goes on sending */
};

/* Until the input has ended, and all was sent. batch: decisions in one request.
 * report_fd: -1: none. -1 with err; else *lost is the number of traces that were
 * not sent. */
int exporter_run(const char *endpoint, size_t batch, int report_fd,
    unsigned long long *lost, struct err *err);

#endif
