#include "base/heap.h"

#include <stdlib.h>

#include "base/mem.h"

static struct heap_slot *
slot(void *item)
{
	return item;
}

static void
place(struct heap *h, size_t i, void *item)
{
	h->items[i] = item;
	slot(item)->place = i + 1;
}

/* Moves item from place i, which is free, to its place. */
static void
sift(struct heap *h, size_t i, void *item, heap_before_fn *before)
{
	while (i > 0 && before(item, h->items[(i - 1) / 2])) {
		place(h, i, h->items[(i - 1) / 2]);
		i = (i - 1) / 2;
	}
	for (;;) {
		size_t child = 2 * i + 1;

		if (child + 1 < h->count &&
		    before(h->items[child + 1], h->items[child]))
			child++;
		if (child >= h->count || !before(h->items[child], item))
			break;
		place(h, i, h->items[child]);
		i = child;
	}
	place(h, i, item);
}

void
heap_put(struct heap *h, void *item, heap_before_fn *before)
{
	size_t i = slot(item)->place - 1;

	if (!heap_has(item)) {
		h->items = mem_grow(h->items, h->count, sizeof(*h->items));
		i = h->count++;
	}
	sift(h, i, item, before);
}

void
heap_del(struct heap *h, void *item, heap_before_fn *before)
{
	size_t i = slot(item)->place - 1;
	void *last;

	if (!heap_has(item))
		return;
	slot(item)->place = 0;
	last = h->items[--h->count];
	if (last != item)
		sift(h, i, last, before);
}

void
heap_release(struct heap *h)
{
	for (size_t i = 0; i < h->count; i++)
		slot(h->items[i])->place = 0;
	free(h->items);
	*h = (struct heap){NULL, 0};
}
