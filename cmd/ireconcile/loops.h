/*
 * loops: somebody else who changes back what we repair.
 *
 * The same desired content that is repaired again and again, each time after
 * it had agreed, is a loop: it is said once, in the log and as an Event, with
 * the path that differs, and further repairs of that item are held back, for
 * 10 seconds, doubling to 10 minutes.
 */
#ifndef LOOPS_H
#define LOOPS_H

#include "decide.h"

/*
 * A line with this decision is about to be printed: counts repairs. Adds an
 * Event to d->events and a line to `what` for each loop that is new.
 */
void loops_count(struct primary *p, struct decision *d, struct buf *what);

#endif
