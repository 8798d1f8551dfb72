/*
 * sched: the clocks, and the timers of primaries.
 *
 * Two clocks. Real: timers run on the boot clock, `now` is the wall clock.
 * Input (--clock=input): both are the time of the input, which starts in 1970
 * and only moves when a line says so; timers that are due by then fire first,
 * in order of time and key, so that the same file gives the same output.
 *
 * A primary has one wake with all its reasons; the heap has the earliest.
 */
#ifndef SCHED_H
#define SCHED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/heap.h"
#include "base/span.h"

enum wake_reason {
	WAKE_REQUEUE,  /* the program asked for it */
	WAKE_PERIOD,   /* reconcilePeriod */
	WAKE_DEADLINE, /* something is outstanding for too long */
	WAKE_AGAIN,    /* a stale line may be printed again */
	WAKE_BACKOFF,  /* the program ran into a limit */
	WAKE_HELD,     /* an item was held back until then */
	WAKE_SLOT,     /* a throttle slot is held for too long */
	WAKE_REASONS
};

/* The times of one primary. Without a time that is set a wake has no memory for
 * times: most are so. */
struct wake {
	struct wake_times *times; /* owned by the schedule; NULL: none is set */
	struct span key;	  /* borrowed; breaks ties */
	void *owner;
};

enum sched_clock { SCHED_REAL, SCHED_INPUT };

struct sched {
	enum sched_clock clock;
	int64_t input_us;
	int64_t ahead_us; /* wall clock minus clock of timers */
	struct heap wakes;
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

void sched_set(
    struct sched *s, struct wake *w, enum wake_reason why, int64_t ticks);
void sched_clear(struct sched *s, struct wake *w, enum wake_reason why);
void sched_clear_all(struct sched *s, struct wake *w);
void sched_clear_but(struct sched *s, struct wake *w, enum wake_reason kept);
/* The ticks of this reason; 0: no time is set. */
int64_t sched_at(const struct wake *w, enum wake_reason why);

/* The earliest time set, or 0. */
int64_t sched_next(const struct sched *s);
/*
 * The first wake that is due at `ticks`, with the bits of its due reasons
 * (1 << WAKE_...), which are cleared; NULL if none is.
 */
struct wake *sched_due(struct sched *s, int64_t ticks, unsigned *reasons);

#endif
