/*
 * prelude: definitions that stand before a program, as far as it needs them.
 *
 * With these definitions every version of libjq has the language of
 * doc/program.md. A definition takes time to compile even if it is not called,
 * so only those are put in that the program's text calls, and those that these
 * call.
 *
 * Names that begin with _jq are for text that jqparse writes; a program
 * can neither define nor call them.
 */
#ifndef PRELUDE_H
#define PRELUDE_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/nearest.h"
#include "base/span.h"

enum { PRELUDE_MAX = 128 };

/* The definitions that are wanted, by index. */
struct prelude {
	bool wanted[PRELUDE_MAX];
};

/* Index of a definition, or -1. */
int prelude_find(struct span name, int arity);
/* Offers all definitions to n. */
void prelude_offer(struct nearest *n);
/* Marks a definition and all that it calls. */
void prelude_want(struct prelude *prelude, int index);
/* Appends the wanted definitions; returns their number of lines. */
int prelude_write(const struct prelude *prelude, struct buf *out);

#endif
