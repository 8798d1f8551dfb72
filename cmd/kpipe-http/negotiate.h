/*
 * negotiate: which format of metrics a client wants (RFC 9110, "Accept").
 */
#ifndef NEGOTIATE_H
#define NEGOTIATE_H

#include <stdbool.h>

#include "base/span.h"

/* Whether it names OpenMetrics, and not text/plain with a greater weight: a
 * server that has both would choose it. */
bool negotiate_openmetrics(struct span header);

#endif
