/*
 * startup: the steps of ireconcile before it reads input, with --against and
 * without: it finds the folders of the library, and enters the sandboxes, as
 * --sandbox says. A sandbox that is missing is logged, or an error.
 */
#ifndef STARTUP_H
#define STARTUP_H

#include "base/err.h"
#include "base/textlist.h"
#include "process/opt.h"

/* Initialises dirs, which the caller releases, with the folders of the library:
 * the given ones, the one beside the source tree's bin, the installed one. */
void startup_library_dirs(struct textlist *dirs, const struct opt_list *given);

/* All programs are loaded: starts the processes in which they run, each in its
 * sandbox (program.h). -1 with err. */
int startup_confine_programs(struct err *err);
/* Call it after startup_confine_programs: this process enters its sandbox. -1
 * with err. */
int startup_confine_self(struct err *err);

/*
 * Loads the programs of a watches file for processes that are forked later and
 * run it (program_spare_all): a tool that starts it again and again need not
 * compile them each time. May be called for several files. -1 with err.
 */
int startup_warm(const char *watches, struct err *err);

#endif
