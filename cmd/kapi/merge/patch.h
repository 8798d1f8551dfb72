/*
 * patch: JSON patch (RFC 6902), merge patch (RFC 7396) and strategic merge
 * patch (apimachinery/pkg/util/strategicpatch). Each makes a new tree that
 * may share nodes with the patch, none with the target; neither is changed.
 *
 * JSON patch and merge patch are those of github.com/evanphx/json-patch v4,
 * with its ways: an index may be negative, what stands before the first '/'
 * of a path is passed over, adding an absent value adds a null.
 */
#ifndef PATCH_H
#define PATCH_H

#include "base/arena.h"
#include "tree/tree.h"
#include "type/decode.h"
#include "type/problem.h"
#include "type/schema.h"

enum patch_type {
	PATCH_NONE,
	PATCH_JSON,
	PATCH_MERGE,
	PATCH_STRATEGIC,
	PATCH_APPLY /* server-side apply: managed.h */
};

/*
 * The body of a patch request. Unless validation is VALIDATE_IGNORE, fields
 * given twice and unknown members of operations are added to
 * strict, worded as the server does it: warnings, or, under VALIDATE_STRICT,
 * causes of a refusal after the patch was applied.
 */
struct problem *patch_parse(struct arena *a, enum patch_type type,
    struct span body, enum field_validation validation, struct warnings *strict,
    struct node **patch);

/* The problems are those that the API server answers with (400, 413, 422;
 * 500 without a reason for a strategic patch that does not fit). */
struct problem *patch_json(struct arena *a, const struct node *target,
    const struct node *patch, struct node **result);
struct problem *patch_merge(struct arena *a, const struct node *target,
    const struct node *patch, struct node **result);
/* $patch: replace|delete|merge, $setElementOrder/x, $retainKeys,
 * $deleteFromPrimitiveList/x; merge keys from the schema. */
struct problem *patch_strategic(struct arena *a, const struct schema *schema,
    const struct node *target, const struct node *patch, struct node **result);
/* The 422 of a patch that cannot be applied. */
struct problem *patch_cannot_apply(struct arena *a);

#endif
