/*
 * backoff: primaries and objects that are not evaluated for some time, because
 * their last evaluation ended at a limit, crashed, or took long.
 *
 * By key ("NAMESPACE\0NAME"): another spec or another object of that name does
 * not get around it. One that failed waits 10 seconds, doubling up to ten
 * minutes with each in a row; one that took longer than BACKOFF_CHEAP_US waits
 * BACKOFF_FACTOR times as long as that.
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

/* Returns until when. */
int64_t backoff_failed(struct map *all, struct span key, int64_t now);
/* An evaluation succeeded that took so much CPU time. */
void backoff_went_well(
    struct map *all, struct span key, int64_t now, uint64_t took_us);

/* A user requests an evaluation: not before the shortest wait is over, because
 * a user may do so often. */
void backoff_hurry(struct map *all, struct span key);

/* The end of the back-off; 0 if there is none. */
int64_t backoff_until(const struct map *all, struct span key, int64_t now);
/* Whether the last evaluation failed. */
bool backoff_has_failed(const struct map *all, struct span key);

void backoff_release(struct map *all);

#endif
