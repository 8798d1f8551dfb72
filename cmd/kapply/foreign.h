/*
 * foreign: objects that are not members.
 *
 * Deletions (delete_foreign of the jq library): they are not ours by any proof,
 * so little is certain: only the version that the program saw is deleted, and
 * nothing that a kpipe operator has made, nor what is never adopted (spare.h).
 *
 * Fields (patch_only): a conflict names field managers, and that of a primary by
 * a digest. The primary's mark on the object says which one that is
 * (doc/protocol.md, "Marks").
 */
#ifndef FOREIGN_H
#define FOREIGN_H

#include "send.h"
#include "spare.h"

/* The object of c's item was read: deletes it, drops the item, or fails. */
void foreign_read(struct call *c, struct span object);

/* c's apply got a conflict of fields: the object is read next. */
void foreign_conflict(struct call *c, const struct kube_error *e);
/* It was read, or could not be: the item fails. */
void foreign_holder(struct call *c, const struct kube_answer *answer);

/*
 * An object that has the name of an item, or is to be deleted, and is not a
 * member: the item fails, and says of what else it is part.
 */
void foreign_refuse(struct call *c, struct span object);
/*
 * A plain object for an apply set was read. True: another set has it, or an
 * operator made it, and the item fails; else they would change it in turn, and
 * the first that does not want it any more deletes it. (What has the label of
 * this set was applied by it, or is a copy.)
 */
bool foreign_to_set(struct call *c, struct span object);
/* See spare.h, for the item of the call. */
enum spare_when foreign_spared(
    const struct call *c, struct span object, const char **why);

#endif
