/*
 * confine: the sandboxes of ireconcile, as --sandbox says. A missing one is
 * logged, or an error.
 */
#ifndef CONFINE_H
#define CONFINE_H

#include "base/err.h"

/* All programs are loaded: starts the processes in which they run, each in its
 * sandbox (program.h). -1 with err. */
int confine_programs(struct err *err);
/* Afterwards: this process. -1 with err. */
int confine_self(struct err *err);

#endif
