/*
 * kinds: every built-in kind, one row of a table for each. A row names the
 * parts of the kind that are in other folders: rules of builtin/, columns of
 * reply/, and so on. How to add a row: HACKING.md.
 */
#ifndef KINDS_H
#define KINDS_H

#include <stddef.h>

#include "base/array.h"
#include "type/strategy.h"

struct kind_group {
	const char *group; /* "" is the core group */
	const struct strategy *rows;
	size_t n;
};

extern const struct steps kinds_builtin_steps, kinds_definition_steps,
    kinds_custom_steps;

/* Custom resources. */
extern const struct strategy kinds_custom;

/* For resource_registry_new: the row of a built-in kind, or NULL. */
const struct strategy *kinds_find(struct span group, struct span plural);
/* Every group, in the order of discovery; NULL behind the last one. */
const struct kind_group *kinds_group(size_t i);

#endif
