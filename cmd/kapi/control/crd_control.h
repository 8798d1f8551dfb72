/*
 * crd_control: the controllers of CustomResourceDefinitions. They accept names,
 * register the resources, and end a definition that is deleted. See crd/crd.h.
 */
#ifndef CRD_CONTROL_H
#define CRD_CONTROL_H

#include "type/api.h"

struct crds;
struct crds *crds_new(struct api *api);
void crds_free(struct crds *c);
/* Works on all definitions that are due, at once: after --load, and for
 * tests. */
void crds_settle(struct crds *c);

#endif
