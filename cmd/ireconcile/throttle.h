/*
 * throttle: at most `limit` primaries of an entry are in work at once; the
 * others wait, first come, first served. See doc/protocol.md.
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

/* Frees slot and place. */
void throttle_leave(struct entries *es, struct primary *p);

#endif
