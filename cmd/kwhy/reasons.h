/*
 * reasons: the parts of sentences.
 */
#ifndef REASONS_H
#define REASONS_H

#include "base/buf.h"
#include "base/span.h"
#include "tale.h"
#include "value/objref.h"

/* Whether values are not told. */
bool reasons_is_secret(const struct objref *o);

/* "Deployment.apps default/web" */
void reasons_add_object(struct buf *b, const struct objref *o);
/* ".spec.replicas is 7, wanted is 3, and 2 more fields differ" of an element of
 * because.items; nothing if there is none. Of a Secret only the paths. */
void reasons_add_differs(struct buf *b, struct span item, bool secret);
/* ", because ..." of a line's because. */
void reasons_add_events(struct buf *b, struct tale *t, struct span because);
/* "25", or "00000003:25" */
void reasons_add_place(
    struct buf *b, const struct tale *t, size_t source, size_t line);

#endif
