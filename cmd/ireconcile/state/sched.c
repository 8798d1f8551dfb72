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
	/* Less is the time between two looks. */
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
before(const struct wake *a, const struct wake *b)
{
	int64_t x = earliest(a), y = earliest(b);

	return x != y ? x < y : span_cmp(a->key, b->key) < 0;
}

static void
place(struct sched *s, size_t i, struct wake *w)
{
	s->heap[i] = w;
	w->slot = i + 1;
}

static void
sift(struct sched *s, size_t i, struct wake *w)
{
	while (i > 0 && before(w, s->heap[(i - 1) / 2])) {
		place(s, i, s->heap[(i - 1) / 2]);
		i = (i - 1) / 2;
	}
	for (;;) {
		size_t child = 2 * i + 1;

		if (child + 1 < s->len &&
		    before(s->heap[child + 1], s->heap[child]))
			child++;
		if (child >= s->len || !before(s->heap[child], w))
			break;
		place(s, i, s->heap[child]);
		i = child;
	}
	place(s, i, w);
}

/* The times of w changed. */
static void
update(struct sched *s, struct wake *w)
{
	size_t i = w->slot - 1;
	struct wake *last;

	if (earliest(w) != 0) {
		if (w->slot == 0) {
			if (s->len == s->cap) {
				s->cap = s->cap ? s->cap * 2 : 64;
				s->heap = mem_array(
				    s->heap, s->cap, sizeof(*s->heap));
			}
			i = s->len++;
		}
		sift(s, i, w);
	} else if (w->slot != 0) {
		w->slot = 0;
		last = s->heap[--s->len];
		if (last != w)
			sift(s, i, last);
	}
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
	return s->len == 0 ? 0 : earliest(s->heap[0]);
}

struct wake *
sched_due(struct sched *s, int64_t ticks, unsigned *reasons)
{
	struct wake *w = s->len == 0 ? NULL : s->heap[0];
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
	for (size_t i = 0; i < s->len; i++)
		s->heap[i]->slot = 0;
	free(s->heap);
	s->heap = NULL;
	s->len = s->cap = 0;
}
