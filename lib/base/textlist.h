/*
 * textlist: a list of strings that it owns.
 */
#ifndef TEXTLIST_H
#define TEXTLIST_H

#include <stdbool.h>
#include <stddef.h>

#include "base/span.h"

struct textlist {
	char **items; /* count strings and a NULL */
	size_t count;
};

/* An empty one; all others take an initialised or zeroed list. */
void textlist_init(struct textlist *list);
void textlist_release(struct textlist *list);
void textlist_add(struct textlist *list, const char *p, size_t n);
/* Adds a text unless the list has it. */
void textlist_add_once(struct textlist *list, struct span text);
bool textlist_has(const struct textlist *list, const char *p, size_t n);
void textlist_copy(struct textlist *to, const struct textlist *from);
/* Adds a and b of "a, b"; nothing for empty pieces. */
void textlist_split(struct textlist *list, const char *text);

#endif
