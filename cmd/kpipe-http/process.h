/*
 * process: metrics of kpipe and its tools from the kernel: CPU time, memory,
 * descriptors. Prometheus' standard names (process_...) are sums over all of
 * them, because to a scraper they are one program; shared memory counts once
 * for each.
 */
#ifndef PROCESS_H
#define PROCESS_H

#include "report/metric.h"

/* Adds the samples of our parent, if that is kpipe, and of its children; else
 * of this process alone. */
void process_metrics(struct metric_lines *m);

#endif
