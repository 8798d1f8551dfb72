/* The kinds of admissionregistration.k8s.io. */
#include "builtin/topics.h"
#include "kinds/kinds.h"

static const struct strategy rows[] = {
    {
	.plural = "mutatingadmissionpolicies",
	.names = NAME_SUBDOMAIN,
	.traits = TRAIT_NEEDS_VERSION,
	.generation = GENERATION_NONE,
	.defaults = strategy_no_defaults,
	.prepare = strategy_no_preparation,
	.validate = strategy_no_rules,
    },
    {
	.plural = "mutatingadmissionpolicybindings",
	.names = NAME_SUBDOMAIN,
	.traits = TRAIT_NEEDS_VERSION,
	.generation = GENERATION_NONE,
	.defaults = strategy_no_defaults,
	.prepare = strategy_no_preparation,
	.validate = strategy_no_rules,
    },
    {
	.plural = "mutatingwebhookconfigurations",
	.names = NAME_SUBDOMAIN,
	.traits = TRAIT_NEEDS_VERSION,
	.generation = GENERATION_SPEC,
	.defaults = webhooks_default,
	.prepare = strategy_no_preparation,
	.validate = webhooks_validate,
    },
    {
	.plural = "validatingadmissionpolicies",
	.names = NAME_SUBDOMAIN,
	.traits = TRAIT_NEEDS_VERSION,
	.generation = GENERATION_SPEC,
	.defaults = strategy_no_defaults,
	.prepare = strategy_no_preparation,
	.validate = strategy_no_rules,
    },
    {
	.plural = "validatingadmissionpolicybindings",
	.names = NAME_SUBDOMAIN,
	.traits = TRAIT_NEEDS_VERSION,
	.generation = GENERATION_SPEC,
	.defaults = strategy_no_defaults,
	.prepare = strategy_no_preparation,
	.validate = strategy_no_rules,
    },
    {
	.plural = "validatingwebhookconfigurations",
	.names = NAME_SUBDOMAIN,
	.traits = TRAIT_NEEDS_VERSION,
	.generation = GENERATION_SPEC,
	.defaults = webhooks_default,
	.prepare = strategy_no_preparation,
	.validate = webhooks_validate,
    },
};

const struct kind_group kinds_admissionregistration = {
    "admissionregistration.k8s.io", rows, COUNT(rows)};
