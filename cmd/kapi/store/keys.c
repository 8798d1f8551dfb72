#include "store/keys.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "store/store.h"

enum { BLOCK_MAX = 256 };

struct keys_block {
	size_t n;
	size_t cap; /* grows to BLOCK_MAX: most collections are small */
	struct stored **slots;
};

/* A key in two parts: NAMESPACE/ and NAME; "" and KEY for a whole one. */
struct probe {
	struct span namespace_, name;
};

/* Compares, as bytes, NAMESPACE/NAME with key. */
static int
probe_cmp(const struct probe *p, struct span key)
{
	size_t n = p->namespace_.n;
	int c;

	if (n > 0) {
		c = span_cmp(
		    p->namespace_, span_make(key.p, key.n < n ? key.n : n));
		if (c != 0)
			return c;
		if (key.n == n)
			return 1;
		if (key.p[n] != '/')
			return '/' < (unsigned char)key.p[n] ? -1 : 1;
		key = span_make(key.p + n + 1, key.n - n - 1);
	}
	return span_cmp(p->name, key);
}

/* The last block whose first key is not behind p; 0 if there is none. */
static size_t
find_block(const struct keys *k, const struct probe *p)
{
	size_t low = 0, high = k->block_count;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (probe_cmp(p, k->blocks[mid]->slots[0]->key) >= 0)
			low = mid + 1;
		else
			high = mid;
	}
	return low == 0 ? 0 : low - 1;
}

/* The place of p, or where it would be; found says which. */
static size_t
find_slot(const struct keys_block *b, const struct probe *p, bool *found)
{
	size_t low = 0, high = b->n;

	*found = false;
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		int c = probe_cmp(p, b->slots[mid]->key);

		if (c == 0) {
			*found = true;
			return mid;
		}
		if (c > 0)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

void
keys_release(struct keys *k)
{
	for (size_t i = 0; i < k->block_count; i++) {
		struct keys_block *b = k->blocks[i];

		for (size_t j = 0; j < b->n; j++)
			store_unref(b->slots[j]);
		free(b->slots);
		free(b);
	}
	free(k->blocks);
	*k = (struct keys){0};
}

struct stored *
keys_find(const struct keys *k, struct span namespace_, struct span name)
{
	struct probe p = {namespace_, name};
	struct keys_block *b;
	bool found;
	size_t i;

	if (k->count == 0)
		return NULL;
	b = k->blocks[find_block(k, &p)];
	i = find_slot(b, &p, &found);
	return found ? b->slots[i] : NULL;
}

static void
insert_block(struct keys *k, size_t at, struct keys_block *b)
{
	k->blocks =
	    mem_grow(k->blocks, k->block_count, sizeof(struct keys_block *));
	memmove(k->blocks + at + 1, k->blocks + at,
	    (k->block_count - at) * sizeof(*k->blocks));
	k->blocks[at] = b;
	k->block_count++;
}

static struct keys_block *
block_new(size_t cap)
{
	struct keys_block *b = mem_zalloc(sizeof(*b));

	b->cap = cap;
	b->slots = mem_array(NULL, cap, sizeof(struct stored *));
	return b;
}

/* Moves the end of a full block into a new one behind it: half of it, or
 * nothing if the next object goes behind all others. */
static void
split(struct keys *k, size_t at, size_t slot)
{
	struct keys_block *b = k->blocks[at], *behind = block_new(BLOCK_MAX);
	size_t keep =
	    slot == b->n && at + 1 == k->block_count ? b->n : b->n / 2;

	behind->n = b->n - keep;
	memcpy(behind->slots, b->slots + keep, behind->n * sizeof(*b->slots));
	b->n = keep;
	insert_block(k, at + 1, behind);
}

struct stored *
keys_put(struct keys *k, struct stored *o)
{
	struct probe p = {SPAN_NONE, o->key};
	struct keys_block *b;
	struct stored *old;
	size_t at, slot;
	bool found;

	if (k->block_count == 0)
		insert_block(k, 0, block_new(4));
	at = k->count == 0 ? 0 : find_block(k, &p);
	b = k->blocks[at];
	slot = find_slot(b, &p, &found);
	if (found) {
		old = b->slots[slot];
		b->slots[slot] = o;
		return old;
	}
	if (b->n == BLOCK_MAX) {
		split(k, at, slot);
		if (slot >= b->n) {
			slot -= b->n;
			b = k->blocks[at + 1];
		}
	} else if (b->n == b->cap) {
		b->cap *= 2;
		b->slots = mem_array(b->slots, b->cap, sizeof(struct stored *));
	}
	memmove(b->slots + slot + 1, b->slots + slot,
	    (b->n - slot) * sizeof(*b->slots));
	b->slots[slot] = o;
	b->n++;
	k->count++;
	return NULL;
}

struct stored *
keys_remove(struct keys *k, struct span key)
{
	struct probe p = {SPAN_NONE, key};
	struct keys_block *b;
	struct stored *old;
	size_t at, slot;
	bool found;

	if (k->count == 0)
		return NULL;
	at = find_block(k, &p);
	b = k->blocks[at];
	slot = find_slot(b, &p, &found);
	if (!found)
		return NULL;
	old = b->slots[slot];
	memmove(b->slots + slot, b->slots + slot + 1,
	    (--b->n - slot) * sizeof(*b->slots));
	if (b->n == 0) {
		free(b->slots);
		free(b);
		memmove(k->blocks + at, k->blocks + at + 1,
		    (--k->block_count - at) * sizeof(*k->blocks));
	}
	k->count--;
	return old;
}

/* Is after_key the very key of the object that keys_next found last? */
static bool
at_place(const struct keys *k, struct span after_key)
{
	const struct keys_block *b;

	if (after_key.p == NULL || k->at_block >= k->block_count)
		return false;
	b = k->blocks[k->at_block];
	return k->at_slot < b->n && b->slots[k->at_slot]->key.p == after_key.p;
}

static void
seek(struct keys *k, const struct probe *p, bool behind)
{
	bool found;

	k->at_block = find_block(k, p);
	k->at_slot = find_slot(k->blocks[k->at_block], p, &found);
	if (found && behind)
		k->at_slot++;
}

struct stored *
keys_next(struct keys *k, struct span namespace_, struct span after_key)
{
	struct probe first = {namespace_, SPAN_NONE};
	struct probe after = {SPAN_NONE, after_key};
	struct stored *o;

	if (k->count == 0)
		return NULL;
	if (at_place(k, after_key))
		k->at_slot++;
	else if (namespace_.n > 0 &&
	    (after_key.p == NULL || probe_cmp(&first, after_key) > 0))
		seek(k, &first, false);
	else
		seek(k, &after, true);
	if (k->at_slot >= k->blocks[k->at_block]->n) {
		k->at_block++;
		k->at_slot = 0;
	}
	if (k->at_block >= k->block_count)
		return NULL;
	o = k->blocks[k->at_block]->slots[k->at_slot];
	if (namespace_.n > 0 && !span_eq(o->namespace_, namespace_))
		return NULL;
	return o;
}
