/*
 * backoff: primaries and objects that are not evaluated for some time, because
 * their last evaluation ended at a limit, crashed, or took long.
 *
 * A back-off is kept by key ("NAMESPACE\0NAME"), so another spec or another
 * object of that name does not get around it. After a failure the wait is 10
 * seconds, doubling up to ten minutes with each failure in a row. After an
 * evaluation that took longer than BACKOFF_CHEAP_US the wait is BACKOFF_FACTOR
 * times that time.
 *
 * Times are ticks of sched.h, microseconds.
 */
#ifndef BACKOFF_H
#define BACKOFF_H

#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"
#include "base/span.h"

enum { BACKOFF_CHEAP_US = 50 * 1000, BACKOFF_FACTOR = 10 };

/* An evaluation failed. Returns the end of the back-off. */
int64_t backoff_failed(struct map *all, struct span key, int64_t now);
/* An evaluation succeeded that took so much CPU time. */
void backoff_went_well(
    struct map *all, struct span key, int64_t now, uint64_t took_us);

/* A user requests an evaluation: ends the back-off, but not before the shortest
 * wait is over, because a user may do so often. */
void backoff_hurry(struct map *all, struct span key);

/* The end of the back-off; 0 if there is none. */
int64_t backoff_until(const struct map *all, struct span key, int64_t now);
/* Whether the last evaluation failed. */
bool backoff_has_failed(const struct map *all, struct span key);

void backoff_release(struct map *all);

#endif
