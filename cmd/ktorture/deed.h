/*
 * deed: what a step of a scenario does to an object, as a request. Names of
 * resources come from discovery, once for each group and version.
 */
#ifndef DEED_H
#define DEED_H

#include <jv.h>

#include "base/buf.h"
#include "base/err.h"
#include "kapiclient.h"

struct deeds {
	jv lists; /* by apiVersion: the APIResourceList */
};

void deeds_init(struct deeds *t);
void deeds_release(struct deeds *t);
/* Definitions have changed. */
void deeds_forget(struct deeds *t);

/*
 * Appends the path of an object of this kind, or of the collection if name is
 * absent, and of a subresource, if that is not none. A namespaced object without a
 * namespace is in "default". -1 with err: the server has no such kind.
 */
int deed_path(struct deeds *t, struct kapiclient *c, jv object_peek,
    struct span name, struct span subresource, struct buf *path,
    struct err *err);

/*
 * Does a step: create, apply, patch, delete (doc/torture.md). The status of the
 * answer; 0 with err: it could not be asked. answer: borrowed, or NULL.
 */
int deed_do(struct deeds *t, struct kapiclient *c, jv step_peek,
    struct span *answer, struct err *err);

#endif
