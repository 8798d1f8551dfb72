/*
 * nursery: a process that forks others. It begins while this one is small, and
 * stays so: to fork costs by the memory that a process has.
 *
 * They run on one processor. Those that their parents have left are its children,
 * too (PR_SET_CHILD_SUBREAPER).
 */
#ifndef NURSERY_H
#define NURSERY_H

#include <stdbool.h>
#include <sys/types.h>

struct nursery;

typedef int nursery_main(int argc, char **argv);

/* begin is called in each process that it forks, with arg, before main; what they
 * point to is as it is now. n: of the processor. NULL with errno. */
struct nursery *nursery_new(unsigned n, void (*begin)(void *arg), void *arg);
/* All that it has forked end with it, by SIGKILL. */
void nursery_free(struct nursery *n);

/* Forks one that calls main with these arguments, NULL-terminated, and exits with
 * what it returns. setting: of its environment, "NAME=VALUE", or NULL. -1: the
 * nursery is gone. */
pid_t nursery_fork(struct nursery *n, nursery_main *main,
    const char *const *argv, const char *setting);
/* Whether it has ended; then *status is what waitpid says. Once only for each. */
bool nursery_has_ended(struct nursery *n, pid_t pid, int *status);

/* This process runs on the n-th processor from now on, of those that it may use. */
bool nursery_settle(unsigned n);

#endif
