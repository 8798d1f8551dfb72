/*
 * requeue: plans evaluations of a primary when nothing changes.
 */
#ifndef REQUEUE_H
#define REQUEUE_H

#include "decide/line.h"

/* Call it after an evaluation, which took took_us of CPU time. printed: the
 * reason for the line, or LINE_NOTHING. */
void requeue_set(struct sched *s, struct primary *p, const struct decision *d,
    enum line_due printed, uint64_t took_us);

/* The wall clock was set: plans times of day again. */
void requeue_clock_set(struct sched *s, struct primary *p);

/*
 * A stale line, whose primary has changed, is wanted again: returns whether it
 * may be printed now; if not, sets a timer.
 */
bool requeue_again(struct sched *s, struct primary *p);

/* Whether p must not be evaluated yet (backoff.h); then sets a timer. */
bool requeue_back_off(struct sched *s, struct primary *p);

/*
 * Whether p must not be evaluated yet, as evaluationsPerMinute of its entry
 * wants; then sets a timer. If it may, that counts as an evaluation.
 */
bool requeue_limits(struct sched *s, struct primary *p);

#endif
