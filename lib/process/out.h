/*
 * out: writes lines to a pipe without ever blocking.
 *
 * Lines are collected and written when the loop has nothing else ready, or at
 * once when many wait. out_full says that the reader is slower than we are:
 * then a stage delays work whose result may still change (ireconcile its
 * evaluations, kwatch its coalesced objects), and goes on from on_room.
 */
#ifndef OUT_H
#define OUT_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"
#include "process/loop.h"

struct out {
	struct loop *loop; /* borrowed */
	int fd;		   /* ours if reopened, else the one given */
	int given_fd;
	struct buf pending;
	size_t written; /* bytes of pending that are written */
	loop_fn *on_room;
	void *on_room_arg;
	bool waiting; /* for the fd to become writable */
	bool failed;
	struct err err;
};

/*
 * Writes to fd from now on. A pipe or terminal is opened again if possible, so
 * that O_NONBLOCK does not affect processes that share it. SIGPIPE must be
 * ignored by the caller.
 */
void out_init(struct out *o, struct loop *l, int fd);
void out_release(struct out *o);

/* Called when out_full was true and no longer is. */
void out_on_room(struct out *o, loop_fn *fn, void *arg);

/* Adds a line; the newline is added here. */
void out_line(struct out *o, struct span line);
/* The buffer to append lines to, newlines included; then call out_added. */
struct buf *out_buf(struct out *o);
void out_added(struct out *o);

/* More than OUT_FULL bytes are waiting, or the reader is gone. */
enum { OUT_FULL = 65536 };
bool out_full(const struct out *o);
bool out_empty(const struct out *o);

/*
 * Tries to write what is there. -1: nothing will be written any more, and
 * o->err says why. ERR_GONE: the reader is gone. ERR_TRANSIENT: the disk is
 * full, say, which another start may find mended.
 */
int out_flush(struct out *o);
/* out_flush that waits as long as it takes: for the end of a tool. */
int out_drain(struct out *o);

#endif
