/*
 * patch: JSON patch (RFC 6902), merge patch (RFC 7396) and strategic merge
 * patch (apimachinery/pkg/util/strategicpatch). Each makes a new tree that
 * may share nodes with target and patch; neither is changed.
 */
#ifndef PATCH_H
#define PATCH_H

#include "arena.h"
#include "problem.h"
#include "schema.h"
#include "tree.h"

/* The problems are those that the API server answers with (400, 422). */
struct problem *patch_json(struct arena *a, const struct node *target,
    const struct node *patch, struct node **result);
struct problem *patch_merge(struct arena *a, const struct node *target,
    const struct node *patch, struct node **result);
/* $patch: replace|delete|merge, $setElementOrder/x, $retainKeys,
 * $deleteFromPrimitiveList/x; merge keys from the schema. */
struct problem *patch_strategic(struct arena *a, const struct schema *schema,
    const struct node *target, const struct node *patch, struct node **result);

#endif
