/* Part of kinds/kinds.h: the kinds of scheduling.k8s.io. */
#include "builtin/topics.h"
#include "kinds/kinds.h"
#include "reply/columns.h"

static const struct strategy rows[] = {
    {
	.plural = "priorityclasses",
	.steps = &kinds_builtin_steps,
	.names = NAME_SUBDOMAIN,
	.traits = TRAIT_NONE,
	.generation = GENERATION_ONCE,
	.columns =
	    "Name|Value:integer=value|Global-Default:boolean=globalDefault|Age|"
	    "PreemptionPolicy=preemptionPolicy",
	.cells = columns_cells,
	.fields = strategy_any_fields,
	.resets = strategy_no_resets,
	.defaults = misc_priorityclass_default,
	.prepare = strategy_no_preparation,
	.validate = misc_priorityclass_validate,
	.deletion = DELETION_PLAIN,
    },
};

const struct kind_group kinds_scheduling = {
    "scheduling.k8s.io", rows, COUNT(rows)};
