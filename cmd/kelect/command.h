/*
 * command: the command that runs while we lead: a child in a process group of
 * its own, and all that it starts. It is over when the group is empty.
 *
 * A watchdog, a second small child, kills the group if we die, or are stopped
 * until the time on the fence is closed.
 */
#ifndef COMMAND_H
#define COMMAND_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "process/harden.h"
#include "process/fence.h"
#include "process/loop.h"

typedef void command_fn(void *arg);

struct command {
	struct loop *loop; /* borrowed */
	char *const *argv; /* borrowed */
	char *path;	   /* owned: of argv[0] */
	struct rlimit
	    limits;	   /* limit of core dumps, as before: for the command */
	uint64_t grace_ms; /* between SIGTERM and SIGKILL */
	command_fn *gone;  /* called once, when the group is empty */
	void *arg;

	pid_t pid; /* the child, and its group; 0: never started */
	pid_t watchdog;
	bool reaped; /* the child; code is right */
	int code;    /* exit code; 128 + signal if the child was killed */
	bool told;   /* the group was sent a signal by us */
	bool over;   /* gone was called */
	struct timer timer;
};

/* -1 with err (permanent): no such program. */
int command_find(struct command *c, struct err *err);
/* Takes SIGCHLD of the loop. ends: the command gets the reading side. */
int command_start(
    struct command *c, const struct fence_ends *ends, struct err *err);
/* SIGTERM, and SIGKILL after grace_ms. */
void command_stop(struct command *c);
void command_kill(struct command *c);
void command_release(struct command *c);

#endif
