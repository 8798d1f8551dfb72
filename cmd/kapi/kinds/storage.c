/* The kinds of storage.k8s.io. */
#include "builtin/topics.h"
#include "kinds/kinds.h"

static const struct strategy rows[] = {
    {
	.plural = "csidrivers",
	.names = NAME_SUBDOMAIN,
	.traits = TRAIT_NEEDS_VERSION | TRAIT_RETURNS_DELETED,
	.generation = GENERATION_NONE,
	.defaults = csidriver_default,
	.prepare = strategy_no_preparation,
	.validate = strategy_no_rules,
    },
    {
	.plural = "csinodes",
	.names = NAME_SUBDOMAIN,
	.traits = TRAIT_NEEDS_VERSION | TRAIT_RETURNS_DELETED,
	.generation = GENERATION_NONE,
	.defaults = strategy_no_defaults,
	.prepare = strategy_no_preparation,
	.validate = strategy_no_rules,
    },
    {
	.plural = "csistoragecapacities",
	.names = NAME_SUBDOMAIN,
	.traits = TRAIT_NEEDS_VERSION,
	.generation = GENERATION_NONE,
	.defaults = strategy_no_defaults,
	.prepare = strategy_no_preparation,
	.validate = strategy_no_rules,
    },
    {
	.plural = "storageclasses",
	.names = NAME_SUBDOMAIN,
	.traits = TRAIT_RETURNS_DELETED,
	.generation = GENERATION_NONE,
	.defaults = storageclass_default,
	.prepare = strategy_no_preparation,
	.validate = storageclass_validate,
    },
    {
	.plural = "volumeattachments",
	.names = NAME_SUBDOMAIN,
	.traits = TRAIT_NEEDS_VERSION | TRAIT_RETURNS_DELETED,
	.generation = GENERATION_NONE,
	.defaults = strategy_no_defaults,
	.prepare = strategy_no_preparation,
	.validate = strategy_no_rules,
    },
    {
	.plural = "volumeattributesclasses",
	.names = NAME_SUBDOMAIN,
	.traits = TRAIT_RETURNS_DELETED,
	.generation = GENERATION_NONE,
	.defaults = strategy_no_defaults,
	.prepare = strategy_no_preparation,
	.validate = strategy_no_rules,
    },
};

const struct kind_group kinds_storage = {"storage.k8s.io", rows, COUNT(rows)};
