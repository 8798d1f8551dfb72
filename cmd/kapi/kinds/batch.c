/* The kinds of batch. */
#include "builtin/topics.h"
#include "kinds/kinds.h"

static const struct strategy rows[] = {
    {
	.plural = "cronjobs",
	.names = NAME_SUBDOMAIN,
	.traits = TRAIT_NONE,
	.generation = GENERATION_SPEC,
	.defaults = cronjob_default,
	.prepare = strategy_no_preparation,
	.validate = cronjob_validate,
    },
    {
	.plural = "jobs",
	.names = NAME_SUBDOMAIN,
	.traits = TRAIT_ORPHANS,
	.generation = GENERATION_SPEC,
	.defaults = job_default,
	.prepare = job_prepare,
	.validate = job_validate,
    },
};

const struct kind_group kinds_batch = {"batch", rows, COUNT(rows)};
