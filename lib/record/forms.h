/*
 * forms: looks for something in a text, in any form that a program gives it
 * without losing it: as it is, in base64 (also that of URLs) wherever that begins
 * and however its lines are broken, in JSON within a string, and three of these
 * in one another.
 */
#ifndef FORMS_H
#define FORMS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/span.h"

/* Whether a text has it, as it is. */
typedef bool forms_has(struct span text, const void *what);

/* Whether has() says so of a text, or of what is in it in another form; size:
 * bytes that it has at least, 3 or more. */
bool forms_in(struct span text, size_t size, forms_has *has, const void *what);

#endif
