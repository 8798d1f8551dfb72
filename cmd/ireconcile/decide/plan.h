/*
 * plan: what a program decided once for all its functions in an evaluation,
 * their `.plan`.
 *
 * It is computed where `desired` is, just before it, from the same input, so it
 * is kept as long as that does not change: `status` sees the plan by which the
 * items were made that it sees the outcome of. It is kept as text.
 */
#ifndef PLAN_H
#define PLAN_H

#include "decide/decide.h"

/* The parts of the input that `plan` gets, like `desired`: VIEW_... */
unsigned plan_sees(const struct entry *e);
/* A number that changes with the input of plan and desired; 0 if that has the
 * time. */
uint64_t plan_fingerprint(const struct view *v);

/*
 * Brings p->plan up to date; input is the fingerprint (view.h). -1 with err if
 * the program fails; then `.plan` is null. Without a function `plan`: 0.
 */
int plan_update(
    struct primary *p, struct view *v, uint64_t input, struct err *err);

/*
 * The same for a primary for which `desired` is not called: an error does not
 * count, because a bad spec must not prevent that the primary is cleaned up. It
 * becomes the decision's error and is logged.
 */
void plan_alone(struct decision *d, struct primary *p, struct view *v);

#endif
