/*
 * throttle: limits the primaries of an entry that are in work at once to
 * `limit`; the others wait, first come, first served. See doc/protocol.md.
 */
#ifndef THROTTLE_H
#define THROTTLE_H

#include "decide/line.h"
#include "state/entry.h"

/* At the start: primaries that were begun and are not settled hold slots. */
void throttle_start(struct entries *es, struct entry *e);

/* Whether this line may be printed now. Takes a slot or a place in the
 * queue. */
bool throttle_allows(struct entries *es, struct primary *p, enum line_due due);

/* After an evaluation: frees the slot of a primary that is settled or
 * failed. */
void throttle_observe(struct entries *es, struct primary *p,
    const struct decision *d, bool printed);

/* Frees the slot of p, and its place in the queue. */
void throttle_leave(struct entries *es, struct primary *p);

#endif
