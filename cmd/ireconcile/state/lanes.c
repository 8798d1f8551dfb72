#include "state/lanes.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "state/primary.h"

struct lane {
	uint64_t used_us; /* never less than what the served lane had */
	struct primary *first, **end;
	size_t slot; /* place in the heap + 1; 0: nobody waits */
	size_t key_len;
	char key[];
};

static struct span
lane_key(const struct lane *lane)
{
	return span_make(lane->key, lane->key_len);
}

static void
add_key(const struct lanes *l, const struct primary *p, struct buf *key)
{
	if (l->order == LANES_ONE)
		return;
	buf_adds(key, p->namespace_);
	if (*p->namespace_ == '\0') {
		buf_addc(key, '\0');
		buf_adds(key, p->name);
	}
}

/* Those of which nothing is to be remembered. */
static void
sweep(struct lanes *l)
{
	struct lane **old, *lane;
	size_t n = 0;

	old = mem_array(NULL, l->all.count, sizeof(struct lane *));
	for (size_t i = 0; (lane = map_next(&l->all, &i)) != NULL;)
		if (lane->slot == 0 && lane->used_us <= l->now_us)
			old[n++] = lane;
	while (n > 0) {
		lane = old[--n];
		map_del(&l->all, lane_key(lane));
		free(lane);
	}
	free(old);
}

static struct lane *
lane_of(struct lanes *l, const struct primary *p)
{
	struct buf key = BUF_INIT;
	struct lane *lane;

	add_key(l, p, &key);
	lane = map_get(&l->all, buf_span(&key));
	if (lane == NULL) {
		if (l->all.count > 2 * l->active + 256)
			sweep(l);
		lane = mem_zalloc(sizeof(*lane) + key.len + 1);
		lane->used_us = l->now_us;
		lane->end = &lane->first;
		lane->key_len = key.len;
		if (key.len > 0)
			memcpy(lane->key, key.data, key.len);
		map_put(&l->all, lane_key(lane), lane);
	}
	buf_release(&key);
	return lane;
}

static bool
before(const struct lane *a, const struct lane *b)
{
	uint64_t x = a->used_us / LANES_SLICE_US;
	uint64_t y = b->used_us / LANES_SLICE_US;

	return x != y ? x < y : a->first->arrival < b->first->arrival;
}

static void
place(struct lanes *l, size_t i, struct lane *lane)
{
	l->heap[i] = lane;
	lane->slot = i + 1;
}

/* lane's rank changed. */
static void
sift(struct lanes *l, struct lane *lane)
{
	size_t i = lane->slot - 1;

	while (i > 0 && before(lane, l->heap[(i - 1) / 2])) {
		place(l, i, l->heap[(i - 1) / 2]);
		i = (i - 1) / 2;
	}
	for (;;) {
		size_t child = 2 * i + 1;

		if (child + 1 < l->active &&
		    before(l->heap[child + 1], l->heap[child]))
			child++;
		if (child >= l->active || !before(l->heap[child], lane))
			break;
		place(l, i, l->heap[child]);
		i = child;
	}
	place(l, i, lane);
}

void
lanes_add(struct lanes *l, struct primary *p)
{
	struct lane *lane = lane_of(l, p);

	p->next = NULL;
	p->arrival = ++l->arrivals;
	*lane->end = p;
	lane->end = &p->next;
	if (lane->slot != 0)
		return;
	if (lane->used_us < l->now_us)
		lane->used_us = l->now_us;
	if (l->active == l->cap) {
		l->cap = l->cap ? l->cap * 2 : 16;
		l->heap = mem_array(l->heap, l->cap, sizeof(struct lane *));
	}
	lane->slot = ++l->active;
	sift(l, lane);
}

struct primary *
lanes_take(struct lanes *l)
{
	struct lane *lane = l->active > 0 ? l->heap[0] : NULL, *last;
	struct primary *p;

	if (lane == NULL)
		return NULL;
	if (lane->used_us > l->now_us)
		l->now_us = lane->used_us;
	p = lane->first;
	lane->first = p->next;
	if (lane->first != NULL) {
		sift(l, lane);
		return p;
	}
	lane->end = &lane->first;
	lane->slot = 0;
	last = l->heap[--l->active];
	if (last != lane) {
		last->slot = 1;
		sift(l, last);
	}
	return p;
}

void
lanes_charge(struct lanes *l, const struct primary *p, uint64_t us)
{
	struct lane *lane;

	if (l->order == LANES_ONE)
		return;
	lane = lane_of(l, p);
	lane->used_us += us;
	if (lane->slot != 0)
		sift(l, lane);
}

void
lanes_release(struct lanes *l)
{
	struct lane *lane;

	for (size_t i = 0; (lane = map_next(&l->all, &i)) != NULL;)
		free(lane);
	map_release(&l->all);
	free(l->heap);
	*l = (struct lanes){.order = l->order};
}
