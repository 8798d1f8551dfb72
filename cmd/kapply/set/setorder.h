/*
 * setorder: which items of a set may be sent now. They go by phases: one begins
 * when all items of the one before are done. A line says otherwise by `after`,
 * `independent`, and `always` of a deletion (doc/protocol.md, "Order in
 * kapply"):
 *
 *   after        The item is in no earlier phase than those that it is after,
 *		  and waits there until they are done.
 *   independent  When it is all that is left of a phase, it moves to the next
 *		  one, so that nothing waits for it; when something has failed,
 *		  and nothing is left to try, it comes to the phase that this
 *		  holds up. So does a deletion with `always`.
 *
 * No clock and no requests.
 */
#ifndef SETORDER_H
#define SETORDER_H

#include "set/set.h"

/* The members of a line, raw, of the right type; or none. */
struct setorder_said {
	struct span after, independent;
};

/* Notes what is said of the items, and sorts them: by phase, none before one that
 * it is after, and otherwise as they stand. -1 with err: a bad value, or items
 * are after one another. */
int setorder_sort(
    struct set *s, const struct setorder_said *said, struct err *err);

/* The next item of the current phase from *n on, or NULL. */
struct item *setorder_next(const struct set *s, size_t *n);

/* Whether the item waits for one that it is after. */
bool setorder_is_blocked(const struct set *s, const struct item *i);

/* How many items of the current phase are in which state. */
struct setorder_tally {
	size_t waiting, blocked, flying, retry, refused, stale;
	size_t backoff; /* part of retry: failed in passing */
};
struct setorder_tally setorder_count(const struct set *s);

/* Nothing of the phase can be sent, and not all of it is done: moves items that
 * hold back nothing, or are not held back. False: there are none. */
bool setorder_move(struct set *s, const struct setorder_tally *t);

/* For each item of the set the one that has failed and for which it waits, also
 * over others; NULL: none. Owned; NULL: no item is after another. */
const struct item **setorder_causes(const struct set *s);

#endif
