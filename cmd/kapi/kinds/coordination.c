/* The kinds of coordination.k8s.io. */
#include "builtin/topics.h"
#include "kinds/kinds.h"

static const struct strategy rows[] = {
    {
	.plural = "leases",
	.names = NAME_SUBDOMAIN,
	.traits = TRAIT_CREATE_ON_UPDATE | TRAIT_NEEDS_VERSION,
	.generation = GENERATION_NONE,
	.defaults = strategy_no_defaults,
	.prepare = lease_prepare,
	.validate = lease_validate,
    },
};

const struct kind_group kinds_coordination = {
    "coordination.k8s.io", rows, COUNT(rows)};
