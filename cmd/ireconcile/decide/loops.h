/*
 * loops: another field manager changes our repairs back.
 *
 * If one field of the same desired content is repaired again and again, each
 * time after it had agreed, that is a loop. Each field is counted alone:
 * repairs of different fields are not a loop. Further repairs of that item are
 * held back, for 10 seconds, doubling to 10 minutes. The line names the item
 * and the path that differs, so that kapply finds the other manager; the
 * program sees both as .loops; and a status with conditions gets one of type
 * RepairLoop. A loop is over when the item was not changed back for as long as
 * it was held back, and for twice the time between two repairs.
 */
#ifndef LOOPS_H
#define LOOPS_H

#include "decide/decide.h"

/*
 * A line with this decision is about to be printed: counts repairs. Returns
 * the number of loops that are new; `what` gets a line for each.
 */
size_t loops_count(struct primary *p, struct decision *d, struct buf *what);
/* The line was printed, but not yet remembered: holds back items in a loop. */
void loops_hold(struct primary *p, const struct decision *d);
/* Whether the repair of i is held back. */
bool loops_is_held(const struct desired_item *i, int64_t now_us);
/* A patched item is looked at: repairs of another object do not count. object
 * may be NULL. */
void loops_meet(struct desired_item *i, const struct cache_object *object);
/* An item is compared: ends its loop, or plans the next look. */
void loops_watch(struct desired_item *i, struct decision *d);

/*
 * An object is replaced before any evaluation saw it: if it agreed, the request
 * was done, even if the new version does not agree.
 */
void loops_replaced(struct primary *p, const struct cache_object *o);

/* Appends reconcile.loops of the line: the loops that kapply can name. */
void loops_add(struct buf *b, const struct decision *d);
/* [{item, path}], owned. */
jv loops_list(const struct decision *d);
bool loops_any(const struct decision *d);
/* status (consumed) with the condition RepairLoop, or without it if there is no
 * loop; returned owned. */
jv loops_condition(const struct decision *d, jv status);

#endif
