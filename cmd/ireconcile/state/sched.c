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

struct sched_times {
	struct heap_slot slot;	   /* first member, for the heap */
	int64_t at[SCHED_REASONS]; /* ticks, microseconds; 0: not set */
	struct sched_timer *of;
};

static int64_t
earliest(const struct sched_times *t)
{
	int64_t least = 0;

	for (int i = 0; i < SCHED_REASONS; i++)
		if (t->at[i] != 0 && (least == 0 || t->at[i] < least))
			least = t->at[i];
	return least;
}

static bool
before(const void *first, const void *second)
{
	const struct sched_times *a = first, *b = second;
	int64_t x = earliest(a), y = earliest(b);

	return x != y ? x < y : span_cmp(a->of->key, b->of->key) < 0;
}

/* Puts w->times, which have changed, into the right place of the heap. */
static void
update(struct sched *s, struct sched_timer *w)
{
	struct sched_times *t = w->times;

	if (earliest(t) != 0) {
		heap_put(&s->timers, t, before);
		return;
	}
	heap_del(&s->timers, t, before);
	free(t);
	w->times = NULL;
}

int64_t
sched_at(const struct sched_timer *w, enum sched_reason why)
{
	return w->times == NULL ? 0 : w->times->at[why];
}

void
sched_set(struct sched *s, struct sched_timer *w, enum sched_reason why,
    int64_t ticks)
{
	if (w->times == NULL) {
		w->times = mem_zalloc(sizeof(*w->times));
		w->times->of = w;
	}
	w->times->at[why] = ticks > 0 ? ticks : 1;
	update(s, w);
}

void
sched_clear(struct sched *s, struct sched_timer *w, enum sched_reason why)
{
	if (sched_at(w, why) == 0)
		return;
	w->times->at[why] = 0;
	update(s, w);
}

static void
keep(struct sched *s, struct sched_timer *w, unsigned reasons)
{
	if (w->times == NULL)
		return;
	for (int i = 0; i < SCHED_REASONS; i++)
		if (!(reasons & 1u << i))
			w->times->at[i] = 0;
	update(s, w);
}

void
sched_clear_all(struct sched *s, struct sched_timer *w)
{
	keep(s, w, 0);
}

void
sched_clear_but(struct sched *s, struct sched_timer *w, enum sched_reason kept)
{
	keep(s, w, 1u << kept);
}

int64_t
sched_next(const struct sched *s)
{
	const struct sched_times *t = heap_first(&s->timers);

	return t == NULL ? 0 : earliest(t);
}

struct sched_timer *
sched_due(struct sched *s, int64_t ticks, unsigned *reasons)
{
	struct sched_times *t = heap_first(&s->timers);
	int64_t first = t == NULL ? 0 : earliest(t);
	struct sched_timer *w;

	if (t == NULL || first > ticks)
		return NULL;
	w = t->of;
	*reasons = 0;
	for (int i = 0; i < SCHED_REASONS; i++)
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
	for (size_t i = 0; i < s->timers.count; i++) {
		struct sched_times *t = s->timers.items[i];

		t->of->times = NULL;
		free(t);
	}
	s->timers.count = 0;
	heap_release(&s->timers);
}
