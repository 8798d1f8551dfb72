/*
 * segmentline: the lines that krecord itself adds to a recording: the first line
 * of a segment, and gap lines. Each function appends a line with its newline.
 */
#ifndef SEGMENTLINE_H
#define SEGMENTLINE_H

#include <stdint.h>

#include "base/buf.h"
#include "base/span.h"
#include "conf/watches.h"

/* facts: more members, as `"digests":"9f...","programs":{...}`; or empty. */
void segmentline_add(
    struct buf *b, uint64_t sequence, const char *time, struct span facts);
/* Some lines of that stream were lost. */
void segmentline_add_gap(struct buf *b, const char *time, const char *stream);

/*
 * Appends the versions of the programs, for facts: {"Kind.group": "FILE DIGEST"}
 * of all entries. The digest is the first 16 hex digits of the SHA-256 of all *.jq
 * of the program's folder, in the order of their names, since it may include
 * them; it is left out if they cannot be read.
 */
void segmentline_add_programs(struct buf *b, const struct watches *w);

#endif
