/*
 * heap: a binary heap of things that know their place in it, so that one of
 * them can be moved or taken out: timers, queues by rank.
 *
 * A thing starts with a struct heap_slot. The heap borrows it, and is told of
 * every change of its rank. Zeroed: an empty heap, a thing in none.
 */
#ifndef HEAP_H
#define HEAP_H

#include <stdbool.h>
#include <stddef.h>

struct heap_slot {
	size_t place; /* + 1; 0: in no heap */
};

struct heap {
	void **items; /* owned; the things are borrowed */
	size_t count;
};

/* Does a come before b? One and the same for all calls with a heap. */
typedef bool heap_before_fn(const void *a, const void *b);

/* Frees the array. The items live on, and are in no heap afterwards. */
void heap_release(struct heap *h);

static inline void *
heap_first(const struct heap *h)
{
	return h->count > 0 ? h->items[0] : NULL;
}

static inline bool
heap_has(const void *item)
{
	return ((const struct heap_slot *)item)->place != 0;
}

/* Puts the item in; an item that is in already moves to its new place. */
void heap_put(struct heap *h, void *item, heap_before_fn *before);
/* Takes the item out, if it is in. */
void heap_del(struct heap *h, void *item, heap_before_fn *before);

#endif
