/* The kinds of autoscaling. */
#include "builtin/topics.h"
#include "kinds/kinds.h"

static const struct strategy rows[] = {
    {
	.plural = "horizontalpodautoscalers",
	.names = NAME_SUBDOMAIN,
	.traits = TRAIT_NONE,
	.generation = GENERATION_NONE,
	.defaults = autoscaler_default,
	.prepare = strategy_no_preparation,
	.validate = autoscaler_validate,
    },
};

const struct kind_group kinds_autoscaling = {"autoscaling", rows, COUNT(rows)};
