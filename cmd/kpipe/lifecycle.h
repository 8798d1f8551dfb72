/*
 * lifecycle: a table of what kpipe does on an event in a phase.
 *
 *	          .------------- restart --------------.
 *	          v                                    |
 *	       WAITING -- launch --> RUNNING -- settle --> SETTLING
 *	          |                     |                   |
 *	          |                     |            stop, halt, fail
 *	          |                     |                   v
 *	          |                     |               STOPPING
 *	         end                  drain                 | release
 *	          |                     |                   v
 *	          |                     v               RELEASING -- end --.
 *	          |                 DRAINING                               |
 *	          |                     | retire                           |
 *	          v                     v                                  v
 *	        ENDED <---- end ---- RETIRING                            ENDED
 *
 * A phase is left out if there is nothing to do in it: without kelect there is
 * no RELEASING and no RETIRING, and without a dry run no ONCE (which stands
 * where RUNNING does, and where the end of a stage is what is waited for).
 *
 * No processes and no clock here: pipeline.c does what a step says.
 */
#ifndef LIFECYCLE_H
#define LIFECYCLE_H

enum lifecycle_phase {
	LIFECYCLE_WAITING,   /* nothing runs until the back-off is over */
	LIFECYCLE_RUNNING,   /* all stages are there */
	LIFECYCLE_ONCE,	     /* ... and may end on their own (dry run) */
	LIFECYCLE_SETTLING,  /* a stage has ended; wait for the others */
	LIFECYCLE_STOPPING,  /* the reason is known; the others are killed */
	LIFECYCLE_RELEASING, /* all are stopped: kelect gives up the lease */
	LIFECYCLE_DRAINING,  /* told to end: the stages finish their work */
	LIFECYCLE_RETIRING,  /* all are drained: kelect gives up the lease */
	LIFECYCLE_ENDED,     /* nothing runs, and nothing will */
	LIFECYCLE_PHASES
};

enum lifecycle_event {
	LIFECYCLE_TIMEOUT,  /* the timer of the phase is due */
	LIFECYCLE_FAILED,   /* a stage could not be started */
	LIFECYCLE_LOST,	    /* a stage has ended, others run */
	LIFECYCLE_UNLED,    /* ... and kelect does not run any more */
	LIFECYCLE_PATH_END, /* only kelect still runs */
	LIFECYCLE_GONE,	    /* nothing runs */
	LIFECYCLE_LAST,	    /* ... and this was the last generation */
	LIFECYCLE_TOLD,	    /* told to end */
	LIFECYCLE_AGAIN,    /* ... and again */
	LIFECYCLE_GIVE_UP,  /* there is another reason to end at once */
	LIFECYCLE_EVENTS
};

/* The reaction to an event. It leads to one phase, or keeps the phase. */
enum lifecycle_step {
	LIFECYCLE_MISSING, /* no step: the table has a hole */
	LIFECYCLE_NEVER,   /* cannot happen; nothing is done */
	LIFECYCLE_STAY,
	LIFECYCLE_LAUNCH,  /* start the stages: RUNNING, or ONCE */
	LIFECYCLE_SETTLE,  /* leave the others some time */
	LIFECYCLE_STOP,	   /* say why, and kill the path */
	LIFECYCLE_HALT,	   /* kill the path: why was said */
	LIFECYCLE_FAIL,	   /* kill the path, without a kelect a bit later */
	LIFECYCLE_KILL,	   /* kill the path, and stay */
	LIFECYCLE_OVERDUE, /* ... because its time is over */
	LIFECYCLE_RELEASE, /* tell kelect to end, for another generation */
	LIFECYCLE_RETIRE,  /* tell kelect to end, for good */
	LIFECYCLE_UNSEAT,  /* kill kelect: its time is over */
	LIFECYCLE_CUT,	   /* kill kelect: the user cannot wait */
	LIFECYCLE_DRAIN,   /* tell the first stage to end, the rest follows */
	LIFECYCLE_RESTART, /* wait for the back-off */
	LIFECYCLE_END,
	LIFECYCLE_STEPS
};

enum lifecycle_step lifecycle_step(
    enum lifecycle_phase phase, enum lifecycle_event event);

/* The phase after it; of LAUNCH: RUNNING. */
enum lifecycle_phase lifecycle_next(
    enum lifecycle_phase phase, enum lifecycle_step step);

/* For log lines. */
const char *lifecycle_phase_name(enum lifecycle_phase phase);
const char *lifecycle_event_name(enum lifecycle_event event);

#endif
