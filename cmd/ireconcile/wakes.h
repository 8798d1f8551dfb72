/*
 * wakes: when a primary is evaluated again although nothing changes.
 */
#ifndef WAKES_H
#define WAKES_H

#include "decide/line.h"

/* After an evaluation, which took so much CPU time. printed: why a line was, or
 * LINE_NOTHING. */
void wakes_set(struct sched *s, struct primary *p, const struct decision *d,
    enum line_due printed, uint64_t took_us);

/* The wall clock was set: what waits for a time of day. */
void wakes_clock_set(struct sched *s, struct primary *p);

/*
 * A line whose primary has changed since is wanted again: may it be printed
 * now? Else a wake-up is set.
 */
bool wakes_again(struct sched *s, struct primary *p);

/* Is it not to be evaluated yet (backoff.h)? Then a wake-up is set. */
bool wakes_back_off(struct sched *s, struct primary *p);

#endif
