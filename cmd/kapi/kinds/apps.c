/* The kinds of apps. */
#include "builtin/topics.h"
#include "kinds/kinds.h"

static const struct strategy rows[] = {
    {
	.plural = "controllerrevisions",
	.names = NAME_SUBDOMAIN,
	.traits = TRAIT_NONE,
	.generation = GENERATION_NONE,
	.defaults = strategy_no_defaults,
	.prepare = strategy_no_preparation,
	.validate = controllerrevision_validate,
    },
    {
	.plural = "daemonsets",
	.names = NAME_SUBDOMAIN,
	.traits = TRAIT_NONE,
	.generation = GENERATION_SPEC,
	.defaults = daemonset_default,
	.prepare = daemonset_prepare,
	.validate = daemonset_validate,
    },
    {
	.plural = "deployments",
	.names = NAME_SUBDOMAIN,
	.traits = TRAIT_NONE,
	.generation = GENERATION_ANNOTATIONS,
	.defaults = deployment_default,
	.prepare = deployment_prepare,
	.validate = deployment_validate,
	.prepare_status = deployment_prepare,
	.validate_status = deployment_status_validate,
    },
    {
	.plural = "replicasets",
	.names = NAME_SUBDOMAIN,
	.traits = TRAIT_NONE,
	.generation = GENERATION_SPEC,
	.defaults = replicaset_default,
	.prepare = strategy_no_preparation,
	.validate = replicaset_validate,
	.validate_status = replicaset_status_validate,
    },
    {
	.plural = "statefulsets",
	.names = NAME_LABEL,
	.traits = TRAIT_NONE,
	.generation = GENERATION_SPEC,
	.defaults = statefulset_default,
	.prepare = strategy_no_preparation,
	.validate = statefulset_validate,
	.validate_status = statefulset_status_validate,
    },
};

const struct kind_group kinds_apps = {"apps", rows, COUNT(rows)};
