/*
 * segmentline: the lines that krecord itself adds to a recording.
 */
#ifndef SEGMENTLINE_H
#define SEGMENTLINE_H

#include <stdint.h>

#include "base/buf.h"
#include "base/span.h"

/* Both append a line with its newline. facts: more members, as
 * `"digests":"9f...","programs":{...}`; or empty. */
void segmentline_add(
    struct buf *b, uint64_t sequence, const char *time, struct span facts);
/* Some lines of that stream were lost. */
void segmentline_add_gap(struct buf *b, const char *time, const char *stream);

#endif
