#include <stdio.h>
#include <stdlib.h>

#include "base/map.h"
#include "base/mem.h"
#include "tap.h"

struct entry {
	char key[24];
	bool in;
};

/* A long random walk, compared with a simple model: a flag for each entry. */
static bool
walk(struct map *m, struct entry *entries, size_t n)
{
	size_t count = 0;
	unsigned seed = 7;

	for (int i = 0; i < 200000; i++) {
		struct entry *e =
		    &entries[(seed = seed * 1103515245 + 12345, seed >> 8) % n];
		struct span key = span_str(e->key);

		if (seed & 0x800000) {
			if (map_put(m, key, e) != (e->in ? e : NULL))
				return false;
			count += !e->in;
			e->in = true;
		} else {
			if (map_del(m, key) != (e->in ? e : NULL))
				return false;
			count -= e->in;
			e->in = false;
		}
		if (m->count != count)
			return false;
	}
	for (size_t i = 0; i < n; i++)
		if (map_get(m, span_str(entries[i].key)) !=
		    (entries[i].in ? &entries[i] : NULL))
			return false;
	return true;
}

static bool
is_even(const void *value, const void *arg)
{
	(*(size_t *)(uintptr_t)arg)++;
	return ((const char *)value)[strlen(value) - 1] % 2 == 0;
}

TEST(sweep)
{
	struct map m = MAP_INIT;
	size_t asked = 0, odd = 0, even = 0;
	char *name;

	for (int i = 0; i < 100; i++) {
		char text[16];

		snprintf(text, sizeof(text), "n%d", i);
		name = mem_strdup(text);
		map_put(&m, span_str(name), name);
	}
	map_sweep(&m, is_even, &asked);
	ok(asked == 100 && m.count == 50, "asked once of each");
	for (size_t i = 0; (name = map_next(&m, &i)) != NULL; free(name))
		if (is_even(name, &asked))
			even++;
		else
			odd += map_get(&m, span_str(name)) == name;
	ok(odd == 50 && even == 0, "the others stay where they are found");
	map_release(&m);
	map_sweep(&m, is_even, &asked);
	ok(m.count == 0, "an empty map");
}

/* The most slots that a key is behind its place. */
static size_t
farthest(const struct map *m)
{
	size_t most = 0;

	for (size_t i = 0; i < m->cap; i++) {
		size_t home = m->slots[i].hash % m->cap;
		size_t n = (i + m->cap - home) % m->cap;

		if (m->slots[i].value != NULL && n > most)
			most = n;
	}
	return most;
}

TEST(room)
{
	enum { MANY = 20000 };
	static struct entry entries[MANY];
	struct map m = MAP_INIT, other = MAP_INIT;
	struct entry *e;
	bool little = true, free_slots = true;
	size_t most = 0;

	for (size_t i = 0; i < MANY; i++) {
		snprintf(entries[i].key, sizeof(entries[i].key), "ns/n%zu", i);
		map_put(&m, span_str(entries[i].key), &entries[i]);
		little = little && (m.cap == 16 || m.cap * 10 <= m.count * 18);
		free_slots = free_slots && m.count * 6 <= m.cap * 5;
	}
	ok(little, "never more than 1.8 slots for a value");
	ok(free_slots, "a sixth of the slots is free");
	for (size_t i = 0; (e = map_next(&m, &i)) != NULL;) {
		map_put(&other, span_str(e->key), e);
		if (other.count % 1000 == 0 && farthest(&other) > most)
			most = farthest(&other);
	}
	/* By chance it is rarely 900; if they cluster, 3800 or more. */
	ok(most < 2500, "filled in the order of another, keys stay near");
	map_release(&m);
	map_release(&other);
}

TEST(map)
{
	struct map m = MAP_INIT;
	size_t n = 500, seen = 0, i = 0;
	struct entry *entries = mem_zalloc(n * sizeof(*entries)), *e;
	void **sorted;
	bool in_order = true;

	ok(map_get(&m, span_str("x")) == NULL, "nothing in an empty map");
	ok(map_del(&m, span_str("x")) == NULL, "nothing to delete either");
	for (size_t k = 0; k < n; k++)
		snprintf(
		    entries[k].key, sizeof(entries[k].key), "ns/%zu-name", k);
	ok(walk(&m, entries, n), "200,000 random changes keep it right");
	while ((e = map_next(&m, &i)) != NULL)
		seen += e->in;
	ok(seen == m.count, "iteration meets each entry once");
	sorted = map_sorted(&m);
	for (size_t k = 1; k < m.count; k++)
		if (strcmp(((struct entry *)sorted[k - 1])->key,
			((struct entry *)sorted[k])->key) >= 0)
			in_order = false;
	ok(in_order, "sorted by key");
	free(sorted);
	map_release(&m);
	free(entries);
}
