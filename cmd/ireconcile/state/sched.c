#include "state/sched.h"

#include <stdlib.h>

#include "base/mem.h"
#include "process/clock.h"

int64_t
sched_now_us(const struct sched *s)
{
	return s->clock == SCHED_INPUT ? s->input_us : clock_real_us();
}

int64_t
sched_ticks(const struct sched *s)
{
	return s->clock == SCHED_INPUT ? s->input_us : clock_boot_us();
}

bool
sched_was_set(struct sched *s)
{
	int64_t ahead, apart;

	if (s->clock == SCHED_INPUT)
		return false;
	ahead = clock_real_us() - clock_boot_us();
	apart = ahead - s->ahead_us;
	/* Smaller differences are due to the time between two looks. */
	if (apart < 1000 && apart > -1000)
		return false;
	s->ahead_us = ahead;
	return true;
}

void
sched_advance(struct sched *s, int64_t us)
{
	if (us > s->input_us)
		s->input_us = us;
}

static int64_t
earliest(const struct wake *w)
{
	int64_t least = 0;

	for (int i = 0; i < WAKE_REASONS; i++)
		if (w->at[i] != 0 && (least == 0 || w->at[i] < least))
			least = w->at[i];
	return least;
}

static bool
before(const void *first, const void *second)
{
	const struct wake *a = first, *b = second;
	int64_t x = earliest(a), y = earliest(b);

	return x != y ? x < y : span_cmp(a->key, b->key) < 0;
}

/* The times of w changed. */
static void
update(struct sched *s, struct wake *w)
{
	if (earliest(w) != 0)
		heap_put(&s->wakes, w, before);
	else
		heap_del(&s->wakes, w, before);
}

void
sched_set(struct sched *s, struct wake *w, enum wake_reason why, int64_t ticks)
{
	w->at[why] = ticks > 0 ? ticks : 1;
	update(s, w);
}

void
sched_clear(struct sched *s, struct wake *w, enum wake_reason why)
{
	if (w->at[why] == 0)
		return;
	w->at[why] = 0;
	update(s, w);
}

void
sched_clear_all(struct sched *s, struct wake *w)
{
	for (int i = 0; i < WAKE_REASONS; i++)
		w->at[i] = 0;
	update(s, w);
}

void
sched_clear_but(struct sched *s, struct wake *w, enum wake_reason kept)
{
	for (int i = 0; i < WAKE_REASONS; i++)
		if (i != (int)kept)
			w->at[i] = 0;
	update(s, w);
}

int64_t
sched_next(const struct sched *s)
{
	const struct wake *w = heap_first(&s->wakes);

	return w == NULL ? 0 : earliest(w);
}

struct wake *
sched_due(struct sched *s, int64_t ticks, unsigned *reasons)
{
	struct wake *w = heap_first(&s->wakes);
	int64_t first = w == NULL ? 0 : earliest(w);

	if (w == NULL || first > ticks)
		return NULL;
	*reasons = 0;
	for (int i = 0; i < WAKE_REASONS; i++)
		if (w->at[i] != 0 && w->at[i] <= first) {
			*reasons |= 1u << i;
			w->at[i] = 0;
		}
	update(s, w);
	return w;
}

void
sched_release(struct sched *s)
{
	heap_release(&s->wakes);
}
