/*
 * linked: the programs that are linked into ktorture, as functions: each runs in
 * a process that is forked, and never returns to the caller's code.
 */
#ifndef LINKED_H
#define LINKED_H

#include <stdbool.h>

#include "base/err.h"

int kpipe_main(int argc, char **argv);
int kapi_main(int argc, char **argv);
/* cmd/kpipe/child/inside.h */
extern bool inside_only;
/* cmd/ireconcile/startup.h */
int startup_warm(const char *watches, struct err *err);

#endif
