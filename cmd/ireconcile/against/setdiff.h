/*
 * setdiff: the objects about which two whole lines of ireconcile (--all) of the
 * same primary differ, and the fields in which they do, both ways.
 *
 * agree.h asks whether an observed object is as desired; here both are desired,
 * so a field that only one has counts as well. Elements of keyed lists are
 * compared by key, others by index; quantities as amounts; a field that is in
 * one value only is one difference, however large. Fields that follow from
 * others do not count: the annotations kpipe.dev/paths and of proofs,
 * lastTransitionTime of conditions.
 */
#ifndef SETDIFF_H
#define SETDIFF_H

#include <stdbool.h>
#include <stddef.h>
#include <jv.h>

#include "base/span.h"

enum { SETDIFF_MOST = 50, SETDIFF_LONGEST = 512 };

/* before, after: JSON text, cut at SETDIFF_LONGEST bytes; NULL: there is no
 * such field, or its value is not shown. All owned. */
struct setdiff_field {
	char *path, *before, *after;
};

struct setdiff_fields {
	struct setdiff_field *fields; /* owned, SETDIFF_MOST at most */
	size_t count, more;	      /* more: those not in fields */
};

/* Values that are shown: all; all but those with a text in them; or paths
 * only. */
enum setdiff_values { SETDIFF_VALUES, SETDIFF_NO_TEXTS, SETDIFF_PATHS };

/*
 * Appends to *d (zeroed before) the differences of two values, each of which
 * may be invalid: absent. member: they are this member of an object, so paths
 * begin with it; NULL: they are the object, and its schema is used.
 */
void setdiff_add_fields(struct setdiff_fields *d, const char *member,
    jv before_peek, jv after_peek, enum setdiff_values shown);
void setdiff_release_fields(struct setdiff_fields *d);

/* A decision. All borrowed. */
struct setdiff_side {
	bool there;	   /* the entry has this primary */
	const char *error; /* why it failed, or NULL */
	struct span line;  /* a whole set (--all), from line_add */
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
	char *object; /* owned: key of the object, or of the primary */
	struct setdiff_fields fields; /* for SETDIFF_DIFFERS */
	char *message;		      /* owned: for SETDIFF_UNKNOWN, or NULL */
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
