/*
 * lru: a bounded memory of recent entries, by text. The entry that was not used
 * for the longest time is replaced.
 *
 * An entry is a struct that begins with struct lru_entry, and owns nothing:
 * it is forgotten without notice.
 */
#ifndef LRU_H
#define LRU_H

#include <stddef.h>

#include "base/map.h"
#include "base/span.h"

struct lru_entry {
	struct lru_entry *newer, *older;
	char *key; /* owned */
};

struct lru {
	size_t entry_size, max;
	struct map map; /* owns its values, which begin with struct lru_entry */
	struct lru_entry *newest, *oldest;
};

void lru_init(struct lru *l, size_t entry_size, size_t max);
void lru_release(struct lru *l);
/* The entry of that key, the newest now; a zeroed one if there was none. Valid
 * until the next call. */
void *lru_touch(struct lru *l, struct span key);

#endif
