/*
 * condition: conditions that ireconcile adds to a status with a list
 * `conditions`: RepairLoop (loops.h) and Unsettled (unsettled.h).
 */
#ifndef CONDITION_H
#define CONDITION_H

#include "decide/decide.h"

/*
 * status (consumed) with a true condition of this type, or, if message is
 * NULL, without it; returned owned. One without a list stays as it is.
 */
jv condition_set(const struct decision *d, jv status, const char *type,
    const char *reason, const char *message);

/* The observed condition of this type, if it is true. */
struct span condition_observed(const struct decision *d, const char *type);

#endif
