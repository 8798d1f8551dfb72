/*
 * guards: which functions of libjq a program may call.
 *
 * The language is a closed list (doc/program.md, "The language"): the functions
 * that are the same in libjq 1.6 to 1.8, and those of the prelude. Every call
 * in a program's text is looked up; any other name is refused, with file and
 * line and, if possible, with what to write instead. Impure functions (now,
 * env, input, halt ...) are refused, too. `input`, and jq's own `debug`, which
 * the prelude needs, are also hidden by definitions behind it. (A program's
 * `debug` is another one: see jqparse.h.)
 */
#ifndef GUARDS_H
#define GUARDS_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/nearest.h"
#include "base/span.h"

/* Appends definitions that hide functions for the prelude only; returns their
 * number of lines. */
int guards_add(struct buf *text);

/* Whether " NAME/ARITY NAME/ARITY ... " has this function. */
bool guards_is_listed(const char *list, struct span name, int arity);
/* Whether this function of libjq may be called unchanged. */
bool guards_is_free(struct span name, int arity);
/* Offers all functions that may be called to n. */
void guards_offer(struct nearest *n);
/* Why this name may not be called: a format with one %.*s for the name, or NULL
 * if the name is unknown. */
const char *guards_refusal(struct span name);

/* The error for a variable, a format (@name), or a definition of this name;
 * NULL if it is allowed. The last two are formats with one %.*s for the
 * name. */
const char *guards_variable(struct span name);
const char *guards_format(struct span name);
const char *guards_definition(struct span name, int arity);

#endif
