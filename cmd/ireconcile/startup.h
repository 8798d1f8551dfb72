/*
 * startup: what ireconcile does before it reads input, with --against and
 * without: where included files are looked for, and the sandboxes, as --sandbox
 * says. A sandbox that is missing is logged, or an error.
 */
#ifndef STARTUP_H
#define STARTUP_H

#include "base/err.h"
#include "base/textlist.h"
#include "process/opt.h"

/* The places of the library: as given; beside the source tree's bin;
 * installed. dirs is initialised here, and the caller's. */
void startup_library_dirs(struct textlist *dirs, const struct opt_list *given);

/* All programs are loaded: starts the processes in which they run, each in its
 * sandbox (program.h). -1 with err. */
int startup_confine_programs(struct err *err);
/* Afterwards: this process. -1 with err. */
int startup_confine_self(struct err *err);

#endif
