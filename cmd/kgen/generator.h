/*
 * generator: runs a jq program, gen/NAME.jq, whose function NAME makes files of
 * its input.
 *
 * It is looked for in the operator's folder first, then in the jq library. The
 * text is composed here: `include "X";` on a line of its own before the first
 * definition names X.jq, in those places too, and each file is taken once. So
 * a program reads no other file; import, and include with other metadata, are
 * errors. It has no environment, and limits of CPU time and memory.
 */
#ifndef GENERATOR_H
#define GENERATOR_H

#include <stdbool.h>
#include <jv.h>

#include "base/err.h"
#include "base/textlist.h"

enum { GENERATOR_CPU_S = 20, GENERATOR_MEMORY_MIB = 2048 };

/* The first of the folders' files of that name and ending; owned, or NULL. */
char *generator_find(
    const struct textlist *dirs, const char *name, const char *ending);
/* Whether there is gen/NAME.jq in one of the folders. */
bool generator_exists(const struct textlist *dirs, const char *name);

/*
 * The files: [{path, text, executable, scaffold, warnings}], owned; texts are
 * made of `objects` where the program gives those. Takes input. Invalid with err
 * "FILE:LINE: ..." or "gen/NAME.jq: ...". A program beyond a limit ends this
 * process, with a message and exit code 100.
 */
jv generator_run(
    const struct textlist *dirs, const char *name, jv input, struct err *err);

#endif
