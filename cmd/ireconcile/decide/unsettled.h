/*
 * unsettled: what a program never stops changing.
 *
 * A status that counts its own writes, an item with the time in it, objects
 * with ever new names, two programs that answer each other: each write causes
 * the next one, as fast as the API server can. So each point of a primary has a
 * budget: BUDGET to begin with, REFILL a second. A change of what is wanted
 * costs OWN if nobody else did anything since the last one (the primary apart
 * from its status, what is related, the status of what is owned), else OTHERS:
 * a hundred changes at once and one a second for ever are fine, and 3000 and
 * thirty a second where somebody else is at work. (Of a set that is deleted and
 * made anew thirty times at once are enough.) What goes beyond is held back,
 * for 10 seconds, doubling to 10 minutes; it is named, by path and values, in
 * the log, an Event and a condition Unsettled. It is over when nothing was
 * changed for as long as it was held back, or when the primary's users change
 * it.
 *
 * Points by name: "item KEY" (content), "set" (what is made anew or deleted),
 * "status", "events".
 */
#ifndef UNSETTLED_H
#define UNSETTLED_H

#include "decide/decide.h"

/* A decision begins: what is over? It ends: when is it to be repeated? */
void unsettled_begin(struct primary *p, struct decision *d);
void unsettled_end(struct decision *d);
/* The decision wants to change the point: may it not yet? */
bool unsettled_wants(struct decision *d, const char *name);

/*
 * A line with news is about to be printed: counts. True if there is something
 * else to tell than the decision does; what gets a line for each point that is
 * found out to be unsettled.
 */
bool unsettled_count(
    struct primary *p, const struct decision *d, struct buf *what);
/* It was printed, but not yet remembered. */
void unsettled_hold(struct primary *p, struct decision *d);

/* Is it held back, so that what was asked for before is not cancelled? */
bool unsettled_is_held(
    const struct primary *p, const char *what, int64_t now_us);

/* status (consumed) with the condition, or without it; returned owned. */
jv unsettled_condition(const struct decision *d, jv status);
/* The program's events (consumed), and one for each point. */
jv unsettled_events(const struct decision *d, jv events);

#endif
