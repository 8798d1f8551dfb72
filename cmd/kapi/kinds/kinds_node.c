/* Part of kinds/kinds.h: the kinds of node.k8s.io. */
#include "builtin/topics.h"
#include "kinds/kinds.h"
#include "reply/columns.h"

static const struct strategy rows[] = {
    {
	.plural = "runtimeclasses",
	.steps = &kinds_builtin_steps,
	.names = NAME_SUBDOMAIN,
	.traits = TRAIT_CREATE_ON_UPDATE | TRAIT_NEEDS_VERSION,
	.generation = GENERATION_NONE,
	.columns = "Name|Handler=handler|Age",
	.cells = columns_cells,
	.fields = strategy_any_fields,
	.resets = strategy_no_resets,
	.defaults = strategy_no_defaults,
	.prepare = strategy_no_preparation,
	.validate = limits_runtimeclass_validate,
	.deletion = DELETION_PLAIN,
    },
};

const struct kind_group kinds_node = {"node.k8s.io", rows, COUNT(rows)};
