/* Part of kinds/kinds.h: the kinds of coordination.k8s.io. */
#include "builtin/topics.h"
#include "kinds/kinds.h"
#include "reply/columns.h"

static const struct strategy rows[] = {
    {
	.plural = "leases",
	.steps = &kinds_builtin_steps,
	.names = NAME_SUBDOMAIN,
	.traits = TRAIT_CREATE_ON_UPDATE | TRAIT_NEEDS_VERSION,
	.generation = GENERATION_NONE,
	.columns = "Name|Holder=spec.holderIdentity|Age",
	.cells = columns_cells,
	.fields = strategy_any_fields,
	.resets = strategy_no_resets,
	.defaults = strategy_no_defaults,
	.prepare = misc_lease_prepare,
	.validate = misc_lease_validate,
	.deletion = DELETION_PLAIN,
    },
};

const struct kind_group kinds_coordination = {
    "coordination.k8s.io", rows, COUNT(rows)};
