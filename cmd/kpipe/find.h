/*
 * find: finds the tools that kpipe starts.
 */
#ifndef FIND_H
#define FIND_H

#include "base/err.h"

/*
 * Looks in dir, or if that is NULL beside the running program, then in PATH.
 * Returns the path, owned; NULL and a permanent error if there is none.
 */
char *find_program(const char *name, const char *dir, struct err *err);

/* Looks in PATH only. Owned; NULL: there is none. */
char *find_in_path(const char *name);

#endif
