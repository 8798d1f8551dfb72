/*
 * finals: a finalizer goes only when its work is done (invariant "finalizer").
 *
 * What the operator deletes in clean records between the deletion of a primary
 * and the moment in which it drops a finalizer of it, it has deleted by that
 * moment in every record: the object of that name; and each object of that kind
 * which names the primary as its owner, as far as none of the kind is ever left
 * in clean records. In clean ones, too, what it has begun to delete for that
 * deletion, and which names its owner, is gone by then. Not if another client took
 * a finalizer away.
 */
#ifndef FINALS_H
#define FINALS_H

#include "oracle/played.h"
#include "oracle/violations.h"

struct finals;

/* Borrows nothing. */
struct finals *finals_new(
    const struct played *clean, const struct played *other);
/* p: a clean record of another scenario; its texts are copied. */
void finals_learn(struct finals *g, const struct played *p);
void finals_free(struct finals *g);
void finals_check(
    const struct finals *g, const struct played *p, struct violations *f);

#endif
