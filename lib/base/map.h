/*
 * map: from text to pointer, by hash. It stores no copy of a key: the span
 * given to map_put must live, unchanged, as long as the entry does; usually it
 * points into the value itself. Values are borrowed: the caller that empties a
 * map frees them. The order of an iteration differs in each run of the program
 * (hash.h): sort where it matters.
 */
#ifndef MAP_H
#define MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/span.h"

struct map_slot {
	const char *key;
	void *value;	/* NULL: free */
	uint32_t key_n; /* keys are shorter than 4 GiB */
	uint32_t hash;	/* hash of the key, whose slot is hash % cap or soon
			 * after it */
};

/* At most 5/6 of the slots are in use. */
struct map {
	struct map_slot *slots; /* owned */
	uint32_t cap;		/* 0, 16, 24, 32, 48, 64, ... */
	uint32_t count;
};

#define MAP_INIT           \
	{                  \
		NULL, 0, 0 \
	}

void map_release(struct map *m);
void *map_get(const struct map *m, struct span key);
/* Sets the value of the key; returns the value that was replaced, if any (the
 * new key is used then). */
void *map_put(struct map *m, struct span key, void *value);
/* Removes the key; returns its value, or NULL. */
void *map_del(struct map *m, struct span key);

/* Removes and frees the values for which is_over is true. */
void map_sweep(struct map *m, bool (*is_over)(const void *, const void *),
    const void *arg);

/* for (size_t i = 0; (v = map_next(m, &i)) != NULL;) ...; no change while. */
void *map_next(const struct map *m, size_t *i);
/* All values, in the order of their keys' bytes; returns an owned array. */
void **map_sorted(const struct map *m);

#endif
