/*
 * guard: a child that holds the leash beside a process group, and kills the
 * group when the leash is out: for commands that do not look at it themselves.
 */
#ifndef GUARD_H
#define GUARD_H

#include <sys/types.h>

#include "process/leash.h"

/* Its pid, or -1 with err. */
pid_t guard_start(pid_t group, const struct leash_ends *ends, struct err *err);
/* Ends the guard when the group is gone. 0 or -1: there is none. */
void guard_end(pid_t guard);

#endif
