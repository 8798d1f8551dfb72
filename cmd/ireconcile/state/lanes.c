#include "state/lanes.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "state/primary.h"

struct lane {
	struct heap_slot slot; /* first: in the heap while a primary waits */
	uint64_t used_us;      /* at least that of the lane served last */
	struct primary *first, **end;
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

/* Whether the lane can be forgotten. */
static bool
is_over(const void *value, const void *arg)
{
	const struct lane *lane = value;
	const struct lanes *l = arg;

	return !heap_has(lane) && lane->used_us <= l->now_us;
}

static struct lane *
lane_of(struct lanes *l, const struct primary *p)
{
	struct buf key = BUF_INIT;
	struct lane *lane;

	add_key(l, p, &key);
	lane = map_get(&l->all, buf_span(&key));
	if (lane == NULL) {
		if (l->all.count > 2 * l->waiting.count + 256)
			map_sweep(&l->all, is_over, l);
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
before(const void *first, const void *second)
{
	const struct lane *a = first, *b = second;
	uint64_t x = a->used_us / LANES_SLICE_US;
	uint64_t y = b->used_us / LANES_SLICE_US;

	return x != y ? x < y : a->first->work.arrival < b->first->work.arrival;
}

void
lanes_add(struct lanes *l, struct primary *p)
{
	struct lane *lane = lane_of(l, p);

	p->work.next = NULL;
	p->work.arrival = ++l->arrivals;
	*lane->end = p;
	lane->end = &p->work.next;
	if (heap_has(lane))
		return;
	if (lane->used_us < l->now_us)
		lane->used_us = l->now_us;
	heap_put(&l->waiting, lane, before);
}

struct primary *
lanes_take(struct lanes *l)
{
	struct lane *lane = heap_first(&l->waiting);
	struct primary *p;

	if (lane == NULL)
		return NULL;
	if (lane->used_us > l->now_us)
		l->now_us = lane->used_us;
	p = lane->first;
	lane->first = p->work.next;
	if (lane->first != NULL) {
		heap_put(&l->waiting, lane, before);
		return p;
	}
	lane->end = &lane->first;
	heap_del(&l->waiting, lane, before);
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
	if (heap_has(lane))
		heap_put(&l->waiting, lane, before);
}

void
lanes_release(struct lanes *l)
{
	struct lane *lane;

	heap_release(&l->waiting);
	for (size_t i = 0; (lane = map_next(&l->all, &i)) != NULL;)
		free(lane);
	map_release(&l->all);
	*l = (struct lanes){.order = l->order};
}
