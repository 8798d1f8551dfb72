/*
 * adopt: objects of other operators: takes them over, where a line allows it
 * (reconcile.adopt, the label's key): an object without an owner (see below),
 * whose label KEY is the name of the primary. Some are never adopted, or only if
 * watches.yaml says so: a message must not suggest it.
 */
#ifndef ADOPT_H
#define ADOPT_H

#include <stdbool.h>

#include "apply.h"

enum adopt_when {
	ADOPT_FREELY, /* adopted, and a message may offer that */
	ADOPT_ASKED,  /* only where `adopt` asks for it */
	ADOPT_NEVER
};

/*
 * When object, as the server has it with the name of the item, may be adopted.
 * why, of ADOPT_NEVER: "it is ...", static.
 */
enum adopt_when adopt_when(const struct apply *a, const struct set *s,
    const struct item *i, struct span object, const char **why);

/* Whether it is the set's own primary, in any version of its API. */
bool adopt_is_primary(const struct set *s, struct span object);

/*
 * object has the name of the item and is not a member. May it be taken over? By
 * its label alone: a member that lost its owner reference does not say whose it
 * was, and another primary's is not ours.
 */
bool adopt_may(const struct set *s, const struct item *i, struct span object);
/*
 * An object that has the name of an item, or is to be deleted, and is not a
 * member: appends why the item fails, and of what else the object is part.
 * Whether time may mend that: it does when the object is being deleted.
 */
enum retry_kind adopt_refuse(struct buf *b, const struct apply *a,
    const struct set *s, const struct item *i, struct span object);

/*
 * A JSON patch by which all that others own by Update becomes what manager
 * applied in the item's apiVersion, so that the apply which follows removes
 * what is not desired any more (csaupgrade of client-go does that for one
 * manager). Fields of subresources, of other appliers, and of Kubernetes' own
 * components stay. References to the primary from where it cannot own go with
 * it: a garbage collector deletes the object for them, sooner or later. False:
 * there is nothing to change.
 */
bool adopt_patch(struct buf *b, const struct set *s, const struct item *i,
    struct span object, struct span manager);

#endif
