/*
 * guards: what stands before every program's text.
 *
 * Impure or dangerous functions and variables are refused twice: their names
 * when the text is read (with file and line), and by definitions that hide
 * the built-in ones (which hold whatever the text looks like). The others
 * correct what libjq 1.6 does wrong.
 */
#ifndef GUARDS_H
#define GUARDS_H

#include <stdbool.h>

#include "buf.h"
#include "span.h"

/* Appends the definitions and returns how many lines they are. */
int guards_add(struct buf *text);

/* What to say about this name, or NULL if it is free. */
const char *guards_word(struct span word);
const char *guards_variable(struct span name);

#endif
