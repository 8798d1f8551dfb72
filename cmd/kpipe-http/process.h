/*
 * process: what the kernel says of kpipe and its tools: CPU time, memory,
 * descriptors. Prometheus' own names (process_...) are of all of them
 * together, because they are one program to a scraper; memory that they
 * share counts once for each.
 */
#ifndef PROCESS_H
#define PROCESS_H

#include "report/metric.h"

/* Adds the samples of our parent, if that is kpipe, and of its children; else
 * of this process alone. */
void process_metrics(struct metric_lines *m);

#endif
