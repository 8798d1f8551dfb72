/*
 * outcome: the functions of a program that run after the comparison: status,
 * events, requeue, settled. They are the second half of decide.h.
 */
#ifndef OUTCOME_H
#define OUTCOME_H

#include "decide/decide.h"
#include "state/view.h"

void outcome_decide(struct decision *d, struct view *v);
/* The input of these functions, borrowed from v. */
const struct arguments *outcome_input(struct decision *d, struct view *v);
void outcome_settled(struct decision *d, struct view *v);

/* Notes a failure; the first one of a decision counts. */
void outcome_fail(struct decision *d, const char *message);
void outcome_drop_points(struct decision *d);
void outcome_release(struct decision *d);

#endif
