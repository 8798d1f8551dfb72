/* Part of kinds/kinds.h: the kinds of discovery.k8s.io. */
#include "builtin/topics.h"
#include "kinds/kinds.h"
#include "reply/columns.h"

static const struct strategy rows[] = {
    {
	.plural = "endpointslices",
	.steps = &kinds_builtin_steps,
	.names = NAME_SUBDOMAIN,
	.traits = TRAIT_NONE,
	.generation = GENERATION_SPEC,
	.columns = "Name|AddressType|Ports|Endpoints|Age",
	.cells = cells_endpointslice,
	.fields = strategy_any_fields,
	.resets = strategy_no_resets,
	.defaults = net_endpointslice_default,
	.prepare = strategy_no_preparation,
	.validate = net_endpointslice_validate,
	.deletion = DELETION_PLAIN,
    },
};

const struct kind_group kinds_discovery = {
    "discovery.k8s.io", rows, COUNT(rows)};
