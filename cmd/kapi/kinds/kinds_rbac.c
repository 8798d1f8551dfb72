/* Part of kinds/kinds.h: the kinds of rbac.authorization.k8s.io. */
#include "builtin/topics.h"
#include "kinds/kinds.h"
#include "reply/columns.h"

static const struct strategy rows[] = {
    {
	.plural = "clusterrolebindings",
	.steps = &kinds_builtin_steps,
	.names = NAME_SEGMENT,
	.traits = TRAIT_CREATE_ON_UPDATE,
	.generation = GENERATION_NONE,
	.columns = "Name|Role|Age|Users+|Groups+|ServiceAccounts+",
	.cells = cells_binding,
	.fields = strategy_any_fields,
	.resets = strategy_no_resets,
	.defaults = misc_rolebinding_default,
	.prepare = strategy_no_preparation,
	.validate = misc_rolebinding_validate,
	.deletion = DELETION_PLAIN,
    },
    {
	.plural = "clusterroles",
	.steps = &kinds_builtin_steps,
	.names = NAME_SEGMENT,
	.traits = TRAIT_CREATE_ON_UPDATE,
	.generation = GENERATION_NONE,
	.columns = COLUMNS_NONE,
	.cells = columns_cells,
	.fields = strategy_any_fields,
	.resets = strategy_no_resets,
	.defaults = strategy_no_defaults,
	.prepare = strategy_no_preparation,
	.validate = misc_role_validate,
	.deletion = DELETION_PLAIN,
    },
    {
	.plural = "rolebindings",
	.steps = &kinds_builtin_steps,
	.names = NAME_SEGMENT,
	.traits = TRAIT_CREATE_ON_UPDATE,
	.generation = GENERATION_NONE,
	.columns = "Name|Role|Age|Users+|Groups+|ServiceAccounts+",
	.cells = cells_binding,
	.fields = strategy_any_fields,
	.resets = strategy_no_resets,
	.defaults = misc_rolebinding_default,
	.prepare = strategy_no_preparation,
	.validate = misc_rolebinding_validate,
	.deletion = DELETION_PLAIN,
    },
    {
	.plural = "roles",
	.steps = &kinds_builtin_steps,
	.names = NAME_SEGMENT,
	.traits = TRAIT_CREATE_ON_UPDATE,
	.generation = GENERATION_NONE,
	.columns = COLUMNS_NONE,
	.cells = columns_cells,
	.fields = strategy_any_fields,
	.resets = strategy_no_resets,
	.defaults = strategy_no_defaults,
	.prepare = strategy_no_preparation,
	.validate = misc_role_validate,
	.deletion = DELETION_PLAIN,
    },
};

const struct kind_group kinds_rbac = {
    "rbac.authorization.k8s.io", rows, COUNT(rows)};
