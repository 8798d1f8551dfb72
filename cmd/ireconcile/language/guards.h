/*
 * guards: which functions of libjq a program may call.
 *
 * The language is a closed list (doc/program.md, "The language"): what is the
 * same in libjq 1.6 to 1.8, and what the prelude defines. Every call in a
 * program's text is looked up; any other name is refused, with file and line
 * and, where there is one, what to write instead. Impure functions (now, env,
 * input, halt ...) are refused like that. Two of them, `input` and `debug`,
 * are also hidden by definitions behind the prelude, which needs them.
 */
#ifndef GUARDS_H
#define GUARDS_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/span.h"

/* Appends definitions that hide what only the prelude may call, and returns
 * how many lines they are. */
int guards_add(struct buf *text);

/* May this function of libjq be called as it is? */
bool guards_is_free(struct span name, int arity);
/* Why not: a format with one %.*s for the name, or NULL if nobody knows it. */
const char *guards_refusal(struct span name);

/* What to say about a variable, a format (@name), or a definition of this
 * name; NULL if there is nothing to say. The last two are formats with one
 * %.*s for the name. */
const char *guards_variable(struct span name);
const char *guards_format(struct span name);
const char *guards_definition(struct span name, int arity);

#endif
