/*
 * kubepath: the path and the query of a request, from texts of any kind.
 */
#ifndef KUBEPATH_H
#define KUBEPATH_H

#include "base/buf.h"
#include "base/span.h"

/* Appends a slash (unless b ends in one) and a path segment, encoded. */
void kube_path_add(struct buf *b, struct span segment);
/* Appends ?key=value or &key=value, encoded. */
void kube_query_add(struct buf *b, const char *key, struct span value);

#endif
