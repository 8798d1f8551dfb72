/*
 * remade: nothing is made twice (invariant "twice").
 *
 * - An object that the operator or the garbage collector deleted is not made
 *   again, unless another client or the played cluster deleted it, or its
 *   primary went, or a client changed the primary or another object that it may
 *   depend on. This holds for the clean record as well.
 * - No object is made more often than in a clean record; nor are there more
 *   objects with a name that is made up.
 *
 * An object that was made for an owner that is gone by then does not count, for
 * the deletion may not have been seen yet; but five of them are too many.
 */
#ifndef REMADE_H
#define REMADE_H

#include "oracle/played.h"
#include "oracle/violations.h"

struct remade;

/* Borrows all three. */
struct remade *remade_new(
    const struct played *clean, const struct played *other, jv rules_peek);
void remade_free(struct remade *r);
void remade_check(
    const struct remade *r, const struct played *p, struct violations *f);

#endif
