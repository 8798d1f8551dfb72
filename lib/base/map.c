#include "base/map.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"

void
map_release(struct map *m)
{
	free(m->slots);
	*m = (struct map)MAP_INIT;
}

static struct span
slot_key(const struct map_slot *slot)
{
	return span_make(slot->key, slot->key_n);
}

static uint32_t
hash_of(struct span key)
{
	return (uint32_t)hash_text(key);
}

static uint32_t
after(const struct map *m, uint32_t i)
{
	return i + 1 == m->cap ? 0 : i + 1;
}

/* How far i is behind home, around the end. */
static uint32_t
distance(const struct map *m, uint32_t home, uint32_t i)
{
	return i >= home ? i - home : m->cap - home + i;
}

static uint32_t
find(const struct map *m, struct span key, uint32_t hash)
{
	uint32_t i = hash % m->cap;

	while (m->slots[i].value != NULL &&
	    !(m->slots[i].hash == hash && span_eq(slot_key(&m->slots[i]), key)))
		i = after(m, i);
	return i;
}

/* The remainder by 2^n or 3 * 2^n, not the upper bits of the hash, is the
 * place: so keys that come in the order of another map are not all put into one
 * part of this one. */
static uint32_t
next_cap(uint32_t cap)
{
	bool is_power = (cap & (cap - 1)) == 0;

	return cap == 0 ? 16 : is_power ? cap / 2 * 3 : cap / 3 * 4;
}

static void
grow(struct map *m)
{
	struct map bigger = {NULL, next_cap(m->cap), m->count};

	bigger.slots = mem_zalloc(bigger.cap * sizeof(*bigger.slots));
	for (uint32_t i = 0; i < m->cap; i++)
		if (m->slots[i].value != NULL)
			bigger.slots[find(&bigger, slot_key(&m->slots[i]),
			    m->slots[i].hash)] = m->slots[i];
	free(m->slots);
	*m = bigger;
}

void *
map_get(const struct map *m, struct span key)
{
	if (m->count == 0)
		return NULL;
	return m->slots[find(m, key, hash_of(key))].value;
}

void *
map_put(struct map *m, struct span key, void *value)
{
	uint32_t hash = hash_of(key);
	struct map_slot *slot;
	void *old;

	if ((m->count + (uint64_t)1) * 6 > m->cap * (uint64_t)5)
		grow(m);
	slot = &m->slots[find(m, key, hash)];
	old = slot->value;
	if (old == NULL)
		m->count++;
	*slot = (struct map_slot){key.p, value, (uint32_t)key.n, hash};
	return old;
}

/* Backward-shift deletion: no tombstones, probes stay short. */
void *
map_del(struct map *m, struct span key)
{
	uint32_t hole, i;
	void *old;

	if (m->count == 0)
		return NULL;
	hole = find(m, key, hash_of(key));
	old = m->slots[hole].value;
	if (old == NULL)
		return NULL;
	for (i = after(m, hole); m->slots[i].value != NULL; i = after(m, i)) {
		uint32_t home = m->slots[i].hash % m->cap;

		if (distance(m, home, i) >= distance(m, hole, i)) {
			m->slots[hole] = m->slots[i];
			hole = i;
		}
	}
	m->slots[hole] = (struct map_slot){NULL, NULL, 0, 0};
	m->count--;
	return old;
}

void
map_sweep(
    struct map *m, bool (*is_over)(const void *, const void *), const void *arg)
{
	struct map_slot *old = mem_array(NULL, m->count, sizeof(*old));
	size_t n = 0;

	for (size_t i = 0; i < m->cap; i++)
		if (m->slots[i].value != NULL &&
		    is_over(m->slots[i].value, arg))
			old[n++] = m->slots[i];
	while (n > 0)
		free(map_del(m, slot_key(&old[--n])));
	free(old);
}

void *
map_next(const struct map *m, size_t *i)
{
	while (*i < m->cap) {
		void *v = m->slots[(*i)++].value;

		if (v != NULL)
			return v;
	}
	return NULL;
}

static int
slot_order(const void *a, const void *b)
{
	const struct map_slot *const *x = a, *const *y = b;

	return span_cmp(slot_key(*x), slot_key(*y));
}

void **
map_sorted(const struct map *m)
{
	void **out = mem_array(NULL, m->count, sizeof(*out));
	size_t n = 0;

	for (size_t i = 0; i < m->cap; i++)
		if (m->slots[i].value != NULL)
			out[n++] = &m->slots[i];
	qsort(out, n, sizeof(*out), slot_order);
	for (size_t i = 0; i < n; i++)
		out[i] = ((struct map_slot *)out[i])->value;
	return out;
}
