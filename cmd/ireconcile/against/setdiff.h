/*
 * setdiff: the objects about which two whole lines of ireconcile (--all) of the
 * same primary differ.
 */
#ifndef SETDIFF_H
#define SETDIFF_H

#include <stdbool.h>
#include <stddef.h>

#include "against/leafdiff.h"
#include "base/span.h"

/* A decision. All borrowed. */
struct setdiff_side {
	bool there;	   /* the entry has this primary */
	const char *error; /* why it failed, or NULL */
	struct span line;  /* as spell_line makes it, with whole sets */
};

enum setdiff_part {
	SETDIFF_PRIMARY, /* only one of the two has the primary */
	SETDIFF_FAILURE, /* .error; then items and deletes do not count */
	SETDIFF_ITEM,
	SETDIFF_DELETE,
	SETDIFF_RELEASE,
	SETDIFF_STATUS,
	SETDIFF_RECONCILE /* finalizers, events and the rest of the line */
};

enum setdiff_how {
	SETDIFF_DIFFERS,
	SETDIFF_ONLY_BEFORE,
	SETDIFF_ONLY_AFTER,
	SETDIFF_UNKNOWN /* SETDIFF_FAILURE: both fail, with one message */
};

struct setdiff_object {
	enum setdiff_part part;
	enum setdiff_how how;
	char *object; /* owned: its key; of the primary if the part is its */
	struct leafdiff fields; /* if it is SETDIFF_DIFFERS */
	char *message;		/* owned: of SETDIFF_UNKNOWN, or NULL */
};

struct setdiff {
	struct setdiff_object *objects; /* owned; by part, then by key */
	size_t count;
};

/* primary: its key. hide_texts: no value with a text in it is told. The values
 * of Secrets and ConfigMaps never are. */
void setdiff_make(struct setdiff *s, const char *primary,
    const struct setdiff_side *before, const struct setdiff_side *after,
    bool hide_texts);
void setdiff_release(struct setdiff *s);

/* How many of them differ: not those of SETDIFF_UNKNOWN. */
size_t setdiff_differing(const struct setdiff *s);

/* "item", "status", ...; "differs", "only-before", ... */
const char *setdiff_part_name(enum setdiff_part part);
const char *setdiff_how_name(enum setdiff_how how);

#endif
