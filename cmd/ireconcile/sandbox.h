/*
 * sandbox: what ireconcile gives up once it runs.
 *
 * A seccomp filter that leaves read, write, poll, memory, clock, timers,
 * signals, exit. Any other system call (open, socket, fork, exec, ...) is
 * refused with EPERM: a hostile object or program reaches nothing, and the
 * refusal is an error that can be seen and tested, not a silent death.
 *
 * Everything must be open and loaded before: files, epoll, signalfd, libjq's
 * compiled programs (a later recompilation reads nothing).
 */
#ifndef SANDBOX_H
#define SANDBOX_H

#include "err.h"

enum sandbox_result {
	SANDBOX_ON,
	SANDBOX_UNAVAILABLE, /* the kernel has no seccomp; err says it */
	SANDBOX_FAILED	     /* err */
};

/*
 * Cannot be undone. In a build with sanitizers, which need calls of their own
 * at exit, it is SANDBOX_UNAVAILABLE.
 */
enum sandbox_result sandbox_enter(struct err *err);

#endif
