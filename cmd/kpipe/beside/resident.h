/*
 * resident: a process that lives as long as kpipe, and is started again alone,
 * after a back-off: the pipeline is not affected.
 *
 * The owner has it as a member, sets the fields up to stage, and zeroes the
 * rest.
 */
#ifndef RESIDENT_H
#define RESIDENT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "child/stage.h"
#include "failure/oom.h"
#include "process/loop.h"

enum { RESIDENT_END_MS = 2000, RESIDENT_LOOK_MS = 50 };

struct resident {
	struct loop *loop; /* borrowed */
	struct oom *oom;   /* borrowed */
	bool needed;	   /* kpipe cannot do without the process; else it is
			    * always started again */
	/* Whether a part of the last run is left: the next start waits, and
	 * asks again every RESIDENT_LOOK_MS. NULL: never. */
	bool (*is_busy)(struct resident *r);
	/* Calls stage_start, with descriptors that the owner makes. */
	int (*launch)(struct resident *r, struct err *err);
	/* Called when the process is ready. NULL: not wanted. */
	void (*on_ready)(struct resident *r);
	/* Called for a report other than that the process is ready. NULL: not
	 * wanted. */
	void (*on_line)(struct resident *r, struct span line);
	/* Called when the process has ended, to close its descriptors. NULL:
	 * nothing. */
	void (*on_stop)(struct resident *r);
	/* Called when a process that is needed is not started again: it ended
	 * with 100 and was never ready, or is killed for memory again and
	 * again. */
	loop_fn *on_refusal;
	loop_fn *on_end;    /* after resident_end: the process is gone */
	void *arg;	    /* argument of on_refusal and on_end */
	struct stage stage; /* owned */

	struct restart backoff;
	struct timer timer;
	uint64_t started_ms;
	bool was_ready; /* since kpipe started */
	bool ending;
};

/* Call it once the loop runs. */
void resident_start(struct resident *r);
/* The process of its stage has ended: a wait status. */
void resident_take(struct resident *r, int status);
/* SIGTERM, and SIGKILL if that does not help; then on_end. */
void resident_end(struct resident *r);
void resident_release(struct resident *r);

#endif
