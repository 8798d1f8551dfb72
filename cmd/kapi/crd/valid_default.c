/* Part of crd/valid.h: the defaults in a schema fit it. */
#include "crd/check.h"
#include "crd/lists.h"
#include "crd/prune.h"
#include "crd/structural.h"
#include "crd/valid.h"
#include "type/decode.h"

/* A default in its place in a schema that has but it: pruned as a field. */
static bool
is_pruned(struct arena *a, const struct node *schema, const struct node *value)
{
	struct node *outer = tree_object(a), *fields = tree_object(a);
	struct node *object = tree_object(a);

	tree_put(a, fields, "default", (struct node *)schema);
	tree_put(a, outer, "properties", fields);
	tree_put(a, outer, "type", tree_str(a, "object"));
	tree_put(a, object, "default", tree_copy(a, value));
	prune_object(a, structural_schema(a, outer, false), object, NULL);
	return tree_equal(tree_get(object, "default"), value);
}

static void
walk(struct causes *c, struct span path, const struct node *schema, bool root)
{
	const struct node *p = tree_get(schema, "properties");
	bool resource = root ||
	    tree_true(tree_get(schema, "x-kubernetes-embedded-resource"));
	const struct node *value;
	struct span at;

	if (!tree_is(schema, NODE_OBJECT))
		return;
	value = tree_get(schema, "default");
	at = valid_path_child(c, path, "default");
	if (value != NULL && value->kind != NODE_NULL) {
		if (!is_pruned(c->arena, schema, value))
			cause_invalid(
			    c, at, value, "must not have unknown fields");
		crd_check(
		    c, structural_rules(c->arena, schema), at, value, NULL);
	}
	walk(c, valid_path_child(c, path, "items"), tree_get(schema, "items"),
	    false);
	for (size_t i = 0; tree_is(p, NODE_OBJECT) && i < p->n; i++) {
		struct span key = p->members[i].key;

		/* Those of metadata are looked at in their whole; kapi leaves
		 * them to the write of an object. */
		if (!(resource &&
			(span_is(key, "metadata") || span_is(key, "kind") ||
			    span_is(key, "apiVersion"))))
			walk(c, valid_path_entry(c, path, "properties", key),
			    p->members[i].value, false);
	}
}

void
valid_defaults(struct causes *c, struct span path, const struct node *schema)
{
	walk(c, path, schema, true);
}
