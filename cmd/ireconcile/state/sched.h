/*
 * sched: the clocks, and the timers of primaries.
 *
 * Two clocks. Real: timers run on the boot clock, `now` is the wall clock.
 * Input (--clock=input): both are the time of the input, which starts in 1970
 * and only moves when a line says so; timers that are due by then fire first,
 * in order of time and key, so that the same file gives the same output.
 *
 * A primary has one timer with all its reasons; the heap has the earliest.
 */
#ifndef SCHED_H
#define SCHED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/heap.h"
#include "base/span.h"

enum sched_reason {
	SCHED_REQUEUE,	/* the program asked for it */
	SCHED_PERIOD,	/* reconcilePeriod */
	SCHED_DEADLINE, /* something is outstanding for too long */
	SCHED_AGAIN,	/* a stale line may be printed again */
	SCHED_BACKOFF,	/* the program ran into a limit */
	SCHED_RATE,	/* evaluationsPerMinute allows the next one */
	SCHED_HELD,	/* an item was held back until then */
	SCHED_SLOT,	/* a throttle slot is held for too long */
	SCHED_REASONS
};

/* The times of one primary. Without a time that is set a timer has no memory
 * for times: most are so. */
struct sched_timer {
	/* owned by the schedule; NULL: none is set */
	struct sched_times *times;
	struct span key; /* borrowed; breaks ties */
	void *owner;
};

enum sched_clock { SCHED_REAL, SCHED_INPUT };

struct sched {
	enum sched_clock clock;
	int64_t input_us;
	int64_t ahead_us; /* wall clock minus clock of timers */
	struct heap timers;
};

/* No time is set afterwards. */
void sched_release(struct sched *s);

/* Unix time in microseconds. */
int64_t sched_now_us(const struct sched *s);
/* The clock of timers: never goes back. */
int64_t sched_ticks(const struct sched *s);
/* Whether the wall clock was set since the last call. Then times of day must be
 * scheduled again. */
bool sched_was_set(struct sched *s);
/* Moves the input clock forward; earlier times change nothing. */
void sched_advance(struct sched *s, int64_t us);

void sched_set(struct sched *s, struct sched_timer *w, enum sched_reason why,
    int64_t ticks);
void sched_clear(struct sched *s, struct sched_timer *w, enum sched_reason why);
void sched_clear_all(struct sched *s, struct sched_timer *w);
void sched_clear_but(
    struct sched *s, struct sched_timer *w, enum sched_reason kept);
/* The ticks of this reason; 0: no time is set. */
int64_t sched_at(const struct sched_timer *w, enum sched_reason why);

/* The earliest time set, or 0. */
int64_t sched_next(const struct sched *s);
/*
 * The first timer that is due at `ticks`, with the bits of its due reasons
 * (1 << SCHED_...), which are cleared; NULL if none is.
 */
struct sched_timer *sched_due(
    struct sched *s, int64_t ticks, unsigned *reasons);

#endif
