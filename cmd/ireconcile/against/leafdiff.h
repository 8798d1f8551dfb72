/*
 * leafdiff: the fields in which two values differ, both ways.
 *
 * agree.h asks whether an observed object is as desired; here both are desired,
 * so what only one has counts as well. Elements of keyed lists are compared by
 * key, others by index; quantities as amounts; what is in one value only is one
 * difference, however large. Fields that follow from others do not count: the
 * annotations kpipe.dev/paths and of proofs, lastTransitionTime of conditions.
 */
#ifndef LEAFDIFF_H
#define LEAFDIFF_H

#include <stddef.h>
#include <jv.h>

#include "agree/apischema.h"

enum { LEAFDIFF_MOST = 50, LEAFDIFF_LONGEST = 512 };

/* before, after: JSON text, cut at LEAFDIFF_LONGEST bytes; NULL: there is no
 * such field, or its value is not shown. All owned. */
struct leafdiff_field {
	char *path, *before, *after;
};

struct leafdiff {
	struct leafdiff_field *fields; /* owned, LEAFDIFF_MOST at most */
	size_t count, more;	       /* more: those not in fields */
};

/* Values that are shown: all; all but those with a text in them; or paths
 * only. */
enum leafdiff_values { LEAFDIFF_VALUES, LEAFDIFF_NO_TEXTS, LEAFDIFF_PATHS };

/*
 * Appends to *d (zeroed before) the differences of two values, each of which
 * may be invalid: absent. member: they are this member of an object, so paths
 * begin with it; NULL: they are the object, and its schema is used.
 */
void leafdiff_add(struct leafdiff *d, const char *member, jv before_peek,
    jv after_peek, enum leafdiff_values shown);
void leafdiff_release(struct leafdiff *d);

#endif
