/*
 * checked: a part of a CustomResourceDefinition that is checked: its value, its
 * path, and the causes that its refusals are added to. Paths are those of the
 * API server's internal type.
 */
#ifndef CHECKED_H
#define CHECKED_H

#include <stdbool.h>
#include <stddef.h>

#include "base/span.h"
#include "tree/tree.h"
#include "type/cause.h"

struct checked {
	struct causes *c; /* borrowed */
	struct span path;
	const struct node *value; /* NULL: it is absent */
};

/* path.KEY; a key with dots leads further down. */
struct checked checked_at(const struct checked *p, const char *key);
/* path[i] of a list */
struct checked checked_item(const struct checked *p, size_t i);
/* path.properties[NAME]: property i of a schema */
struct checked checked_property(const struct checked *schema, size_t i);

bool checked_true(const struct checked *p, const char *key);
/* The member is present and not a zero value. */
bool checked_is_set(const struct checked *p, const char *key);
struct span checked_text(const struct checked *p, const char *key);
/* The number of properties of a schema. */
size_t checked_properties(const struct checked *schema);

enum refusal {
	REFUSE_REQUIRED,
	REFUSE_FORBIDDEN,
	REFUSE_INVALID,	     /* shows the value; null if it is absent */
	REFUSE_INVALID_TEXT, /* shows the text; "" if it is absent */
	REFUSE_MISSING	     /* required if there is no text, else invalid */
};

/* Adds a cause about the member key; NULL: about the part itself.
 * fmt NULL: without a detail. */
void checked_refuse(const struct checked *p, const char *key, enum refusal e,
    const char *fmt, ...) __attribute__((format(printf, 4, 5)));
/* text is one of those in list, which commas separate. */
bool checked_is_among(struct span text, const char *list);
/* Refuses the member key unless it is one of those in list. */
void checked_need_among(
    const struct checked *p, const char *key, const char *list);

#endif
