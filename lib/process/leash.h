/*
 * leash: the time until which kelect lets a process write; see doc/protocol.md,
 * Leadership.
 *
 * A leash is a pipe that ends when kelect is gone, and a page of memory with
 * the time until which its holder may write. A writer holds it:
 *
 * 	struct leash leash;
 * 	if (leash_from_env(&leash, &err) != 0) ...	(exit 100)
 * 	leash_watch(&leash, loop, out, arg);
 * 	kube_hold(kube, &leash);			(see kube.h)
 *
 * out is called once, when the leash is out: the writer exits with 111.
 */
#ifndef LEASH_H
#define LEASH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "process/loop.h"

#define LEASH_ENV "KPIPE_LEASH"

/* The value in the page: clock_boot_ns(), or one of these. */
enum {
	LEASH_NOT_YET = 0, /* no leader yet: nothing may be written */
	LEASH_OVER = 1	   /* no leader any more */
};
#define LEASH_FOREVER UINT64_MAX /* only the pipe counts */

/* ---- the writer's side ---- */

typedef void leash_out_fn(void *arg, const struct err *err);

struct leash {
	int pipe_fd; /* -1: there is no leash, everything is allowed */
	int page_fd;
	const _Atomic uint64_t *until; /* mapped */
	struct loop *loop;	       /* NULL: not watched */
	struct timer timer;
	leash_out_fn *out;
	void *arg;
	struct err err; /* why it is out, when it is */
};

/*
 * From the environment; no variable: no leash, also 0. -1: the variable is
 * malformed (ERR_PERMANENT, names it). The descriptors become close-on-exec.
 */
int leash_from_env(struct leash *l, struct err *err);
void leash_release(struct leash *l);

/*
 * Calls out from the loop, once: when the pipe ends, and when the time is over
 * (which is watched from the first allowed leash_check on). A leash that does
 * not exist is never out.
 */
void leash_watch(
    struct leash *l, struct loop *loop, leash_out_fn *out, void *arg);
/*
 * Whether a request that writes may go out now: 0, or -1 with err
 * (ERR_TRANSIENT). Looks at both, and costs one system call. Once out it stays
 * out, and out will be called.
 */
int leash_check(struct leash *l, struct err *err);

/* ---- the side of kelect, and of kpipe, which makes it for kelect ---- */

struct leash_ends {
	int read_fd;  /* for the writers */
	int write_fd; /* for kelect alone: any other holder keeps it open */
	int page_fd;  /* for the writers and kelect */
};

/* Made close-on-exec; the page says LEASH_NOT_YET. -1: ERR_TRANSIENT. */
int leash_make(struct leash_ends *e, struct err *err);
void leash_close(struct leash_ends *e); /* closes all that are not -1 */
/* Appends "KPIPE_LEASH=3,4": the numbers that a writer will see. */
void leash_env(struct buf *b, int read_fd, int page_fd);

/* In a child, before exec: the writer's two descriptors stay open. */
void leash_inherit(const struct leash_ends *e);

/* The page as kelect writes it. NULL with err: not to be mapped. */
_Atomic uint64_t *leash_map(int page_fd, struct err *err);
void leash_unmap(const _Atomic uint64_t *page);

/*
 * Kelect makes it longer while its guard may end it: one of them is first. A
 * kelect that was stopped just before it writes the page learns by this that
 * its command is dead. extend: false if it has been ended. lapse: ends it if it
 * still is until then, or is false.
 */
bool leash_extend(_Atomic uint64_t *page, uint64_t until);
bool leash_lapse(_Atomic uint64_t *page, uint64_t until);

#endif
