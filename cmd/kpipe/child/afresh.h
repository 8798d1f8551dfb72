/*
 * afresh: a tool's function called in a forked child, in the state in which
 * execve would have started the tool.
 *
 * Of the parent nothing is left that the tool could use or read: no descriptor
 * but its own, no argument or variable, no option, no key of a hash. What the
 * parent has on its heap stays: kpipe has no secret there (doc/security.md).
 */
#ifndef AFRESH_H
#define AFRESH_H

#include "child/inside.h"

/* First in main: where the kernel has put arguments and environment. */
void afresh_begin(char **argv);

struct afresh {
	inside_fn *fn;
	const char *name; /* name that ps shows */
	char *const *argv, *const *env;
	int fds; /* number of descriptors, from 0 on, that it keeps */
};

/*
 * Calls fn, and exits with what it returns. Signal mask, handlers, folder and
 * the tool's descriptors are the caller's to set before. Returns, with nothing
 * done, only if the kernel has no close_range (before Linux 5.9).
 */
void afresh_run(const struct afresh *a);

#endif
