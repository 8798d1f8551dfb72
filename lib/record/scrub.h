/*
 * scrub: takes the values of an object (a Secret, a ConfigMap, one with hidden
 * fields) out of a text that others wrote about it, such as the refusal of a
 * policy.
 *
 * Each run of SCRUB_RUN bytes or more that the text has in common with a value,
 * and each shorter value that stands alone, becomes "...". Values count as they
 * are, in base64, and as JSON escapes them; those of every
 * member but apiVersion, kind, type, immutable and metadata.
 */
#ifndef SCRUB_H
#define SCRUB_H

#include "base/buf.h"
#include "base/span.h"

/* A longer text is not looked at further; it is cut there. */
enum { SCRUB_RUN = 8, SCRUB_TEXT_MAX = 2048 };

/* Appends text without the values of object (checked JSON). */
void scrub_add(struct buf *b, struct span text, struct span object);

#endif
