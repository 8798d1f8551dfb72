/*
 * because: why an object is written, in words: what ireconcile saw there
 * (reconcile.because of the line), and the field manager that changed it.
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
#include "base/span.h"
#include "set/set.h"

/* Requests that may be spent on it. Begins zeroed. */
struct because_looks {
	uint64_t since_ms;
	unsigned spent; /* requests in the second that began at since_ms */
};

/* Whether one more may be sent; counts it. */
bool because_may_look(struct because_looks *l, uint64_t now_ms);

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

#endif
