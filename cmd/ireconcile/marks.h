/*
 * marks: what makes an object provably a primary's own (doc/protocol.md,
 * "Marks"): a controller reference with the primary's uid; or, where that
 * cannot be, a label and an annotation that names both.
 */
#ifndef MARKS_H
#define MARKS_H

#include <stdbool.h>
#include <jv.h>

#include "buf.h"
#include "span.h"
#include "store.h"

#define MARKS_PART_OF "kpipe.dev/part-of"
#define MARKS_MEMBER "kpipe.dev/member"

/* Is o a member of primary? */
bool marks_is_member(const struct object *o, const struct object *primary);

/*
 * The key ("NAMESPACE\0NAME") of the primary of this kind that o's label and
 * annotation name, appended to key; false if they name none or another
 * object than o.
 */
bool marks_named_primary(
    const struct object *o, const struct kind *primaries, struct buf *key);

/*
 * for (struct marks_owners i = marks_owners(o); marks_owner(&i);) ... i.uid
 */
struct marks_owners {
	struct span rest;
	struct span uid;
	bool controller;
};
struct marks_owners marks_owners(const struct object *o);
bool marks_owner(struct marks_owners *i);

/* Can an object there have a controller reference to this primary? */
bool marks_can_own(const struct object *primary, struct span ns);

/*
 * item (consumed) with the mark of a member of primary; label is the item's
 * "Kind.group/namespace/name", ns its namespace. Returned owned.
 */
jv marks_add(
    jv item, const struct object *primary, struct span ns, const char *label);

#endif
