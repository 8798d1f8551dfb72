/*
 * opstate: what a recording says about the operator itself, one sentence for
 * each: starts and stops, versions of kpipe and of the programs, the leader,
 * stages that were started again, why it is not ready.
 *
 *	the operator started again, 5 s after it stopped: Thing.example.com by
 *	reconcile.jq 0123456789abcdef -> reconcile.jq fedcba9876543210
 *
 * A segment repeats what is known, and so does a new process: that is not told
 * again.
 */
#ifndef OPSTATE_H
#define OPSTATE_H

#include <stdint.h>

#include "base/buf.h"
#include "base/span.h"
#include "base/textlist.h"
#include "record/reading.h"

enum opstate_sort {
	OPSTATE_START,	 /* with the versions, or what is new of them */
	OPSTATE_STOP,	 /* the process says that it ends */
	OPSTATE_VERSION, /* of a recording without starts */
	OPSTATE_LEADER,	 /* became the leader, or is not any more */
	OPSTATE_STAGE,	 /* stages are stopped; one was started again */
	OPSTATE_REASON	 /* why it is not ready; that it is again */
};

/* text: without a period; it may have invisible characters. Borrowed for the
 * call. */
typedef void opstate_fn(void *arg, enum opstate_sort sort, struct span text);

/* Begins zeroed, but fn and arg. */
struct opstate {
	opstate_fn *fn;
	void *arg;
	/* Private: */
	struct buf segment; /* the last one */
	struct buf told;    /* the one whose versions were told */
	struct buf state;   /* the last one of this process */
	struct buf text;
	struct textlist started; /* processes */
	int64_t stopped_us;	 /* when the last one said so; 0: it did not */
};

/* Any line of a recording, in its order. */
void opstate_line(struct opstate *s, const struct reading_line *line);
void opstate_release(struct opstate *s);

#endif
