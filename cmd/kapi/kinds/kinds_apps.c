/* Part of kinds/kinds.h: the kinds of apps. */
#include "builtin/topics.h"
#include "kinds/kinds.h"
#include "reply/columns.h"

#define WORKLOAD "|Containers+|Images+"

static const struct reset deployment_resets[] = {
    {"", {"status"}},
    {"status", {"spec", "metadata.labels"}},
    RESET_END,
};

static const struct strategy rows[] = {
    {
	.plural = "controllerrevisions",
	.steps = &kinds_builtin_steps,
	.names = NAME_SUBDOMAIN,
	.traits = TRAIT_NONE,
	.generation = GENERATION_NONE,
	.columns = "Name|Controller|Revision|Age",
	.cells = cells_controllerrevision,
	.fields = strategy_any_fields,
	.resets = strategy_no_resets,
	.defaults = strategy_no_defaults,
	.prepare = strategy_no_preparation,
	.validate = misc_controllerrevision_validate,
	.deletion = DELETION_PLAIN,
    },
    {
	.plural = "daemonsets",
	.steps = &kinds_builtin_steps,
	.names = NAME_SUBDOMAIN,
	.traits = TRAIT_NONE,
	.generation = GENERATION_SPEC,
	.columns =
	    "Name|Desired:integer|Current:integer|Ready:integer|"
	    "Up-to-date:integer|Available:integer|Node Selector|Age" WORKLOAD
	    "|Selector+",
	.cells = cells_daemonset,
	.fields = strategy_any_fields,
	.resets = strategy_resets_status,
	.defaults = apps_daemonset_default,
	.prepare = apps_daemonset_prepare,
	.validate = apps_daemonset_validate,
	.validate_status = appstatus_daemonset,
	.deletion = DELETION_PLAIN,
	.bookmark = apps_daemonset_bookmark,
    },
    {
	.plural = "deployments",
	.steps = &kinds_builtin_steps,
	.names = NAME_SUBDOMAIN,
	.traits = TRAIT_NONE,
	.generation = GENERATION_ANNOTATIONS,
	.columns = "Name|Ready|Up-to-date|Available|Age" WORKLOAD "|Selector+",
	.cells = cells_deployment,
	.fields = strategy_any_fields,
	.resets = deployment_resets,
	.defaults = apps_deployment_default,
	.prepare = apps_deployment_prepare,
	.validate = apps_deployment_validate,
	.deletion = DELETION_PLAIN,
	.prepare_status = apps_deployment_prepare,
	.validate_status = appstatus_deployment,
	.bookmark = apps_replicas_bookmark,
    },
    {
	.plural = "replicasets",
	.steps = &kinds_builtin_steps,
	.names = NAME_SUBDOMAIN,
	.traits = TRAIT_NONE,
	.generation = GENERATION_SPEC,
	.columns =
	    "Name|Desired:integer|Current:integer|Ready:integer|Age" WORKLOAD
	    "|Selector+",
	.cells = cells_replicaset,
	.fields = strategy_any_fields,
	.resets = strategy_resets_status,
	.defaults = apps_replicaset_default,
	.prepare = strategy_no_preparation,
	.validate = apps_replicaset_validate,
	.deletion = DELETION_PLAIN,
	.validate_status = appstatus_replicaset,
	.bookmark = apps_replicas_bookmark,
    },
    {
	.plural = "statefulsets",
	.steps = &kinds_builtin_steps,
	.names = NAME_LABEL,
	.traits = TRAIT_NONE,
	.generation = GENERATION_SPEC,
	.columns = "Name|Ready|Age" WORKLOAD,
	.cells = cells_statefulset,
	.fields = strategy_any_fields,
	.resets = strategy_resets_status,
	.defaults = apps_statefulset_default,
	.prepare = strategy_no_preparation,
	.validate = apps_statefulset_validate,
	.deletion = DELETION_PLAIN,
	.validate_status = appstatus_statefulset,
	.bookmark = apps_replicas_bookmark,
    },
};

const struct kind_group kinds_apps = {"apps", rows, COUNT(rows)};
