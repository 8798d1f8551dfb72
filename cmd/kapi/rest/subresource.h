/*
 * subresource: functions that Binding and Eviction share.
 */
#ifndef SUBRESOURCE_H
#define SUBRESOURCE_H

#include "base/arena.h"
#include "tree/tree.h"

/* The Status that answers both. */
struct node *subresource_success(struct arena *a);
/* Sets the condition to True, from now on; reason and message may be NULL. */
void subresource_set_pod_condition(struct arena *a, struct node *pod,
    const char *type, const char *reason, const char *message);

#endif
