/*
 * inside: the tools that kpipe has in itself, as functions.
 *
 * A stage that is forked and calls such a function shares with kpipe, and with
 * the other stages, what a program that is executed makes for itself: the
 * relocated pages of all libraries, and what they have set up.
 *
 * The table is made by the Makefile, from the tools that were built together
 * with kpipe. It is empty in a build with sanitizers, which keep a state of
 * each process of their own.
 */
#ifndef INSIDE_H
#define INSIDE_H

#include <stdbool.h>
#include <stddef.h>

/* Begins the name of a tool that runs a second time, beside the pipeline. */
#define INSIDE_ASIDE "shadow-"

typedef int inside_fn(int argc, char **argv);

/* ktorture: nothing is looked for in the file system, for all that is played is
 * in the program itself. */
extern bool inside_only;
/* ktorture: may put a process between a stage and its pipe to the next one. NULL:
 * nothing does. */
typedef void inside_relay_fn(const char *stage, int fds[2]);
extern inside_relay_fn *inside_relay;

/*
 * The tool's function, if the file at path is the very program that kpipe was
 * built with, or a link to kpipe: a program that was put in its place is
 * executed. Or NULL. path NULL: wherever.
 */
inside_fn *inside_find(const char *name, const char *path);

/*
 * The function of the tool that kpipe was called as, by its command's first
 * word: in an image the tools are links to kpipe, which makes it a third smaller.
 * NULL: kpipe itself.
 */
inside_fn *inside_called(const char *command);

/*
 * A tool's function is called in a forked child, in the state in which execve
 * would have started the tool. Of the parent nothing is left that the tool could
 * use or read: no descriptor but its own, no argument or variable, no option, no
 * key of a hash. What the parent has on its heap stays: kpipe has no secret there
 * (doc/security.md).
 */

/* First in main: where the kernel has put arguments and environment. */
void inside_begin(char **argv);

struct inside_call {
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
void inside_run(const struct inside_call *c);

#endif
