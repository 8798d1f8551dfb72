/*
 * points: the list of a decision's points (decide.h), what is outstanding, as
 * the program sees it, and what ireconcile itself tells of the primary: notices.
 */
#ifndef POINTS_H
#define POINTS_H

#include "decide/decide.h"

/* A new point about an item or finalizer (label), or the status; or about the
 * deletion or release of an object. Valid until the next one is added. */
struct point *points_add(
    struct decision *d, enum point_type type, struct span label);
void points_add_object(
    struct decision *d, enum point_type type, const struct cache_object *o);
/* A notice, as its row in points.c says: a Warning about the primary, which is
 * an Event after those of the program, and perhaps logged when it is new. */
void points_note(struct decision *d, enum notice n, const char *message);
/* Adds all that was noted to the Events and complaints. Call it once, after the
 * program's Events. */
void points_tell(struct decision *d);
/*
 * status (consumed) with the true condition of this notice, or, if message is
 * empty, without it; returned owned. A status without a list `conditions` stays
 * as it is.
 */
jv points_set_condition(
    const struct decision *d, jv status, enum notice n, const char *message);
/* The observed condition of this notice, if it is true. */
struct span points_condition(const struct decision *d, enum notice n);
/* The primary is decided about again at at_us at the latest. */
void points_look_again(struct decision *d, int64_t at_us);
/*
 * o, a terminating member, is outstanding. Nothing is applied or deleted while
 * it is there, so only its finalizers, or the conditions of a Namespace, say
 * what it waits for: an Event names them when the deletion takes longer than
 * most do.
 */
void points_wait(struct decision *d, const struct cache_object *o);
/* Makes decide_find fast. Call it when no more points will be added. */
void points_index(struct decision *d);
/* Adds an identity (JSON) to .outstanding. */
void points_outstanding(struct decision *d, struct span identity);
/* Adds an item to .outstanding: its identity, and the first path in which its
 * object differs (NULL: none). Its values are left out: they may be secret, and
 * programs make statuses and Events of .outstanding. */
void points_outstanding_item(
    struct decision *d, const struct desired_item *i, const char *path);
/* {apiVersion, kind, metadata: {namespace, name, uid}} of o, appended. */
void points_identity(struct buf *b, const struct cache_object *o);

#endif
