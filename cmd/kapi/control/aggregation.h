/*
 * aggregation: ClusterRoles with an aggregationRule get the rules of the roles
 * that it selects.
 * Source: pkg/controller/clusterroleaggregation.
 */
#ifndef AGGREGATION_H
#define AGGREGATION_H

#include "type/api.h"

struct aggregation;

struct aggregation *aggregation_new(struct api *api);
void aggregation_free(struct aggregation *g);

/* The roles and bindings that every cluster has: those that are missing are
 * made. Source: recorded from kube-apiserver. */
void aggregation_make_defaults(struct aggregation *g);

#endif
