/*
 * sidecar: a process that lives as long as kpipe, and is started again alone,
 * after a back-off: the pipeline is not affected.
 *
 * The owner has it as a member, sets the fields up to stage, and zeroes the
 * rest.
 */
#ifndef SIDECAR_H
#define SIDECAR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "child/stage.h"
#include "failure/oom.h"
#include "process/loop.h"

enum { SIDECAR_END_MS = 2000, SIDECAR_LOOK_MS = 50 };

struct sidecar {
	struct loop *loop; /* borrowed */
	struct oom *oom;   /* borrowed */
	bool needed;	   /* kpipe cannot do without the process; else it is
			    * always started again */
	/* Whether a part of the last run is left: the next start waits, and
	 * asks again every SIDECAR_LOOK_MS. NULL: never. */
	bool (*is_busy)(struct sidecar *r);
	/* Calls stage_start, with descriptors that the owner makes. */
	int (*launch)(struct sidecar *r, struct err *err);
	/* Called when the process is ready. NULL: not wanted. */
	void (*on_ready)(struct sidecar *r);
	/* Called for a report other than that the process is ready. NULL: not
	 * wanted. */
	void (*on_line)(struct sidecar *r, struct span line);
	/* Called when the process has ended, to close its descriptors. NULL:
	 * nothing. */
	void (*on_stop)(struct sidecar *r);
	/* Called when a process that is needed is not started again: it ended
	 * with 100 and was never ready, or is killed for memory again and
	 * again. */
	loop_fn *on_refusal;
	loop_fn *on_end;    /* after sidecar_end: the process is gone */
	void *arg;	    /* argument of on_refusal and on_end */
	struct stage stage; /* owned */

	struct restart backoff;
	struct timer timer;
	uint64_t started_ms;
	bool was_ready; /* since kpipe started */
	bool ending;
};

/* Call it once the loop runs. */
void sidecar_start(struct sidecar *r);
/* The process of its stage has ended: a wait status. */
void sidecar_take(struct sidecar *r, int status);
/* SIGTERM, and SIGKILL if that does not help; then on_end. */
void sidecar_end(struct sidecar *r);
void sidecar_release(struct sidecar *r);

#endif
