/*
 * crd_control: the controllers of definitions: names, registration, end. See
 * crd/crd.h.
 */
#ifndef CRD_CONTROL_H
#define CRD_CONTROL_H

#include "type/api.h"

struct crds;
struct crds *crds_new(struct api *api);
void crds_free(struct crds *c);
/* Does now what is due: after --load, and for tests. */
void crds_settle(struct crds *c);

#endif
