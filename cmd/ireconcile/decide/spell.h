/*
 * spell: writes a decision as a line (doc/protocol.md, "Desired sets").
 * Everything is appended, without a newline.
 */
#ifndef SPELL_H
#define SPELL_H

#include "decide/decide.h"

void spell_line(
    struct buf *b, const struct primary *p, const struct decision *d);
/* A line that cancels: for a primary that is gone, or must not be touched. */
void spell_empty(struct buf *b, const struct primary *p);

/* reconcile.primary */
void spell_identity(struct buf *b, const struct cache_object *o);

#endif
