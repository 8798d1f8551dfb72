/*
 * holder: another instance of the operator that has a primary: nothing is
 * decided about that one here (doc/protocol.md, "Instances").
 *
 * It is the instance that has claimed the primary, for a finalizer of ours; or
 * else, if none has, the one that made the oldest of the members that name
 * an instance: both see the same one, so that only one of them goes on.
 */
#ifndef HOLDER_H
#define HOLDER_H

#include <stdbool.h>

#include "state/primary.h"

/* Whether p, which exists, is another instance's; b, if not NULL, gets its
 * name. */
bool holder_find(const struct primary *p, struct buf *b);
/* holder_find, noted in p->holder; a change is logged. */
bool holder_look(struct primary *p);

#endif
