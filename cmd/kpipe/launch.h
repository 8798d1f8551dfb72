/*
 * launch: starts the stages of a generation, with the pipes between them and
 * what leadership needs: the gate from kelect to ireconcile, and the fence from
 * kelect to the stages that write. kpipe keeps none of these: only kelect may
 * have the writing end of the fence, because its end means that kelect is gone.
 * kpipe keeps only the end at which it writes lines that ireconcile passes on.
 *
 * The key of marks comes from kpipe (marks_fd), or kapply has it from the
 * cluster and hands it on to ireconcile, by a pipe.
 *
 * tools.c says which ends of these each stage gets, and by which options it knows
 * their numbers, from STAGE_EXTRA_FD on.
 */
#ifndef LAUNCH_H
#define LAUNCH_H

#include "pipeline.h"

/* Shared by the stages of a generation, besides the pipes between them. */
enum launch_pipe {
	LAUNCH_GATE,  /* from kelect to ireconcile, if leaders are elected */
	LAUNCH_FENCE, /* from kelect to the stages that write */
	LAUNCH_PAGE,  /* page of the fence: a file, as an end to read */
	LAUNCH_LINES, /* from kpipe to ireconcile, which passes them on */
	LAUNCH_MARKS, /* from kapply to ireconcile; or both ends are one file */
	/* To krecord, if there is one: */
	LAUNCH_EVENTS,
	LAUNCH_SETS,
	LAUNCH_STATUSES,
	LAUNCH_RESULTS,
	LAUNCH_WRITTEN, /* the results of kstatus */
	LAUNCH_STATES,
	LAUNCH_SHADOW, /* lines of --shadow */
	LAUNCH_PIPES
};
enum launch_end { LAUNCH_READ, LAUNCH_WRITE };

/* The stage gets this end as its next descriptor; returns its number there. */
int launch_give(struct stage *s, enum launch_pipe pipe, enum launch_end end);

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
