/*
 * inflate: reads what zlib has compressed with the dictionary of SPDY/3 and
 * flushed at the end of each frame: header blocks. Source: SPDY Protocol -
 * Draft 3.1, section 2.6.10.1.
 */
#ifndef INFLATE_H
#define INFLATE_H

#include <stdbool.h>
#include <zlib.h>

#include "base/buf.h"
#include "base/span.h"

/* Zeroed memory is the beginning of a connection. */
struct inflater {
	z_stream stream;
	bool begun;
};

void inflate_release(struct inflater *i);
/* Appends what one frame holds, all of it and at most max bytes. -1: it is
 * broken, or larger; the connection cannot go on. */
int inflate_frame(
    struct inflater *i, struct span in, size_t max, struct buf *out);

#endif
