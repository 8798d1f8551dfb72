/*
 * namespace_content: what a namespace that is being deleted still holds, and
 * what its conditions say of it.
 * Source: pkg/controller/namespace/deletion.
 */
#ifndef NAMESPACE_CONTENT_H
#define NAMESPACE_CONTENT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/span.h"
#include "tree/tree.h"
#include "type/resource.h"

struct namespace_tally {
	struct span name; /* a resource or a finalizer */
	size_t count;
};

struct namespace_content {
	struct arena *arena; /* borrowed */
	struct namespace_tally *resources, *finalizers;
	size_t resource_count, finalizer_count;
	size_t total;
};

/* Adds what r has in the namespace. */
void namespace_content_add(struct namespace_content *c,
    const struct resource *r, struct span namespace_);

/*
 * Sets status.conditions. pods_only: only Pods were looked at, and some are
 * there. true if anything changed.
 */
bool namespace_content_set_conditions(const struct namespace_content *c,
    bool pods_only, struct node *namespace_, struct span now);

#endif
