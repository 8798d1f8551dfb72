/*
 * points: the list of a decision's points (decide.h), and what is outstanding,
 * as the program sees it.
 */
#ifndef POINTS_H
#define POINTS_H

#include "decide/decide.h"

/* A new one; `what` is taken. It is valid until the next one is added. */
struct point *points_add(
    struct decision *d, enum point_type type, struct buf *what);
/* For decide_find, when no more will be added. */
void points_index(struct decision *d);
/* One more object (text), or an identity, is in .outstanding. */
void points_outstanding(struct decision *d, struct span object);
/* {apiVersion, kind, metadata: {namespace, name, uid}} of o, appended. */
void points_identity(struct buf *b, const struct cache_object *o);

#endif
