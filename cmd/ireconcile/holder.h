/*
 * holder: finds out whether another instance of the operator holds a primary.
 * Then this instance decides nothing about the primary (doc/protocol.md,
 * "Instances").
 *
 * The holder is the instance that has claimed the primary, for a finalizer of
 * ours. If none has, it is the instance that made the oldest of the members
 * that name an instance: all instances see the same member, so only one goes
 * on.
 */
#ifndef HOLDER_H
#define HOLDER_H

#include <stdbool.h>

#include "state/primary.h"

/* Whether p, which exists, is another instance's; b, if not NULL, gets its
 * name. */
bool holder_find(const struct primary *p, struct buf *b);
/* Calls holder_find, notes the result in p->holder, and logs a change. */
bool holder_look(struct primary *p);

#endif
