/* The kinds of networking.k8s.io. */
#include "builtin/topics.h"
#include "kinds/kinds.h"
#include "reply/columns.h"

static const struct strategy rows[] = {
    {
	.plural = "ingressclasses",
	.names = NAME_SUBDOMAIN,
	.traits = TRAIT_NONE,
	.generation = GENERATION_SPEC,
	.columns = "Name|Controller|Parameters|Age",
	.cells = cells_ingressclass,
	.fields = strategy_any_fields,
	.resets = strategy_no_resets,
	.defaults = ingressclass_default,
	.prepare = strategy_no_preparation,
	.validate = ingressclass_validate,
    },
    {
	.plural = "ingresses",
	.names = NAME_SUBDOMAIN,
	.traits = TRAIT_NONE,
	.generation = GENERATION_SPEC,
	.columns = "Name|Class|Hosts|Address|Ports|Age",
	.cells = cells_ingress,
	.fields = strategy_any_fields,
	.resets = strategy_resets_status,
	.defaults = strategy_no_defaults,
	.prepare = strategy_no_preparation,
	.validate = ingress_validate,
    },
    {
	.plural = "ipaddresses",
	.names = NAME_SUBDOMAIN,
	.traits = TRAIT_NONE,
	.generation = GENERATION_NONE,
	.columns = COLUMNS_NONE,
	.cells = columns_cells,
	.fields = strategy_any_fields,
	.resets = strategy_no_resets,
	.defaults = strategy_no_defaults,
	.prepare = strategy_no_preparation,
	.validate = strategy_no_rules,
    },
    {
	.plural = "networkpolicies",
	.names = NAME_SUBDOMAIN,
	.traits = TRAIT_NONE,
	.generation = GENERATION_SPEC,
	.columns = "Name|Pod-Selector|Age",
	.cells = cells_networkpolicy,
	.fields = strategy_any_fields,
	.resets = strategy_no_resets,
	.defaults = networkpolicy_default,
	.prepare = strategy_no_preparation,
	.validate = networkpolicy_validate,
    },
    {
	.plural = "servicecidrs",
	.names = NAME_SUBDOMAIN,
	.traits = TRAIT_NONE,
	.generation = GENERATION_NONE,
	.columns = COLUMNS_NONE,
	.cells = columns_cells,
	.fields = strategy_any_fields,
	.resets = strategy_resets_metadata,
	.defaults = strategy_no_defaults,
	.prepare = strategy_no_preparation,
	.validate = strategy_no_rules,
    },
};

const struct kind_group kinds_networking = {
    "networking.k8s.io", rows, COUNT(rows)};
