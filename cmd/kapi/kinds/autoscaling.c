/* The kinds of autoscaling. */
#include "builtin/topics.h"
#include "kinds/kinds.h"
#include "reply/columns.h"

static const struct strategy rows[] = {
    {
	.plural = "horizontalpodautoscalers",
	.names = NAME_SUBDOMAIN,
	.traits = TRAIT_NONE,
	.generation = GENERATION_NONE,
	.columns = "Name|Reference|Targets|MinPods|MaxPods|Replicas|Age",
	.cells = cells_hpa,
	.fields = strategy_any_fields,
	.resets = strategy_resets_status,
	.defaults = autoscaler_default,
	.prepare = strategy_no_preparation,
	.validate = autoscaler_validate,
    },
};

const struct kind_group kinds_autoscaling = {"autoscaling", rows, COUNT(rows)};
