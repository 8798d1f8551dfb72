/*
 * pipeline: the stages, joined by pipes, and what happens when one ends.
 *
 *	running   all stages are there
 *	stopping  one has ended: the others are killed after
 *	          PIPELINE_SETTLE_MS; when all are gone, the pipeline starts
 *	          again (backoff.h), or kpipe ends
 *	waiting   nothing runs until the back-off is over
 *	draining  told to end: kwatch gets SIGTERM, the end of its output ends
 *	          the others one after the other; who is left after
 *	          PIPELINE_DRAIN_MS is killed
 *
 * Never do two pipelines overlap: a writer of the old one could undo what the
 * new one has done.
 */
#ifndef PIPELINE_H
#define PIPELINE_H

#include <stdbool.h>
#include <stdint.h>

#include "backoff.h"
#include "loop.h"
#include "stage.h"

/*
 * The first end that is seen need not be the cause (a dying process closes
 * its pipes before its parent hears of it): the settling time brings it out.
 */
enum {
	PIPELINE_STAGES_MAX = 4,
	PIPELINE_SETTLE_MS = 100,
	PIPELINE_DRAIN_MS = 10000
};

enum pipeline_mode {
	PIPELINE_SUPERVISE, /* until told to end */
	PIPELINE_ONCE	    /* until the stages have ended by themselves */
};

enum pipeline_phase {
	PIPELINE_RUNNING,
	PIPELINE_STOPPING,
	PIPELINE_WAITING,
	PIPELINE_DRAINING
};

struct pipeline {
	struct loop *loop; /* borrowed */
	enum pipeline_mode mode;
	enum pipeline_phase phase;
	struct stage stages[PIPELINE_STAGES_MAX];
	size_t count;
	int null_fd;   /* borrowed: first stdin, and last stdout if no other */
	int output_fd; /* borrowed: stdout of the last stage */
	struct backoff backoff;
	struct timer timer; /* of the back-off, or of draining */
	uint64_t started_ms;
	bool permanent;	   /* a stage said that another run would not help */
	bool incomplete;   /* a stage could not be started */
	bool explained;	   /* why it stops was logged */
	const char *first; /* the stage that was seen to end first */
	bool told_to_end;
	bool was_ready;	   /* since kpipe started */
	loop_fn *on_ready; /* may be NULL: the first time all are ready */
	void *on_ready_arg;
};

/* Once the loop runs. The caller has SIGCHLD call pipeline_reap. */
void pipeline_start(struct pipeline *p);

/* On SIGCHLD: takes in all children that ended, our own and orphans. */
void pipeline_reap(struct pipeline *p);

/* On SIGTERM: drains; on a second one: kills. */
void pipeline_end(struct pipeline *p);

/* After the loop was stopped: what kpipe exits with. */
int pipeline_exit_code(const struct pipeline *p);

#endif
