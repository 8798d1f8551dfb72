/*
 * unsettled: holds back changes that a program makes without end.
 *
 * A status that counts its own writes, an item with the time in it, objects
 * with ever new names, two programs that answer each other: each write causes
 * the next one, as fast as the API server can. So each point of a primary has a
 * budget: BUDGET to begin with, REFILL a second. A change of a desired point
 * costs OWN if nothing else changed since the last one (the primary apart from
 * its status, related objects, the status of owned ones), else OTHERS: a
 * hundred changes at once and one a second for ever are fine, or 3000 and
 * thirty a second while others make changes. (For a set that is deleted and
 * created again, thirty times at once are enough.) A point without a budget is
 * held back, for 10 seconds, doubling to 10 minutes; the log, an Event and a
 * condition Unsettled name it by path and values. The hold is over when the
 * point did not change for as long as it was held back, or when the primary's
 * users change the primary.
 *
 * UNSETTLED_ITEM is the content of one item, UNSETTLED_SET objects that are
 * created again or deleted.
 */
#ifndef UNSETTLED_H
#define UNSETTLED_H

#include "decide/decide.h"

/* A decision begins: ends the holds that are over. */
void unsettled_begin(struct decision *d);
/* A decision ends: plans the next look. */
void unsettled_end(struct decision *d);
/* Whether a change of this kind is held back. label: of the item, or NULL. */
bool unsettled_wants(
    struct decision *d, enum unsettled_what what, const char *label);

/*
 * A line with news is about to be printed: counts it. True if there is news
 * that the decision does not have; what gets a line for each point that is
 * found to be unsettled.
 */
bool unsettled_count(
    struct primary *p, const struct decision *d, struct buf *what);
/* The line was printed, but is not yet remembered: begins the holds. */
void unsettled_hold(struct primary *p, struct decision *d);

/* Whether the target is held back, so that its earlier request is not
 * cancelled. */
bool unsettled_is_held(
    const struct primary *p, const struct target *t, int64_t now_us);

bool unsettled_any(const struct decision *d);
/* status (consumed) with the condition Unsettled, or without it if no point is
 * unsettled; returned owned. */
jv unsettled_condition(const struct decision *d, jv status);
/* The program's events (consumed), and one for each unsettled point. */
jv unsettled_events(const struct decision *d, jv events);

#endif
