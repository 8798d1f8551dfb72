/*
 * who: the object that is asked for, as people spell it: a kind in any case,
 * also in the plural, with its group or without ("deployments", "Deployment",
 * "deployment.apps"), and NAMESPACE/NAME, or NAME alone for what has no
 * namespace.
 */
#ifndef WHO_H
#define WHO_H

#include <stdbool.h>

#include "base/err.h"
#include "base/span.h"
#include "value/objref.h"

struct who {
	struct span kind, group; /* group absent: any */
	struct span namespace_, name;
};

/* Borrows both texts. -1 with err. */
int who_parse(
    struct who *w, const char *kind, const char *name, struct err *err);

/* Whether o, with its group, is meant. */
bool who_is(const struct who *w, const struct objref *o);

#endif
