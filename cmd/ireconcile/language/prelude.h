/*
 * prelude: definitions that stand before a program, as far as it needs them.
 *
 * They make a libjq that is older, newer or wrong do what doc/program.md says
 * the language is. A definition takes time to compile whether it is called or
 * not, so only those are put in that the program's text calls, and what these
 * call.
 *
 * Names that begin with _jq are for the text that jqparse writes; a program
 * can neither define nor call them.
 */
#ifndef PRELUDE_H
#define PRELUDE_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/span.h"

enum { PRELUDE_MAX = 128 };

/* Which definitions are wanted. */
struct prelude {
	bool wanted[PRELUDE_MAX];
};

/* Index of a definition, or -1. */
int prelude_find(struct span name, int arity);
/* Marks one and all that it calls. */
void prelude_want(struct prelude *prelude, int index);
/* Appends what is wanted, and returns how many lines that is. */
int prelude_write(const struct prelude *prelude, struct buf *out);

#endif
