#include "crd/check.h"
#include "crd/lists.h"
#include "crd/structural.h"
#include "crd/valid.h"
#include "type/decode.h"

static bool
is_meta(struct span key)
{
	return span_is(key, "metadata") || span_is(key, "kind") ||
	    span_is(key, "apiVersion");
}

/* A default in its place in a schema that has but it: pruned as a field. */
static bool
is_pruned(struct arena *a, const struct node *schema, const struct node *value)
{
	struct node *outer = node_object(a), *fields = node_object(a);
	struct node *object = node_object(a);

	node_put(a, fields, "default", (struct node *)schema);
	node_put(a, outer, "properties", fields);
	node_put(a, outer, "type", node_str(a, "object"));
	node_put(a, object, "default", node_copy(a, value));
	schema_prune(a, crd_schema(a, outer, false), object, NULL);
	return node_equal(node_get(object, "default"), value);
}

static void
check_default(struct causes *c, struct span path, const struct node *schema)
{
	const struct node *value = node_get(schema, "default");
	struct span at = path_child(c, path, "default");

	if (value == NULL || value->kind == NODE_NULL)
		return;
	if (!is_pruned(c->arena, schema, value))
		cause_invalid(c, at, value, "must not have unknown fields");
	crd_check(c, crd_rules(c->arena, schema), at, value, NULL);
}

static void
walk(struct causes *c, struct span path, const struct node *schema, bool root)
{
	const struct node *p = node_get(schema, "properties");
	bool resource = root ||
	    node_true(node_get(schema, "x-kubernetes-embedded-resource"));

	if (!node_is(schema, NODE_OBJECT))
		return;
	check_default(c, path, schema);
	walk(c, path_child(c, path, "items"), node_get(schema, "items"), false);
	for (size_t i = 0; node_is(p, NODE_OBJECT) && i < p->n; i++) {
		struct span key = p->members[i].key;

		/* Those of metadata are looked at in their whole; kapi leaves
		 * them to the write of an object. */
		if (!(resource && is_meta(key)))
			walk(c, path_entry(c, path, "properties", key),
			    p->members[i].value, false);
	}
}

void
valid_defaults(struct causes *c, struct span path, const struct node *schema)
{
	walk(c, path, schema, true);
}
