/*
 * launch: starts the stages of a generation, with the pipes between them and
 * what leadership needs: the gate from kelect to ireconcile, and the leash from
 * kelect to the stages that write. kpipe keeps none of these: only kelect may
 * have the writing end of the leash, because its end means that kelect is gone.
 * kpipe keeps only the end at which it writes lines that ireconcile passes on.
 *
 * The key of marks comes from kpipe (marks_fd), or kapply has it from the
 * cluster and hands it on to ireconcile, by a pipe.
 *
 * The descriptors of a stage, in order (from STAGE_EXTRA_FD on):
 *
 *	decides	 gate (if leaders are elected), key of marks, lines to pass on,
 *		 tap
 *	applies	 leash, page (if there is a leash), key of marks, tap, results
 *	writes	 leash, page (if there is a leash), tap, results
 *	records	 the other ends of these, in the order of enum launch_tap
 *	elects	 gate, leash, page
 */
#ifndef LAUNCH_H
#define LAUNCH_H

#include "pipeline.h"

enum {
	LAUNCH_GATE = STAGE_EXTRA_FD,	    /* of "decides" and "elects" */
	LAUNCH_HELD_LEASH = STAGE_EXTRA_FD, /* of "writes" */
	LAUNCH_HELD_PAGE,
	LAUNCH_HELD = 2,		   /* the number of these two */
	LAUNCH_LEASH = STAGE_EXTRA_FD + 1, /* of "elects" */
	LAUNCH_PAGE
};

/* The pipes to krecord; taps and results only if there is one. */
enum launch_tap {
	LAUNCH_EVENTS,
	LAUNCH_SETS,
	LAUNCH_STATUSES,
	LAUNCH_RESULTS,
	LAUNCH_WRITTEN, /* the results of kstatus */
	LAUNCH_STATES,
	LAUNCH_SHADOW, /* lines of --shadow */
	LAUNCH_TAPS
};

/* -1 with err: those that were started have a pid. */
int launch(struct pipeline *p, struct err *err);

/* Hands the notice of oom.h, if there is one, to the stage that decides. */
void launch_tell(struct pipeline *p);
/* Hands on another line like that, at most PIPE_BUF with its newline. False: not
 * now, there is no room. */
bool launch_line(struct pipeline *p, struct span line);
/* Hands a state line to the stage that records, if there is one. */
void launch_state(struct pipeline *p, struct span line);
/* Hands it a line of --shadow; of a long one the rest follows with the next
 * call. An empty line: just the rest. */
void launch_shadow(struct pipeline *p, struct span line);
/* Closes what launch has opened for that. */
void launch_hang_up(struct pipeline *p);

#endif
