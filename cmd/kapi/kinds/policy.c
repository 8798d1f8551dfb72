/* The kinds of policy. */
#include "builtin/topics.h"
#include "kinds/kinds.h"

static const struct strategy rows[] = {
    {
	.plural = "poddisruptionbudgets",
	.names = NAME_SUBDOMAIN,
	.traits = TRAIT_NEEDS_VERSION,
	.generation = GENERATION_SPEC,
	.defaults = strategy_no_defaults,
	.prepare = strategy_no_preparation,
	.validate = budget_validate,
    },
};

const struct kind_group kinds_policy = {"policy", rows, COUNT(rows)};
