/*
 * world: an API server and an operator on a virtual clock of their own, with
 * nothing else: processes of a nursery. Time stands unless world_step
 * moves it; while it stands, all of them may work until none has anything left
 * to do.
 */
#ifndef WORLD_H
#define WORLD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/err.h"
#include "kapiclient.h"
#include "clock/page.h"
#include "clock/still.h"
#include "deed.h"
#include "nursery.h"
#include "relay.h"

enum world_loop {
	WORLD_LOOP_NONE,
	WORLD_LOOP_AT_ONCE, /* it asks without end while time stands */
	WORLD_LOOP_LONG,    /* it asks more than any operator should */
	WORLD_LOOP_BUSY	    /* one of its processes computes without end */
};

struct world {
	struct clock_page *page;
	struct still still;
	char *dir;		 /* owned: of files, removed at the end */
	char *kubeconfig;	 /* owned */
	unsigned number;	 /* of the processor */
	struct nursery *nursery; /* owned: of all processes */
	pid_t kapi;
	struct kapiclient *client;  /* as "client" */
	struct kapiclient *cluster; /* as "cluster" */
	int journal_fd, log_fd;	    /* read without waiting */
	int log_to;
	/* Text that was read since the owner last consumed it: whole lines, and the
	 * beginning of one. */
	struct buf journal, log;
	struct deeds deeds;
	struct relay *relay;  /* owned: of lines between its stages */
	size_t lines;	      /* of the journal, since the cluster began */
	size_t lines_at_once; /* since time has moved */
	enum world_loop loop; /* the operator was killed, as it never rests */
};

/* Starts the API server, on the n-th processor; to be called while this process is
 * small (nursery.h). NULL with err. */
struct world *world_new(uint64_t seed, unsigned n, struct err *err);
/* This process, which plays in it from now on, moves to that processor, too. */
void world_settle(struct world *w);
void world_free(struct world *w);

/* The cluster begins again, with these objects (lines of kapi --load); it is
 * start_us, in microseconds since 1970. No other process may be there. */
int world_reset(struct world *w, struct span objects, uint64_t seed,
    int64_t start_us, struct err *err);

/* A process that calls main with these arguments, NULL-terminated, and counts for
 * the clock. Its stderr goes to the log. setting: nursery.h */
pid_t world_fork(struct world *w, int (*main)(int, char **),
    const char *const *argv, const char *setting);
/* Whether it has ended, as all idle were looked at; then *status is what waitpid
 * says. True once. */
bool world_has_ended(struct world *w, pid_t pid, int *status);
/* It has ended, or is made to; returns what waitpid says. A process that does not
 * end within the limit is killed. */
int world_end_one(struct world *w, pid_t pid, int signo, int64_t limit_ns);
/* The same with all that is left, but the API server. */
int world_end(struct world *w, pid_t pid, int signo, int64_t limit_ns);

/* Waits until all are idle, and reads what they have written. An operator that
 * never is gets killed: then loop says why. */
void world_still(struct world *w);
/* Moves on to the next timer, if that is not after end (of world_now), and waits
 * until all are idle. False: none is; then it is end. */
bool world_step(struct world *w, int64_t end_ns);
int64_t world_now(const struct world *w);     /* nanoseconds */
int64_t world_real_us(const struct world *w); /* since 1970 */

#endif
