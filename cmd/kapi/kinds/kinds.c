#include "kinds/kinds.h"

static const struct kind_group *const groups[] = {
    &kinds_core,
    &kinds_apiregistration,
    &kinds_apps,
    &kinds_events,
    &kinds_authentication,
    &kinds_authorization,
    &kinds_autoscaling,
    &kinds_batch,
    &kinds_certificates,
    &kinds_networking,
    &kinds_policy,
    &kinds_rbac,
    &kinds_storage,
    &kinds_admissionregistration,
    &kinds_apiextensions,
    &kinds_scheduling,
    &kinds_coordination,
    &kinds_node,
    &kinds_discovery,
    &kinds_resource,
    &kinds_flowcontrol,
};

const struct kind_group *
kinds_group(size_t i)
{
	return i < COUNT(groups) ? groups[i] : NULL;
}

const struct strategy *
kinds_find(struct span group, struct span plural)
{
	const struct kind_group *g;

	for (size_t i = 0; (g = kinds_group(i)) != NULL; i++)
		for (size_t j = 0; span_is(group, g->group) && j < g->n; j++)
			if (span_is(plural, g->rows[j].plural))
				return &g->rows[j];
	return NULL;
}
