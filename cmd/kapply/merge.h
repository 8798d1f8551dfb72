/*
 * merge: the merge patches beside the apply of an item. The patch is then in
 * i->patch.
 */
#ifndef MERGE_H
#define MERGE_H

#include "kube/kube.h"
#include "set/set.h"

/*
 * Another client changed the key of an element of one of our lists: an apply
 * would add ours beside it, and the API server refuses values that both have
 * (the name of a port, say). So first the whole list is replaced by ours. uid:
 * of the apply that got this error. False: there is no such list.
 */
bool merge_list(struct item *i, struct span uid, const struct kube_error *e);

/* Others' keys in an item that is to be exactly ours are removed, or the mark of
 * what is given back (body_unmark), if others have written it, too. live: the
 * answer to the apply. Keys of a Secret without an owner: secret.h. False: there
 * are none. */
bool merge_trim(const struct set *s, struct item *i, struct span live);

#endif
