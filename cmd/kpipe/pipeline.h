/*
 * pipeline: the stages, joined by pipes, filters of the operator among them,
 * with kelect beside them where leaders are elected, and what happens when one of
 * them ends (lifecycle.h says what, here is how):
 *
 *	running   all stages are there
 *	stopping  one has ended: the others are killed after
 *	          PIPELINE_SETTLE_MS; when all are gone, the pipeline starts
 *	          again (stage.h), or kpipe ends
 *	waiting   nothing runs until the back-off is over
 *	draining  told to end: kwatch gets SIGTERM, the end of its output ends
 *	          the others one after the other; a stage that is left after
 *	          PIPELINE_DRAIN_MS is killed
 *
 * All of one generation share one life, and never do two of them overlap: a
 * writer of the old one could undo what the new one has done. For the same
 * reason kelect, which gives up the lease when it gets SIGTERM, gets that only
 * when all others are gone; and is killed if that takes more than
 * PIPELINE_RELEASE_MS (it may be stopped).
 */
#ifndef PIPELINE_H
#define PIPELINE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "sidecar/pipestate.h"
#include "lifecycle.h"
#include "failure/oom.h"
#include "process/fence.h"
#include "process/loop.h"
#include "child/stage.h"

/*
 * The first end that is seen need not be the cause (a dying process closes its
 * pipes before its parent is told): the settling time reveals the cause.
 */
enum {
	PIPELINE_FILTERS_MAX = 8,
	PIPELINE_STAGES_MAX = 6 + PIPELINE_FILTERS_MAX,
	PIPELINE_SETTLE_MS = 100,
	PIPELINE_DRAIN_MS = 10000,
	PIPELINE_RELEASE_MS = 5000
};

enum pipeline_mode {
	PIPELINE_SUPERVISE, /* until told to end */
	PIPELINE_ONCE	    /* until the stages have ended on their own */
};

/* Rank of a generation of stages, as kelect reports it. */
enum pipeline_rank {
	PIPELINE_STANDBY, /* has not led yet, or leaders are not elected */
	PIPELINE_LEADER,
	PIPELINE_LED,	 /* led, and no longer does */
	PIPELINE_DEPOSED /* ... and ends because of that */
};

enum { PIPELINE_NO_CODE = -1 };

struct pipeline {
	struct loop *loop; /* borrowed */
	enum pipeline_mode mode;
	enum lifecycle_phase phase;
	enum pipeline_rank rank;
	/* The stages in the order of the pipes, then krecord and kelect, if
	 * there are such stages. */
	struct stage stages[PIPELINE_STAGES_MAX];
	size_t count;
	struct stage *record;	   /* among the stages, or NULL */
	struct stage *elect;	   /* the last of the stages, or NULL */
	const struct fence *fence; /* borrowed: of a kelect that runs kpipe */
	/* borrowed: gets the reports; or NULL */
	struct pipestate *pipestate;
	int marks_fd;  /* borrowed: of the key of marks; -1: kapply has it */
	int lines_fd;  /* lines that "decides" passes on; -1: it does not run */
	int states_fd; /* states for "records"; -1: it does not run */
	int shadow_fd; /* lines of --shadow for "records"; -1: as above */
	struct buf shadow_rest; /* rest of such a line */
	bool shadow_gap;	/* the rest ends in a gap */
	/* Borrowed; where "records" writes what it records; -1: nowhere. */
	int live_fd;   /* stdout of krecord */
	int flow_fd;   /* stdin of krecord, which reads nothing from it */
	int null_fd;   /* borrowed: first stdin, and last stdout if no other */
	int output_fd; /* borrowed: stdout of the last stage */
	struct oom *oom; /* borrowed */
	struct restart backoff;
	struct timer timer; /* ends the back-off, draining, stopping */
	uint64_t started_ms;
	int64_t started_us; /* when kpipe started, for the state line */
	unsigned ends; /* rounds in which stages of this generation ended */
	/* Why this generation is the last, if not because of a stage. */
	int end_code;
	loop_fn *on_ready; /* the first time all are ready, then NULL */
	loop_fn *on_end;   /* nothing runs or will run any more */
	void *arg;	   /* argument of both */
};

/* How many stages end with their pipes: all but kelect. */
static inline size_t
pipeline_path(const struct pipeline *p)
{
	return p->count - (p->elect != NULL);
}

/* The stages start once the loop runs; the caller has set the rest to 0. */
void pipeline_start(struct pipeline *p);

/* The caller reaps children. The stage with this pid, or NULL: */
struct stage *pipeline_stage(struct pipeline *p, pid_t pid);
/* ... then how it ended, */
void pipeline_take(struct pipeline *p, struct stage *s, int status);
/* ... and after all that there were. */
void pipeline_settle(struct pipeline *p);

/* Called on SIGTERM: drains; on a second one: kills. */
void pipeline_end(struct pipeline *p);
/* Kills all stages; kpipe exits with code. */
void pipeline_give_up(struct pipeline *p, int code);

/* The state in a few words, for people: static. */
const char *pipeline_status(const struct pipeline *p);
/* Appends the state, as a state line without newline. */
void pipeline_describe(const struct pipeline *p, struct buf *line);

/*
 * Returns the stage with ended_at != 0 that has most likely caused the
 * others to end: by how it ended, when it was seen, and where it stands. NULL if
 * none has ended, or all because we told them to.
 *
 * A stage that ends takes its neighbours with it: its reader meets the end of
 * the input and may well exit with 0; its writer dies of SIGPIPE, or exits with
 * 1 or 111 because the reader is gone. No stage dies of another signal, or
 * exits with 100 or 101, because of its neighbours; and kelect has none.
 */
const struct stage *pipeline_root_cause(
    const struct stage *stages, size_t count);

/* The exit code of kpipe, after on_end. */
int pipeline_exit_code(const struct pipeline *p);

#endif
