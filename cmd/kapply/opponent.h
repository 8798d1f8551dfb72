/*
 * opponent: the field manager that changes back what a set wants (OP_LOOK).
 */
#ifndef OPPONENT_H
#define OPPONENT_H

#include <stdbool.h>

#include <stdint.h>

#include "base/buf.h"
#include "base/lru.h"
#include "base/span.h"
#include "set/set.h"

enum { OPPONENT_NAME = 256 };

/* The name that an older line found, for a quarter of an hour. */
struct opponent {
	struct lru_entry entry; /* first */
	uint64_t found_ms;
	char name[OPPONENT_NAME]; /* cut; empty: not known */
};

void opponents_init(struct lru *opponents);
/* Valid until the next call. */
struct opponent *opponent_before(struct lru *opponents, const struct set *s,
    const struct item *look, uint64_t now_ms);

/*
 * Appends the owner of the field that the item is about, before our apply takes
 * it back; `ours` is our manager. If that has happened already: the previous
 * owner. False: the owner cannot be found out.
 */
bool opponent_find(struct buf *b, const struct set *s, const struct item *look,
    struct span ours, struct span object, const struct opponent *before);

/* Remembers the name. False: it was known already. */
bool opponent_is_news(
    struct opponent *before, const char *name, uint64_t now_ms);

#endif
