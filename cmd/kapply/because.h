/*
 * because: why an object is written, in words: what ireconcile saw there
 * (reconcile.because of the line), and the field manager that changed it; and
 * which one changes an item back again and again (OP_LOOK).
 *
 *	.spec.replicas 5, wanted 3; set by kubectl-scale
 *	after MODIFIED ConfigMap default/settings by kubectl-edit
 *
 * The manager is looked for (STEP_CAUSE) only where another one may have made the
 * difference, and only a few times a second: it is for people, and nothing
 * depends on it.
 */
#ifndef BECAUSE_H
#define BECAUSE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/lru.h"
#include "base/span.h"
#include "set/set.h"

/* Kept from line to line. */
struct because {
	struct lru othermanagers, repairs;
	uint64_t since_ms;
	unsigned looks; /* requests in the second that began at since_ms */
};
void because_init(struct because *m);
void because_release(struct because *m);

/* Whether one more request may be spent on it; counts it. */
bool because_may_look(struct because *m, uint64_t now_ms);

/* The object as it was before the apply: notes who owns the field, if that may be
 * drift. `ours` is our manager. s: the item's. */
void because_found(
    const struct set *s, struct item *i, struct span object, struct span ours);

/* Appends the reason of the result: the first field, or else the event that
 * made the set be decided; nothing if the line has neither, or if nothing was
 * changed. Values of Secrets and ConfigMaps are left out, whatever the line
 * has. s: the item's, or NULL. */
void because_add(struct buf *b, const struct set *s, const struct item *i,
    const char *result);

/* For an item of `loops`: appends what its field has and what the set wants
 * there, in brackets; nothing if that is not known, or of a Secret or
 * ConfigMap. */
void because_add_values(
    struct buf *b, const struct set *s, const struct item *look);

/* Remembers the answer to an apply by our manager, if that repaired a field. */
void because_answered(struct because *m, const struct set *s,
    const struct item *i, struct span ours, struct span object,
    uint64_t now_ms);

/*
 * Appends the owner of the field that the item of `loops` is about, before our
 * apply takes it back; `ours` is our manager. If that has happened already, also
 * where the server drops what we apply: the one that an older line found in the
 * last quarter of an hour. One with our manager's name, perhaps another instance,
 * wrote the field if only that owns it, and our last repair was right (the answer
 * has what an admission webhook makes of it). Whether that is news: it was found
 * out, and was not known.
 */
struct because_loop {
	const struct set *set;
	const struct item *item;
	struct span ours;
	struct span object; /* none: it could not be read, or ... */
	bool absent;	    /* ... is not there */
};
bool because_who_loops(struct because *m, struct buf *who,
    const struct because_loop *l, uint64_t now_ms);

#endif
