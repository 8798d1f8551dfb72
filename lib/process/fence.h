/*
 * fence: the time until which kelect lets a process write; see doc/protocol.md,
 * Leadership.
 *
 * A fence is a pipe that ends when kelect is gone, and a page of memory with
 * the time until which its holder may write. A writer holds it:
 *
 * 	struct fence fence;
 * 	if (fence_from_env(&fence, &err) != 0) ...	(exit 100)
 * 	fence_watch(&fence, loop, out, arg);
 * 	kube_fence(kube, &fence);			(see kube.h)
 *
 * out is called once, when the fence is closed: the writer exits with 111.
 */
#ifndef FENCE_H
#define FENCE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "process/loop.h"

#define FENCE_ENV "KPIPE_FENCE"
#define FENCE_ENV_OLD "KPIPE_LEASH" /* the name before 0.2.0 */

/* The value in the page: clock_boot_ns(), or one of these. */
enum {
	FENCE_NOT_YET = 0, /* no leader yet: nothing may be written */
	FENCE_OVER = 1	   /* no leader any more */
};
#define FENCE_FOREVER UINT64_MAX /* only the pipe counts */

/* ---- the writer's side ---- */

typedef void fence_closed_fn(void *arg, const struct err *err);

struct fence {
	int pipe_fd; /* -1: there is no fence, everything is allowed */
	int page_fd;
	const _Atomic uint64_t *until; /* mapped */
	struct loop *loop;	       /* NULL: not watched */
	struct timer timer;
	fence_closed_fn *out;
	void *arg;
	struct err err; /* why it is out, when it is */
};

/* The name of the variable that is set; NULL: there is none. */
const char *fence_variable(void);

/*
 * From the environment; no variable: no fence, also 0. -1: the variable is
 * malformed (ERR_PERMANENT, names it). The descriptors become close-on-exec.
 */
int fence_from_env(struct fence *f, struct err *err);
void fence_release(struct fence *f);

/*
 * Calls out from the loop, once: when the pipe ends, and when the time is over
 * (which is watched from the first allowed fence_check on). A fence that does
 * not exist is never out.
 */
void fence_watch(
    struct fence *f, struct loop *loop, fence_closed_fn *out, void *arg);
/*
 * Whether a request that writes may go out now: 0, or -1 with err
 * (ERR_TRANSIENT). Looks at both, and costs one system call. Once out it stays
 * out, and out will be called.
 */
int fence_check(struct fence *f, struct err *err);

/* ---- the side of kelect, and of kpipe, which makes it for kelect ---- */

struct fence_ends {
	int read_fd;  /* for the writers */
	int write_fd; /* for kelect alone: any other holder keeps it open */
	int page_fd;  /* for the writers and kelect */
};

/* Made close-on-exec; the page says FENCE_NOT_YET. -1: ERR_TRANSIENT. */
int fence_make(struct fence_ends *e, struct err *err);
void fence_close(struct fence_ends *e); /* closes all that are not -1 */
/* Appends "KPIPE_FENCE=3,4", or with that name: the numbers that a writer will
 * see. */
void fence_env(struct buf *b, const char *name, int read_fd, int page_fd);

/* In a child, before exec: the writer's two descriptors stay open. */
void fence_inherit(const struct fence_ends *e);

/* The page as kelect writes it. NULL with err: not to be mapped. */
_Atomic uint64_t *fence_map(int page_fd, struct err *err);
void fence_unmap(const _Atomic uint64_t *page);

/*
 * Kelect makes it longer while its watchdog may end it: one of them is first. A
 * kelect that was stopped just before it writes the page learns by this that
 * its command is dead. extend: false if it has been ended. lapse: ends it if it
 * still is until then, or is false.
 */
bool fence_extend(_Atomic uint64_t *page, uint64_t until);
bool fence_lapse(_Atomic uint64_t *page, uint64_t until);

#endif
