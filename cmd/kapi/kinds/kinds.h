/*
 * kinds: every built-in kind, one row of a table for each, one file for each
 * API group. The rows tie together what other rooms have: rules of builtin/,
 * columns of reply/, and so on. How to add one: HACKING.md.
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

extern const struct kind_group kinds_core, kinds_apiregistration, kinds_apps,
    kinds_events, kinds_authentication, kinds_authorization, kinds_autoscaling,
    kinds_batch, kinds_certificates, kinds_networking, kinds_policy, kinds_rbac,
    kinds_storage, kinds_admissionregistration, kinds_apiextensions,
    kinds_scheduling, kinds_coordination, kinds_node, kinds_discovery,
    kinds_resource, kinds_flowcontrol;

extern const struct steps kinds_builtin_steps, kinds_definition_steps,
    kinds_custom_steps;

/* Custom resources. */
extern const struct strategy kinds_custom;

/*
 * The row of a kind that a create answers and that is not stored: it has
 * nothing of the first part of a strategy. (With reply/columns.h.)
 */
#define KINDS_REVIEW(name, answer)                                         \
	{                                                                  \
		.plural = name, .steps = &kinds_builtin_steps,             \
		.names = NAME_SUBDOMAIN, .traits = TRAIT_NONE,             \
		.generation = GENERATION_NONE, .columns = COLUMNS_NONE,    \
		.cells = columns_cells, .fields = strategy_any_fields,     \
		.resets = strategy_no_resets,                              \
		.defaults = strategy_no_defaults,                          \
		.prepare = strategy_no_preparation,                        \
		.validate = strategy_no_rules, .deletion = DELETION_PLAIN, \
		.review = answer                                           \
	}

/* For resource_registry_new: the row of a built-in kind, or NULL. */
const struct strategy *kinds_find(struct span group, struct span plural);
/* Every group, in the order of discovery; NULL behind the last one. */
const struct kind_group *kinds_group(size_t i);

#endif
