/*
 * finals: a finalizer is gone only when its work is done (invariant
 * "finalizer").
 *
 * What the operator deletes in clean records between the deletion of a primary
 * and its end is deleted by its end in every record, unless another client took
 * the finalizer away.
 */
#ifndef FINALS_H
#define FINALS_H

#include "oracle/played.h"
#include "oracle/violations.h"

struct finals;

/* Borrows both. */
struct finals *finals_new(
    const struct played *clean, const struct played *other);
void finals_free(struct finals *g);
void finals_check(
    const struct finals *g, const struct played *p, struct violations *f);

#endif
