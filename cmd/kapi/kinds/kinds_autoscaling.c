/* Part of kinds/kinds.h: the kinds of autoscaling. */
#include "builtin/topics.h"
#include "kinds/kinds.h"
#include "reply/columns.h"
#include "write/convert.h"

static const struct strategy rows[] = {
    {
	.plural = "horizontalpodautoscalers",
	.steps = &kinds_builtin_steps,
	.names = NAME_SUBDOMAIN,
	.traits = TRAIT_NONE,
	.generation = GENERATION_NONE,
	.columns = "Name|Reference|Targets|MinPods|MaxPods|Replicas|Age",
	.cells = cells_hpa,
	.fields = strategy_any_fields,
	.resets = strategy_resets_status,
	.defaults = misc_autoscaler_default,
	.prepare = strategy_no_preparation,
	.validate = misc_autoscaler_validate,
	.deletion = DELETION_PLAIN,
	.convert_to = convert_scaler_to_v1,
	.convert_from = convert_scaler_from_v1,
    },
};

const struct kind_group kinds_autoscaling = {"autoscaling", rows, COUNT(rows)};
