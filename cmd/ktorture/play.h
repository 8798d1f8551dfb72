/*
 * play: a trial while it is played, for trial.c, upset.c and play.c: what has
 * happened, what is there, and what comes.
 */
#ifndef PLAY_H
#define PLAY_H

#include <jv.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"
#include "deed.h"
#include "instance.h"
#include "scene/backdrop.h"
#include "trial.h"
#include "world.h"

/* Work for a later time. */
enum coming_kind {
	COMING_CLUSTER,
	COMING_CLIENT,
	COMING_GO_ON, /* a process that was stopped */
	COMING_KILL,  /* a process, once more: see upset_kill() */
	COMING_RETIRE, /* an instance, for there is another: step is its number */
	COMING_PASS,   /* a request that waits: step has it, as the journal */
	COMING_LATE    /* a request of the operator, that it has given up */
};
struct coming {
	int64_t due_ns;
	enum coming_kind kind;
	jv step;   /* owned; invalid: none; COMING_LATE: of the journal */
	pid_t pid; /* COMING_GO_ON */
};

struct play {
	struct world *w;
	const struct trial *t;
	struct deeds *deeds;
	struct backdrop *backdrop;
	jv record;	/* owned */
	jv known;	/* owned: by key, all that was ever changed */
	jv state, made; /* owned: by key, the objects; those of the operator */
	jv waiting; /* owned: a step for when its object is gone, or invalid */
	jv paused;  /* owned: the requests that wait, as the journal */
	int step;
	int64_t written_ns; /* the last step, or try to write an object */
	int64_t slept_ns;   /* by faults: time in which nothing happened */
	bool settled;	    /* the step was to settle: so has the play */
	struct coming *coming;
	size_t coming_count;
	struct instance operators[INSTANCES];
	size_t operator_count;
	bool ending;
	struct span killed;	    /* by a fault; or none */
	struct span stopped_at_end; /* a stage that will be; or none */
	bool noted[RELAY_FAULTS];   /* a fault of a line has happened */
	int64_t slow_ns;	    /* controllers do nothing until then */
	struct buf saved;	    /* the cluster, before a step */
	int saved_step;		    /* how many steps were done then */
	struct err err;
};

/* ---- the record ---- */

/* Adds a line; takes it. */
void play_note(struct play *p, jv line);
/* A stage has ended. */
void play_note_end(struct play *p, struct span stage, int signal, int code);
/* A change of an object, as kapi's journal tells it; takes it. */
void play_take_change(struct play *p, jv line);
/* Takes whole lines out of b; whether there were any. */
bool play_take_lines(
    struct play *p, struct buf *b, void (*take)(struct play *, struct span));
void play_take_line(struct play *p, struct span raw); /* of the journal */
void play_take_log(struct play *p, struct span line);

/* ---- what comes ---- */

/* Something to be done after that time; takes step. */
void play_come(struct play *p, int64_t after_ns, enum coming_kind kind, jv step,
    pid_t pid);

/* ---- steps ---- */

/* The next step, owned; invalid: there is none. */
jv play_next(const struct play *p);
/* The next step is the present one. */
void play_begin_next(struct play *p);

/* ---- values ---- */

jv play_number(int64_t n);
struct span play_text(jv object_peek, const char *key); /* borrowed */
/* "Deployment apps/v1 default/a", owned */
jv play_key(jv object_peek);
bool play_has(jv objects_peek, jv object_peek);
/* The objects after a change; takes objects. */
jv play_put(jv objects, jv line_peek);
bool play_is_operators(jv line_peek);

#endif
