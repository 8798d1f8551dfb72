/*
 * builtins: which of jq's own definitions a program needs.
 *
 * A definition is needed if its name is a word of the program, or of another
 * one that is needed, wherever that word stands: perhaps too many, never too
 * few. Those that the compiler calls by itself (for `|=`, `..`) are always needed.
 */
#ifndef BUILTINS_H
#define BUILTINS_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/span.h"

/* Appends the needed ones of `all` to out, in their order. False: all is not a
 * list of definitions. See json/jqcompile.h. */
bool builtins_pick(struct span all, struct span program, struct buf *out);

#endif
