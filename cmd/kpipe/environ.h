/*
 * environ: the part of our environment that ireconcile may see. It runs other
 * people's programs on other people's objects, so it gets no KUBECONFIG, no
 * cloud credentials, no proxy with a password in it: only the variables that
 * the watches file names (${VAR}), WATCH_NAMESPACE, and what a C library
 * needs.
 */
#ifndef ENVIRON_H
#define ENVIRON_H

#include "base/err.h"
#include "base/span.h"

/*
 * The variables of env that may pass, by the text of the watches file: an owned
 * NULL-terminated array (free it; the strings are borrowed from env).
 */
char **environ_select(char *const *env, struct span watches);

/* environ_select for one or two files (other may be NULL), which are read here.
 * NULL with err if a file cannot be read. */
char **environ_for_program(char *const *env, const char *watches_path,
    const char *other, struct err *err);

/* env with the variable, which is not in it yet: the array is owned, the
 * strings and the variable are borrowed. */
char **environ_with(char *const *env, const char *variable);

#endif
