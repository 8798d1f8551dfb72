/*
 * cidr_control: the controller of ServiceCIDRs. Each gets its finalizer and the
 * condition Ready; one that is deleted loses the finalizer at once, even if its
 * addresses are in use. Hooks of the store report writes; the work is done from
 * the event loop. Source: recorded; pkg/controller/servicecidrs.
 */
#ifndef CIDR_CONTROL_H
#define CIDR_CONTROL_H

#include "type/api.h"

struct cidrs;

/* Hooks into api->store. Borrows api. */
struct cidrs *cidrs_new(struct api *api);
void cidrs_free(struct cidrs *c);

#endif
