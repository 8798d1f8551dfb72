/*
 * minimise: a failure with as little as still fails: one fault instead of two,
 * the fewest steps, objects with the fewest fields, one edit instead of two.
 */
#ifndef MINIMISE_H
#define MINIMISE_H

#include <jv.h>

#include "campaign.h"

enum { MINIMISE_SECONDS = 30, MINIMISE_STEPS_MAX = 40 };

/*
 * s has failed with these violations, borrowed. Changes s, and gives the
 * scenario, owned: that of s, or a smaller one. *found, owned, is what is wrong
 * then. It tries no longer than MINIMISE_SECONDS.
 */
jv minimise(struct campaign *r, struct world *w, struct schedule *s, jv *found);

/* The same for the edits of a spec, borrowed: those that fail, owned. */
jv minimise_edits(
    struct campaign *r, struct world *w, jv edits_peek, jv *found);

#endif
