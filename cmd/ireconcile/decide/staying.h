/*
 * staying: differences that stay although the item was applied: the API server
 * or an admission webhook drops or rewrites what is desired.
 *
 * Only the API server knows whether it accepted an apply, and it tells kapply.
 * So ireconcile learns it from the object: when the deadline of a request has
 * passed, the item is applied with the annotation kpipe.dev/accepted, whose
 * value is a code of the desired content and of the observed differences. An
 * apply that fails changes nothing. If the object comes back with the code of
 * exactly the differences that it has, those differences stay: they are
 * tolerated, and named in the log and in an Event. The annotation remembers
 * them as long as the desired content and these differences are the same,
 * whatever else changes. Every ten minutes the item is applied again all the
 * same, because the webhook that rewrote the field may be gone.
 *
 * Another difference than these is drift: a new request at once. An item that
 * agreed, and has an old difference back, is repaired without the code.
 * generation tells the same: it counts the changes since the apply.
 *
 * Source: server-side apply of Kubernetes writes all or nothing, so a new
 * annotation proves that the rest was accepted.
 */
#ifndef STAYING_H
#define STAYING_H

#include "decide/decide.h"

/* Whether o agrees with i. Else the first path that differs is appended to
 * path, and all differences are kept in i. */
bool staying_compare(const struct primary *p, struct desired_item *i,
    const struct cache_object *o, jv desired_peek, jv observed_peek,
    struct buf *path);
void staying_agrees(struct desired_item *i);

/* Whether all differences are tolerated. */
bool staying_is_tolerated(const struct desired_item *i);
/* Whether there is a difference that the last request did not have. */
bool staying_has_grown(const struct desired_item *i);
/* The item was requested. */
void staying_requested(struct desired_item *i);

/* The code in the annotations of o; SPAN_NONE if there is none. */
struct span staying_code(const struct primary *p, const struct desired_item *i,
    const struct cache_object *o);
/* The name of the annotation, appended. */
void staying_name(
    struct buf *b, const struct primary *p, const struct desired_item *i);

/* The deadline has passed: items that were requested are applied with the
 * code. */
void staying_try(struct primary *p, const struct decision *d);

/* The text of the point's item as the line has it, appended. */
void staying_add(
    struct buf *b, const struct primary *p, const struct point *pt);

/* Differences that are tolerated and were not told: a line for each item is
 * appended to what. Returns their number. */
size_t staying_tell(const struct decision *d, struct buf *what);
/* The events (consumed), and one for each item with such differences. */
jv staying_events(const struct decision *d, jv events);

#endif
