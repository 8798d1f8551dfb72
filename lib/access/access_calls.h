/*
 * access_calls: the system calls of a server that has its socket, as lists for
 * sandbox_enter (process/sandbox.h).
 */
#ifndef ACCESS_CALLS_H
#define ACCESS_CALLS_H

#include "process/sandbox.h"

/* A process that answers clients. */
extern const struct sandbox_rule *const access_serves[];
/* ... and reads files. */
extern const struct sandbox_rule *const access_serves_files[];
/* ... and asks the API server, or sends elsewhere. */
extern const struct sandbox_rule *const access_asks[];

#endif
