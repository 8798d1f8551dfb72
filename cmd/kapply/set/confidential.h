/*
 * confidential: kinds of whose objects no value is told: Secrets, ConfigMaps, and
 * those with fields that `redact:` names in watches.yaml, as `confidential` of a
 * desired set lists them.
 */
#ifndef CONFIDENTIAL_H
#define CONFIDENTIAL_H

#include <stdbool.h>

#include "set/set.h"
#include "value/objref.h"

bool confidential(const struct set *s, const struct objref *id);
/* The kind for kube_error_public. */
struct span confidential_kind(const struct set *s, const struct objref *id);

#endif
