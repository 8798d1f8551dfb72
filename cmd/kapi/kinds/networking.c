/* The kinds of networking.k8s.io. */
#include "builtin/topics.h"
#include "kinds/kinds.h"

static const struct strategy rows[] = {
    {
	.plural = "ingressclasses",
	.names = NAME_SUBDOMAIN,
	.traits = TRAIT_NONE,
	.generation = GENERATION_SPEC,
	.defaults = ingressclass_default,
	.prepare = strategy_no_preparation,
	.validate = ingressclass_validate,
    },
    {
	.plural = "ingresses",
	.names = NAME_SUBDOMAIN,
	.traits = TRAIT_NONE,
	.generation = GENERATION_SPEC,
	.defaults = strategy_no_defaults,
	.prepare = strategy_no_preparation,
	.validate = ingress_validate,
    },
    {
	.plural = "ipaddresses",
	.names = NAME_SUBDOMAIN,
	.traits = TRAIT_NONE,
	.generation = GENERATION_NONE,
	.defaults = strategy_no_defaults,
	.prepare = strategy_no_preparation,
	.validate = strategy_no_rules,
    },
    {
	.plural = "networkpolicies",
	.names = NAME_SUBDOMAIN,
	.traits = TRAIT_NONE,
	.generation = GENERATION_SPEC,
	.defaults = networkpolicy_default,
	.prepare = strategy_no_preparation,
	.validate = networkpolicy_validate,
    },
    {
	.plural = "servicecidrs",
	.names = NAME_SUBDOMAIN,
	.traits = TRAIT_NONE,
	.generation = GENERATION_NONE,
	.defaults = strategy_no_defaults,
	.prepare = strategy_no_preparation,
	.validate = strategy_no_rules,
    },
};

const struct kind_group kinds_networking = {
    "networking.k8s.io", rows, COUNT(rows)};
