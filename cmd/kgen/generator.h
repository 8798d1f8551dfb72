/*
 * generator: runs a jq program, gen/NAME.jq, whose function NAME makes files of
 * its input.
 *
 * It is looked for in the operator's folder first, then in the jq library, as
 * what it includes (libjq/jqfiles.h). It has no environment, and limits of CPU
 * time and memory.
 */
#ifndef GENERATOR_H
#define GENERATOR_H

#include <stdbool.h>
#include <jv.h>

#include "base/err.h"
#include "base/textlist.h"

enum { GENERATOR_CPU_S = 20, GENERATOR_MEMORY_MIB = 2048 };

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
