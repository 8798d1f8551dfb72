/*
 * loops: another field manager changes back what we repair.
 *
 * The same desired content that is repaired again and again, each time after it
 * had agreed, is a loop. Further repairs of that item are held back, for 10
 * seconds, doubling to 10 minutes; the line names it, with the path that
 * differs, so that kapply finds the other manager; the program sees it as
 * .loops; and a status with conditions gets one of type RepairLoop. It is over
 * when the item was not changed back for long enough: as long as it was held
 * back, and twice the time between two repairs.
 */
#ifndef LOOPS_H
#define LOOPS_H

#include "decide/decide.h"

/*
 * A line with this decision is about to be printed: counts repairs. Returns
 * the number of loops that are new; `what` gets a line for each.
 */
size_t loops_count(struct primary *p, struct decision *d, struct buf *what);
/* It was printed, but not yet remembered: holds back what is in a loop. */
void loops_hold(struct primary *p, const struct decision *d);
/* Is it not to be repaired yet? */
bool loops_is_held(const struct desired_item *i, int64_t now_us);
/* An item is looked at: ends its loop, or says when to look again. */
void loops_watch(struct desired_item *i, struct decision *d);

/*
 * An object is replaced before anybody looked at it: if it agreed, then what
 * was asked for was done, whatever its successor says.
 */
void loops_glimpse(struct primary *p, const struct cache_object *o);

/* reconcile.loops of the line, appended: those that kapply can name. */
void loops_spell(struct buf *b, const struct decision *d);
/* [{item, path}], owned. */
jv loops_list(const struct decision *d);
bool loops_any(const struct decision *d);
/* status (consumed) with the condition, or without it; returned owned. */
jv loops_condition(const struct decision *d, jv status);

#endif
