/*
 * inflate: reads what zlib has compressed with the dictionary of SPDY/3 and
 * flushed at the end of each frame: header blocks. A small reader of our own,
 * so that kapi needs no library for it. Source: RFC 1950, RFC 1951.
 */
#ifndef INFLATE_H
#define INFLATE_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/span.h"

/* Zeroed memory is the beginning of a connection. */
struct inflater {
	struct buf window; /* the dictionary, and what was read last */
	bool begun;
};

void inflate_release(struct inflater *i);
/* Appends what one frame holds, all of it and at most max bytes. -1: it is
 * broken, or larger; the connection cannot go on. */
int inflate_frame(
    struct inflater *i, struct span in, size_t max, struct buf *out);

#endif
