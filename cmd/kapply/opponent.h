/*
 * opponent: finds the field manager that changes back what a set wants
 * (OP_LOOK).
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
	struct lru_entry entry; /* the first member */
	uint64_t found_ms;
	char name[OPPONENT_NAME]; /* cut; empty: not known */
};

/* The field in the answer to our last repair. */
enum repair_answer {
	REPAIR_UNKNOWN,
	REPAIR_RIGHT,
	REPAIR_WRONG,
	REPAIR_DROPPED /* not there, as if it had been removed */
};

struct repair {
	struct lru_entry entry; /* the first member */
	uint64_t answered_ms;
	enum repair_answer answer;
};

void opponents_init(struct lru *opponents, struct lru *repairs);
/* Valid until the next call. */
struct opponent *opponent_before(struct lru *opponents, const struct set *s,
    const struct item *look, uint64_t now_ms);

/* Remembers the answer to an apply by our manager, if that repaired a field. */
void opponent_answered(struct lru *repairs, const struct set *s,
    const struct item *i, struct span ours, struct span object,
    uint64_t now_ms);
/* The answer of the last quarter of an hour for the field of `look`. */
enum repair_answer opponent_last_repair(struct lru *repairs,
    const struct set *s, const struct item *look, uint64_t now_ms);

/*
 * Appends the owner of the field that the item is about, before our apply takes
 * it back; `ours` is our manager. If that has happened already, also where the
 * server drops what we apply: the previous owner. One with our manager's name,
 * perhaps another instance, wrote the field if only that owns it, and our last
 * repair was right (the answer has what an admission webhook makes of it).
 * False: the owner cannot be found out.
 */
struct opponent_look {
	const struct set *set;
	const struct item *item;
	struct span ours, object;
	enum repair_answer last; /* opponent_last_repair */
};
bool opponent_find(struct buf *b, const struct opponent_look *l,
    const struct opponent *before);

/* Remembers the name. False: it was known already. */
bool opponent_is_news(
    struct opponent *before, const char *name, uint64_t now_ms);

#endif
