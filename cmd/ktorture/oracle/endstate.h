/*
 * endstate: the objects at the end of a record are those of the clean one.
 *
 * What differs between the two clean records is not compared: paths, by object;
 * and the number of objects with a name that is made up (played.h, canon),
 * which may be any between the two. Nothing may remain with a
 * deletionTimestamp that is not so in a clean record (invariant "finalizer"),
 * nor with an owner that is gone.
 */
#ifndef ENDSTATE_H
#define ENDSTATE_H

#include "oracle/normal.h"
#include "oracle/played.h"
#include "oracle/violations.h"

struct endstate;

/* Borrows all three; rules: of the scenario. */
struct endstate *endstate_new(
    const struct played *clean, const struct played *other, jv rules_peek);
void endstate_free(struct endstate *e);
void endstate_check(
    const struct endstate *e, const struct played *p, struct violations *f);

#endif
