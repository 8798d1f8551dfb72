/*
 * itemorder: the order that after(OBJECT; OTHERS) of the library asks for. An
 * item goes into a line with those that it is after, and kapply waits for them
 * (`after` in doc/protocol.md). Where one of them is outstanding and not in the
 * line, because it is held back or is being deleted, the item waits here.
 */
#ifndef ITEMORDER_H
#define ITEMORDER_H

#include "state/primary.h"

/* Notes what i is after: the objects of `others` (jv, an array or invalid,
 * borrowed). Their namespaces are those that items get. -1 with err: the
 * operator has no such kind, so no such item. */
int itemorder_note(const struct primary *p, struct desired_item *i,
    jv others_peek, struct err *err);

/* Sets d->order, when all items are known. -1 with err: an item is after one
 * that the set does not have, or after itself. */
int itemorder_set(struct desired *d, struct err *err);

/* The item that is decided about as the n-th. */
static inline struct desired_item *
itemorder_nth(const struct desired *d, size_t n)
{
	return &d->items[d->order == NULL ? n : d->order[n]];
}

/* Whether an item that i is after was decided about and is `awaited`. */
bool itemorder_waits(const struct desired *d, const struct desired_item *i);

#endif
