/* Part of kinds/kinds.h: the kinds of batch. */
#include "builtin/topics.h"
#include "kinds/kinds.h"
#include "reply/columns.h"

#define WORKLOAD "|Containers+|Images+"

static const struct selectable job_fields[] = {
    SELECTABLE_NAME,
    SELECTABLE_NAMESPACE,
    {"status.successful", "status.succeeded", FIELD_INT},
    SELECTABLE_END,
};

static const struct strategy rows[] = {
    {
	.plural = "cronjobs",
	.steps = &kinds_builtin_steps,
	.names = NAME_SUBDOMAIN,
	.traits = TRAIT_NONE,
	.generation = GENERATION_SPEC,
	.columns = "Name|Schedule|Timezone|Suspend:boolean|Active:integer|Last "
		   "Schedule|"
		   "Age" WORKLOAD "|Selector+",
	.cells = cells_cronjob,
	.fields = strategy_any_fields,
	.resets = strategy_resets_status,
	.defaults = batch_cronjob_default,
	.prepare = strategy_no_preparation,
	.validate = batch_cronjob_validate,
	.deletion = DELETION_PLAIN,
    },
    {
	.plural = "jobs",
	.steps = &kinds_builtin_steps,
	.names = NAME_SUBDOMAIN,
	.traits = TRAIT_ORPHANS,
	.generation = GENERATION_SPEC,
	.columns = "Name|Status|Completions|Duration|Age" WORKLOAD "|Selector+",
	.cells = cells_job,
	.fields = job_fields,
	.fields_named = "Job",
	.resets = strategy_resets_status,
	.defaults = batch_job_default,
	.prepare = batch_job_prepare,
	.validate = batch_job_validate,
	.validate_status = jobstatus_validate,
	.deletion = DELETION_PLAIN,
	.orphan_warning =
	    "child pods are preserved by default when jobs are "
	    "deleted; set propagationPolicy=Background to remove "
	    "them or set propagationPolicy=Orphan to suppress this "
	    "warning",
    },
};

const struct kind_group kinds_batch = {"batch", rows, COUNT(rows)};
