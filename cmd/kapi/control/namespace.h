/*
 * namespace: the life cycle of namespaces: creates the standard ones at the
 * start, fills each new one, and empties one that is deleted, with the
 * conditions of the real controller (pkg/controller/namespace/deletion). Hooks
 * of the store report writes; the work is done from the event loop.
 */
#ifndef NAMESPACE_H
#define NAMESPACE_H

#include <stdbool.h>

#include "type/api.h"

struct namespaces;

/* Hooks into api->store if it controls; else it only makes what
 * namespaces_start says. Borrows api. */
struct namespaces *namespaces_new(struct api *api, bool controls);
void namespaces_free(struct namespaces *n);

/*
 * Makes what is absent of default, kube-system, kube-public, kube-node-lease,
 * the Service kubernetes in default, the ServiceCIDR kubernetes, the
 * PriorityClasses of the system; and goes on with the namespaces that
 * were loaded in the middle of their deletion. Call it once, after
 * snapshot_put.
 */
void namespaces_start(struct namespaces *n);

#endif
