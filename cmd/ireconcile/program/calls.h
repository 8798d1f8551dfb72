/*
 * calls: the system calls that ireconcile keeps once it runs (sandbox.h).
 *
 * Everything must be open and loaded before: files, epoll, signalfd.
 */
#ifndef CALLS_H
#define CALLS_H

#include "process/sandbox.h"

/* Lists for sandbox_enter: of the process that holds the objects, of the
 * zygote, and of the workers (evaluator.h). */
extern const struct sandbox_rule *const calls_main[];
extern const struct sandbox_rule *const calls_zygote[];
extern const struct sandbox_rule *const calls_worker[];

#endif
