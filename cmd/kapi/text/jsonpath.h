/*
 * jsonpath: the part of JSONPath that CRDs use for their columns:
 * .a.b, .a\.b, ['a.b'], [1], [-1], [*], .*, [?(@.type=="Ready")] (and != < >
 * <= >=). Source: client-go/util/jsonpath.
 */
#ifndef JSONPATH_H
#define JSONPATH_H

#include "base/arena.h"
#include "base/span.h"
#include "tree/tree.h"

/* The first value at path, NULL if there is none (or path is not a
 * JSONPath). */
const struct node *jsonpath_first(
    struct arena *a, const struct node *root, struct span path);

#endif
