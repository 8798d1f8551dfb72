/* The kinds of events.k8s.io. */
#include "builtin/topics.h"
#include "kinds/kinds.h"

static const struct strategy rows[] = {
    {
	.plural = "events",
	.names = NAME_SUBDOMAIN,
	.traits = TRAIT_CREATE_ON_UPDATE | TRAIT_NO_COLLECTION,
	.generation = GENERATION_NONE,
	.defaults = strategy_no_defaults,
	.prepare = strategy_no_preparation,
	.validate = event_validate,
    },
};

const struct kind_group kinds_events = {"events.k8s.io", rows, COUNT(rows)};
