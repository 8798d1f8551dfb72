/*
 * duration: as Go and Kubernetes spell it: "1h30m", "15m", "0.5s", "300ms".
 * Source: time.ParseDuration.
 */
#ifndef DURATION_H
#define DURATION_H

#include <stdint.h>

#include "base/buf.h"
#include "base/span.h"

/* Up to some 292 years either way. -1: it is not a duration; Go's message is
 * appended to wrong (may be NULL). */
int duration_parse(struct span text, int64_t *ns, struct buf *wrong);

/* A duration without a sign, in whole milliseconds; the rest is cut off. */
int duration_parse_ms(struct span text, uint64_t *ms);

#endif
