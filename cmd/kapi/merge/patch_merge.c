/* Part of merge/patch.h: JSON Merge Patch, RFC 7386. */
#include "merge/patch.h"

/* The patch's value without members that are null. In an array, nulls stay,
 * and what its elements hold loses them. */
static struct node *
without_nulls(struct arena *a, struct node *value)
{
	struct node *n;

	if (value->kind == NODE_OBJECT) {
		n = tree_object(a);
		for (uint32_t i = 0; i < value->n; i++)
			if (value->members[i].value->kind != NODE_NULL)
				tree_set(a, n, value->members[i].key,
				    without_nulls(a, value->members[i].value));
		return n;
	}
	if (value->kind != NODE_ARRAY)
		return value;
	n = tree_array(a);
	for (uint32_t i = 0; i < value->n; i++)
		tree_append(a, n, without_nulls(a, value->items[i]));
	return n;
}

static struct node *
merge_objects(
    struct arena *a, const struct node *target, const struct node *patch)
{
	struct node *n = tree_object(a);
	bool removed = false;

	for (uint32_t i = 0; i < target->n; i++)
		tree_set(
		    a, n, target->members[i].key, target->members[i].value);
	for (uint32_t i = 0; i < patch->n; i++) {
		struct span key = patch->members[i].key;
		struct node *value = patch->members[i].value;
		struct node *old = tree_get_span(n, key);

		if (value->kind == NODE_NULL) {
			if (old == NULL)
				continue;
			tree_set(a, n, key, NULL);
			removed = true;
		} else if (old == NULL || old->kind != NODE_OBJECT) {
			tree_set(a, n, key, without_nulls(a, value));
		} else if (value->kind != NODE_OBJECT) {
			tree_set(a, n, key, value);
		} else {
			tree_set(a, n, key, merge_objects(a, old, value));
		}
	}
	if (removed)
		tree_sweep(n);
	return n;
}

struct problem *
patch_merge(struct arena *a, const struct node *target,
    const struct node *patch, struct node **result)
{
	if (patch->kind == NODE_OBJECT && target->kind == NODE_OBJECT)
		*result = merge_objects(a, tree_copy(a, target), patch);
	else if (patch->kind == NODE_OBJECT || patch->kind == NODE_ARRAY)
		*result = without_nulls(a, tree_copy(a, patch));
	else
		return problem_bad_request(a, "Invalid JSON Patch");
	return NULL;
}
