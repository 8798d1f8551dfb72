/* Part of kinds/kinds.h: the kinds of flowcontrol.apiserver.k8s.io. */
#include "builtin/topics.h"
#include "kinds/kinds.h"
#include "reply/columns.h"

static const struct strategy rows[] = {
    {
	.plural = "flowschemas",
	.steps = &kinds_builtin_steps,
	.names = NAME_SUBDOMAIN,
	.traits = TRAIT_NONE,
	.generation = GENERATION_SPEC,
	.columns = COLUMNS_NONE,
	.cells = columns_cells,
	.fields = strategy_any_fields,
	.resets = strategy_resets_metadata,
	.defaults = strategy_no_defaults,
	.prepare = strategy_no_preparation,
	.validate = strategy_no_rules,
	.deletion = DELETION_PLAIN,
    },
    {
	.plural = "prioritylevelconfigurations",
	.steps = &kinds_builtin_steps,
	.names = NAME_SUBDOMAIN,
	.traits = TRAIT_NONE,
	.generation = GENERATION_SPEC,
	.columns = COLUMNS_NONE,
	.cells = columns_cells,
	.fields = strategy_any_fields,
	.resets = strategy_resets_metadata,
	.defaults = strategy_no_defaults,
	.prepare = strategy_no_preparation,
	.validate = strategy_no_rules,
	.deletion = DELETION_PLAIN,
    },
};

const struct kind_group kinds_flowcontrol = {
    "flowcontrol.apiserver.k8s.io", rows, COUNT(rows)};
