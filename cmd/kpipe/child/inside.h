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

#include <stddef.h>

/* Begins the name of a tool that runs a second time, beside the pipeline. */
#define INSIDE_ASIDE "shadow-"

typedef int inside_fn(int argc, char **argv);

/*
 * The tool's function, if the file at path is the very program that kpipe was
 * built with, or a link to kpipe: a program that was put in its place is
 * executed. Or NULL.
 */
inside_fn *inside_find(const char *name, const char *path);

/*
 * The function of the tool that kpipe was called as, by its command's first
 * word: in an image the tools are links to kpipe, which makes it a third smaller.
 * NULL: kpipe itself.
 */
inside_fn *inside_called(const char *command);

#endif
