/*
 * podend: the end of Pods that are being deleted and had a period of grace.
 * A kubelet ends its Pod when the containers have; kapi has none, and the real
 * control plane would force the deletion of a Pod whose Node is not there
 * (pkg/controller/podgc). A Pod with a deletionTimestamp is deleted
 *
 * - when its phase is Succeeded or Failed: a client plays the kubelet;
 * - or when its period of grace is over, unless there is a Node of that name
 *   whose condition Ready is not True: then the Pod waits, as on a real
 *   cluster, until the Node is ready again or gone.
 *
 * Finalizers hold the Pod as they hold any object. Hooks of the store report
 * writes; the work is done from the event loop.
 */
#ifndef PODEND_H
#define PODEND_H

#include "type/api.h"

struct podend;

/* Hooks into api->store. Borrows api. */
struct podend *podend_new(struct api *api);
void podend_free(struct podend *e);

#endif
