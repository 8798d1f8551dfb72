/*
 * opponent: who changes back what a set wants (OP_LOOK).
 */
#ifndef OPPONENT_H
#define OPPONENT_H

#include <stdbool.h>

#include "buf.h"
#include "set.h"
#include "span.h"

/*
 * Appends who owns the field that the item is about, before our apply takes it
 * back; `ours` is our manager. If that has happened already, it is who owned it
 * before. False: nobody can say.
 */
bool opponent_find(struct buf *b, const struct set *s, const struct item *look,
    struct span ours, struct span object);

/* An older set found the same. */
bool opponent_was_told(const struct item *look);

#endif
