/*
 * accept: which format of metrics a client wants (RFC 9110, "Accept").
 */
#ifndef ACCEPT_H
#define ACCEPT_H

#include <stdbool.h>

#include "base/span.h"

/* Whether it names OpenMetrics, and not text/plain with a greater weight: a
 * server that has both would choose it. */
bool accept_openmetrics(struct span header);

#endif
