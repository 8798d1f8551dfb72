/*
 * frames: cuts the body of a watch into its lines, as it arrives.
 *
 * A line that arrived whole is not copied; only a line that goes on in the next
 * piece is.
 */
#ifndef FRAMES_H
#define FRAMES_H

#include "base/buf.h"
#include "base/span.h"

/* Objects of Kubernetes are much smaller: requests end at 3 MiB. */
enum { FRAMES_MAX = 16 * 1024 * 1024 };

struct frames {
	struct buf rest; /* the beginning of a line */
};

typedef void frames_fn(void *arg, struct span line);

/*
 * Calls fn for each whole line (without its newline; empty ones not), as long
 * as *stop is zero. -1: a line is longer than FRAMES_MAX.
 */
int frames_add(struct frames *f, struct span bytes, frames_fn *fn, void *arg,
    const int *stop);
void frames_reset(struct frames *f);
void frames_release(struct frames *f);

#endif
