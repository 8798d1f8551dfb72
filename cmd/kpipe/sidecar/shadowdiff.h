/*
 * shadowdiff: what the program of --shadow decides otherwise (lines of
 * ireconcile --against, doc/recording.md): a line of the log for each object,
 * and an Event about a primary when it begins to differ, when it cannot be
 * compared, because both programs fail, and when it agrees again.
 *
 * All of it is bounded, because a program may decide otherwise about everything
 * at once: SHADOWDIFF_LOGGED lines of the log in a window, then their number;
 * SHADOWDIFF_TOLD Events, the others in later windows; SHADOWDIFF_PRIMARIES_MAX
 * primaries, the others are only logged.
 */
#ifndef SHADOWDIFF_H
#define SHADOWDIFF_H

#include <stdbool.h>
#include <stddef.h>

#include "base/map.h"
#include "base/span.h"
#include "conf/watches.h"
#include "process/loop.h"

enum {
	SHADOWDIFF_WINDOW_MS = 10000,
	SHADOWDIFF_LOGGED = 20,
	SHADOWDIFF_TOLD = 10,
	SHADOWDIFF_PRIMARIES_MAX = 10000,
	SHADOWDIFF_OBJECTS_MAX = 1000 /* counted objects of a primary */
};

/* Hands on an Event (failure/notice.h). False: not now. */
typedef bool shadowdiff_tell_fn(void *arg, struct span line);

/* The first part is the owner's to set, the rest zeroed. */
struct shadowdiff {
	struct loop *loop;	       /* borrowed */
	const struct watches *watches; /* borrowed: the operator's */
	const char *path;	       /* borrowed: of the other file */
	shadowdiff_tell_fn *tell;
	void *arg;

	struct map primaries; /* owned, by key */
	bool due;	      /* an Event may be due */
	bool unsure;	      /* the process tells all differences again */
	bool full;	      /* logged that there are too many primaries */
	struct timer window;  /* armed while the window is open */
	size_t logged, unlogged, told;
};

/* A line, checked as JSON. */
void shadowdiff_take(struct shadowdiff *d, struct span line);
/* All lines that were there are taken: reports what is due. */
void shadowdiff_settle(struct shadowdiff *d);
/* The process has ended; the next one will tell all that differs again, */
void shadowdiff_again(struct shadowdiff *d);
/* ... and has told it: whatever is not told any more agrees. */
void shadowdiff_whole(struct shadowdiff *d);
void shadowdiff_release(struct shadowdiff *d);

#endif
