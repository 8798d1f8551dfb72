/* Part of kinds/kinds.h: the kinds of apiextensions.k8s.io. */
#include "crd/crd.h"
#include "kinds/kinds.h"
#include "reply/columns.h"

static const struct strategy rows[] = {
    {
	.plural = "customresourcedefinitions",
	.steps = &kinds_definition_steps,
	.names = NAME_SUBDOMAIN,
	.traits = TRAIT_NEEDS_VERSION,
	.generation = GENERATION_SPEC,
	.columns = COLUMNS_NONE,
	.cells = columns_cells,
	.fields = strategy_any_fields,
	.resets = strategy_resets_status,
	.defaults = crd_definition_default,
	.prepare = strategy_no_preparation,
	.validate = strategy_no_rules,
	.deletion = DELETION_DEFINITION,
    },
};

const struct kind_group kinds_apiextensions = {
    "apiextensions.k8s.io", rows, COUNT(rows)};
