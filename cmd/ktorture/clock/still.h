/*
 * still: whether the processes of a clock are idle, and nothing is under way
 * between them: those that have a slot, those below its root, and all their
 * descendants, but this one.
 *
 * The kernel makes a process runnable in the moment in which what it waits for
 * comes. So if all sleep in one look, and in a second one, begun later, all still
 * do, and none has run since it was seen asleep, then all slept at once. Whether a
 * process has run costs little to read, and its state much: the first look reads
 * it only of those that have run, after their turns; the second one of all, and
 * before their turns. On one processor that all share one look is enough, if
 * this process did not leave it meanwhile.
 */
#ifndef STILL_H
#define STILL_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "clock/page.h"

enum { STILL_TURNS_MAX = 64 };

struct still_task {
	pid_t pid; /* or of a thread */
	char name[CLOCK_NAME];
	char state;		     /* as ps(1) prints it */
	int threads;		     /* of its process */
	char turns[STILL_TURNS_MAX]; /* on a processor: how often, how long */
	int state_fd, turns_fd, below_fd;
};

struct still {
	struct clock_page *page;
	struct still_task tasks[CLOCK_TASKS];
	size_t count;
	uint32_t slots; /* looked at for new processes */
	uint32_t forks; /* of the page, at the last look */
	bool beside;  /* all tasks are bound to the processor of this process */
	bool stopped; /* one of them is (SIGSTOP) */
	void (*pause)(void); /* called now and then while it waits; or NULL */
	int64_t patience_ns; /* of their processor time; 0: no limit */
};

/* Once, before all; and after all, so that what is known stays so. */
void still_begin(struct still *s, struct clock_page *page);
void still_end(const struct still *s);
/* That process counts, too, and all below it. */
void still_add(struct still *s, pid_t pid);
/* Waits until they are idle; the tasks are as they are then. False: its patience
 * is over, and one of them works still. */
bool still_wait(struct still *s);
/* Looks once: at what has run since the last look, or at all. Whether all sleep,
 * and whether any has run. */
enum still_how { STILL_NEWS, STILL_ALL };
void still_look(struct still *s, enum still_how how, bool *asleep, bool *ran);
/* The process of a slot; NULL: it is gone. */
const struct still_task *still_find(
    const struct still *s, const struct clock_slot *slot);

/* Whether that process is there, and has not ended. */
bool still_lives(const struct still *s, pid_t pid);

/* ---- the hand of the clock ---- */

/* When the wait of a slot ends, in nanoseconds since boot; CLOCK_NO_TIME: by an
 * event only. */
int64_t still_due(const struct still *s, const struct clock_slot *slot);
/* The slot whose timer is next, of processes that are not stopped; or NULL. */
struct clock_slot *still_next(const struct still *s);
/* It is that time, unless it is later already: wakes those that are due. */
void still_move(const struct still *s, int64_t to_ns);

#endif
