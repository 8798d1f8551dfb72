/*
 * frames: cuts the body of a watch into its lines, as it arrives.
 *
 * A line that arrived whole is not copied; only a line that goes on in the next
 * piece is. Of a line that is too long only the identity of its object is kept.
 */
#ifndef FRAMES_H
#define FRAMES_H

#include "base/buf.h"
#include "base/span.h"
#include "json/stream.h"
#include "record/sketch.h"

/* The line that is made of it is one of protocol. */
enum { FRAMES_MAX = STREAM_WRITE_MAX };

struct frames {
	struct buf rest;      /* the beginning of a line */
	struct sketch sketch; /* a line that is too long; or nothing */
};

/* length: of a line beyond FRAMES_MAX, and line is its sketch; else 0. */
typedef void frames_fn(void *arg, struct span line, uint64_t length);

/*
 * Calls fn for each whole line (without its newline; empty ones not), as long
 * as *stop is zero. -1: a line is longer than FRAMES_MAX, and has no identity.
 */
int frames_add(struct frames *f, struct span bytes, frames_fn *fn, void *arg,
    const int *stop);
void frames_reset(struct frames *f);
void frames_release(struct frames *f);

#endif
