/*
 * controller: a controller of one kind: when an object of it was written, the
 * controller looks at all of them, from the event loop. And what all
 * controllers do with objects.
 */
#ifndef CONTROLLER_H
#define CONTROLLER_H

#include "rest/rest.h"
#include "type/api.h"

/* Looks at all objects of r. What it writes makes it look again. */
typedef void controller_fn(struct api *api, struct resource *r);

/* Hooks into api->store. Borrows api. */
struct controller;
struct controller *controller_new(struct api *api, const char *group,
    const char *plural, controller_fn *look);
void controller_free(struct controller *c);

/* ClusterRoles with an aggregationRule get the rules of the roles that it
 * selects. Source: pkg/controller/clusterroleaggregation. */
controller_fn aggregation_look;
/* The roles and bindings that every cluster has: those that are missing are
 * made. Source: recorded from kube-apiserver. */
void aggregation_make_defaults(struct api *api);

/* Each ServiceCIDR gets its finalizer and the condition Ready; one that is
 * deleted loses the finalizer at once, even if its addresses are in use.
 * Source: recorded; pkg/controller/servicecidrs. */
controller_fn servicecidr_look;

/* ---- for all controllers ---- */

/* Creates the object, unless there is one of its name. */
struct problem *controller_ensure(
    const struct rest_writer *by, struct resource *r, struct node *object);
/* Removes the text from a list (finalizers). False: it was not there. */
bool controller_drop_text(struct node *list, const char *text);

#endif
