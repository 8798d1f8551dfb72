/* Part of kinds/kinds.h: the kinds of policy. */
#include "builtin/topics.h"
#include "kinds/kinds.h"
#include "reply/columns.h"

static const struct strategy rows[] = {
    {
	.plural = "poddisruptionbudgets",
	.steps = &kinds_builtin_steps,
	.names = NAME_SUBDOMAIN,
	.traits = TRAIT_NEEDS_VERSION,
	.generation = GENERATION_SPEC,
	.columns = "Name|Min Available|Max Unavailable|Allowed "
		   "Disruptions:integer|Age",
	.cells = cells_pdb,
	.fields = strategy_any_fields,
	.resets = strategy_resets_status,
	.defaults = strategy_no_defaults,
	.prepare = strategy_no_preparation,
	.validate = misc_budget_validate,
	.validate_status = otherstatus_budget,
	.deletion = DELETION_PLAIN,
    },
};

const struct kind_group kinds_policy = {"policy", rows, COUNT(rows)};
