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
	/* Smaller differences come from reading the clocks one after the
	 * other. */
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

struct wake_times {
	struct heap_slot slot;	  /* first member, for the heap */
	int64_t at[WAKE_REASONS]; /* ticks, microseconds; 0: not set */
	struct wake *of;
};

static int64_t
earliest(const struct wake_times *t)
{
	int64_t least = 0;

	for (int i = 0; i < WAKE_REASONS; i++)
		if (t->at[i] != 0 && (least == 0 || t->at[i] < least))
			least = t->at[i];
	return least;
}

static bool
before(const void *first, const void *second)
{
	const struct wake_times *a = first, *b = second;
	int64_t x = earliest(a), y = earliest(b);

	return x != y ? x < y : span_cmp(a->of->key, b->of->key) < 0;
}

/* Puts w->times, which have changed, into the right place of the heap. */
static void
update(struct sched *s, struct wake *w)
{
	struct wake_times *t = w->times;

	if (earliest(t) != 0) {
		heap_put(&s->wakes, t, before);
		return;
	}
	heap_del(&s->wakes, t, before);
	free(t);
	w->times = NULL;
}

int64_t
sched_at(const struct wake *w, enum wake_reason why)
{
	return w->times == NULL ? 0 : w->times->at[why];
}

void
sched_set(struct sched *s, struct wake *w, enum wake_reason why, int64_t ticks)
{
	if (w->times == NULL) {
		w->times = mem_zalloc(sizeof(*w->times));
		w->times->of = w;
	}
	w->times->at[why] = ticks > 0 ? ticks : 1;
	update(s, w);
}

void
sched_clear(struct sched *s, struct wake *w, enum wake_reason why)
{
	if (sched_at(w, why) == 0)
		return;
	w->times->at[why] = 0;
	update(s, w);
}

static void
keep(struct sched *s, struct wake *w, unsigned reasons)
{
	if (w->times == NULL)
		return;
	for (int i = 0; i < WAKE_REASONS; i++)
		if (!(reasons & 1u << i))
			w->times->at[i] = 0;
	update(s, w);
}

void
sched_clear_all(struct sched *s, struct wake *w)
{
	keep(s, w, 0);
}

void
sched_clear_but(struct sched *s, struct wake *w, enum wake_reason kept)
{
	keep(s, w, 1u << kept);
}

int64_t
sched_next(const struct sched *s)
{
	const struct wake_times *t = heap_first(&s->wakes);

	return t == NULL ? 0 : earliest(t);
}

struct wake *
sched_due(struct sched *s, int64_t ticks, unsigned *reasons)
{
	struct wake_times *t = heap_first(&s->wakes);
	int64_t first = t == NULL ? 0 : earliest(t);
	struct wake *w;

	if (t == NULL || first > ticks)
		return NULL;
	w = t->of;
	*reasons = 0;
	for (int i = 0; i < WAKE_REASONS; i++)
		if (t->at[i] != 0 && t->at[i] <= first) {
			*reasons |= 1u << i;
			t->at[i] = 0;
		}
	update(s, w);
	return w;
}

void
sched_release(struct sched *s)
{
	for (size_t i = 0; i < s->wakes.count; i++) {
		struct wake_times *t = s->wakes.items[i];

		t->of->times = NULL;
		free(t);
	}
	s->wakes.count = 0;
	heap_release(&s->wakes);
}
