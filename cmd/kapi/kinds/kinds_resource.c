/* Part of kinds/kinds.h: the kinds of resource.k8s.io. */
#include "kinds/kinds.h"
#include "reply/columns.h"

static const struct strategy rows[] = {
    {
	.plural = "deviceclasses",
	.steps = &kinds_builtin_steps,
	.names = NAME_SUBDOMAIN,
	.traits = TRAIT_RETURNS_DELETED,
	.generation = GENERATION_SPEC,
	.columns = "Name|Age",
	.cells = columns_cells,
	.fields = strategy_any_fields,
	.resets = strategy_no_resets,
	.defaults = strategy_no_defaults,
	.prepare = strategy_no_preparation,
	.validate = strategy_no_rules,
    },
    {
	.plural = "resourceclaims",
	.steps = &kinds_builtin_steps,
	.names = NAME_SUBDOMAIN,
	.traits = TRAIT_RETURNS_DELETED,
	.generation = GENERATION_NONE,
	.columns = COLUMNS_NONE,
	.cells = columns_cells,
	.fields = strategy_any_fields,
	.resets = strategy_resets_metadata,
	.defaults = strategy_no_defaults,
	.prepare = strategy_no_preparation,
	.validate = strategy_no_rules,
    },
    {
	.plural = "resourceclaimtemplates",
	.steps = &kinds_builtin_steps,
	.names = NAME_SUBDOMAIN,
	.traits = TRAIT_RETURNS_DELETED,
	.generation = GENERATION_NONE,
	.columns = "Name|Age",
	.cells = columns_cells,
	.fields = strategy_any_fields,
	.resets = strategy_no_resets,
	.defaults = strategy_no_defaults,
	.prepare = strategy_no_preparation,
	.validate = strategy_no_rules,
    },
    {
	.plural = "resourceslices",
	.steps = &kinds_builtin_steps,
	.names = NAME_SUBDOMAIN,
	.traits = TRAIT_RETURNS_DELETED,
	.generation = GENERATION_SPEC,
	.columns = COLUMNS_NONE,
	.cells = columns_cells,
	.fields = strategy_any_fields,
	.resets = strategy_no_resets,
	.defaults = strategy_no_defaults,
	.prepare = strategy_no_preparation,
	.validate = strategy_no_rules,
    },
};

const struct kind_group kinds_resource = {"resource.k8s.io", rows, COUNT(rows)};
