/*
 * builtins: which of jq's own definitions a program needs.
 *
 * A definition is needed if the program, or another one that is needed, calls
 * its name with as many arguments, and the program has not defined that itself
 * before; or if an operator calls it (`|=`, `..`). A named call that is not
 * found costs a second compilation, with all; in 1.6 one that the compiler makes
 * ends the process.
 */
#ifndef BUILTINS_H
#define BUILTINS_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/span.h"

/* Appends the needed ones of `all` to out, in their order. False: all is not a
 * list of definitions. See libjq/jqcompile.h. */
bool builtins_pick(struct span all, struct span program, struct buf *out);

#endif
