/*
 * shadow: --shadow: another watches file and its programs beside the operator,
 * on the same cluster, without a right to write: what would they decide
 * otherwise?
 *
 *	kwatch -f OLD -f NEW | ireconcile -f OLD --against NEW
 *
 * This pair has watches of its own, so nothing that the new file needs (a kind
 * that may not be watched, a slow program, memory) can touch the pipeline: it
 * is in no generation, readiness does not depend on it, and both processes are
 * expendable (stage.h). When one of them ends, both are started again, together
 * and after a back-off. Only kwatch has a credential.
 */
#ifndef SHADOW_H
#define SHADOW_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/buf.h"
#include "sidecar/pipestate.h"
#include "sidecar/shadowdiff.h"
#include "sidecar/sidecar.h"

enum {
	SHADOW_LINE_MAX = 1 << 20 /* longer ones are left out */
};

/* A line of the pair, for a recording. */
typedef void shadow_record_fn(void *arg, struct span line);

struct shadow {
	/* ireconcile. Its loop and oom are the caller's to set, and the stage. */
	struct sidecar sidecar;
	struct stage reader; /* kwatch; the caller's to set */
	/* The caller sets the first part. */
	struct shadowdiff shadowdiff;
	struct pipestate *pipestate; /* borrowed: gets the metrics; or NULL */
	int null_fd;		     /* borrowed */
	shadow_record_fn *record;
	loop_fn *on_end; /* after shadow_end: both are gone */
	void *arg;	 /* argument of these two */

	int fd;	       /* lines of ireconcile; -1: none */
	struct buf in; /* the beginning of one */
	bool skip;     /* the rest of one that is too long */
	bool whole;    /* everything was compared in this run */
	bool started;
	struct timer timer; /* kwatch has ended: until ireconcile must */
};

/* Call it once the loop runs. A second call does nothing. */
void shadow_start(struct shadow *s);
/* Tells what is due; called before each wait. */
void shadow_tell(struct shadow *s);
/* The stage with this pid, or NULL: */
struct stage *shadow_stage(struct shadow *s, pid_t pid);
/* ... then how it ended. */
void shadow_take(struct shadow *s, struct stage *stage, int status);
/* Appends `,"shadow":{...}`, a member of a state line. */
void shadow_describe(const struct shadow *s, struct buf *line);
/* SIGTERM, and SIGKILL if that does not help; then on_end, which may come at
 * once. Only the first call counts. */
void shadow_end(struct shadow *s);
void shadow_release(struct shadow *s);

#endif
