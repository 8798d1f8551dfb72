/*
 * Part of document/openapi_write.h. The types of CRDs in OpenAPI documents:
 * the schema of the definition, with what the server adds. Source:
 * apiextensions-apiserver/pkg/controller/ openapi/builder.
 */
#include "crd/crd.h"
#include "document/openapi_write.h"
#include "json/json.h"

#define META "io.k8s.apimachinery.pkg.apis.meta.v1."

static struct node *
text_property(struct arena *a)
{
	struct node *n = tree_object(a);

	tree_put(a, n, "type", tree_str(a, "string"));
	return n;
}

static struct node *
reference(struct openapi_writer *w, const char *type)
{
	struct arena *a = &w->arena;
	struct node *ref = tree_object(a), *all = tree_array(a),
		    *n = tree_object(a);

	openapi_want(w, span_str(type));
	tree_put(a, ref, "$ref",
	    tree_string(a,
		arena_printf(a, "#/%s/%s",
		    w->v2 ? "definitions" : "components/schemas", type)));
	if (w->v2)
		return ref;
	tree_append(a, all, ref);
	tree_put(a, n, "allOf", all);
	return n;
}

static struct node *
described(struct openapi_writer *w, struct node *property, const char *text)
{
	if (!w->v2)
		tree_put(&w->arena, property, "description",
		    tree_str(&w->arena, text));
	return property;
}

static void
add_type_meta(struct openapi_writer *w, struct node *schema)
{
	struct arena *a = &w->arena;
	struct node *properties = tree_make(a, schema, "properties");

	tree_put(a, properties, "apiVersion",
	    described(w, text_property(a),
		"APIVersion defines how the object is written: a group and one "
		"of its versions."));
	tree_put(a, properties, "kind",
	    described(w, text_property(a),
		"Kind is the name of what the object is, in CamelCase."));
	tree_put(a, properties, "metadata",
	    described(w, reference(w, META "ObjectMeta"),
		"Standard object's metadata."));
}

static struct node *
alternatives(struct arena *a)
{
	struct node *list = tree_array(a), *integer = tree_object(a);

	tree_put(a, integer, "type", tree_str(a, "integer"));
	tree_append(a, list, integer);
	tree_append(a, list, text_property(a));
	return list;
}

static bool
preserves(const struct node *schema)
{
	return tree_true(
	    tree_get(schema, "x-kubernetes-preserve-unknown-fields"));
}

/* Writes out what the x-kubernetes- fields of a schema imply. */
static void
spell_out(struct openapi_writer *w, struct node *schema)
{
	struct arena *a = &w->arena;
	struct node *required, *part;

	if (!tree_is(schema, NODE_OBJECT))
		return;
	if (tree_true(tree_get(schema, "x-kubernetes-embedded-resource")) &&
	    !(w->v2 && preserves(schema))) {
		add_type_meta(w, schema);
		required = tree_array(a);
		tree_append(a, required, tree_str(a, "kind"));
		tree_append(a, required, tree_str(a, "apiVersion"));
		if (tree_get(schema, "required") == NULL)
			tree_put(a, schema, "required", required);
	}
	if (tree_true(tree_get(schema, "x-kubernetes-int-or-string")) &&
	    tree_get(schema, "anyOf") == NULL &&
	    tree_get(schema, "allOf") == NULL)
		tree_put(a, schema, "anyOf", alternatives(a));
	spell_out(w, tree_get(schema, "items"));
	spell_out(w, tree_get(schema, "additionalProperties"));
	part = tree_get(schema, "properties");
	for (uint32_t i = 0; tree_is(part, NODE_OBJECT) && i < part->n; i++)
		spell_out(w, part->members[i].value);
}

/* Removes what version 2 cannot express, or old versions of kubectl do not
 * understand. Source: apiextensions-apiserver/pkg/controller/openapi/v2. */
static void
make_v2(struct node *schema)
{
	bool open = preserves(schema), null;
	struct node *part;
	struct node *required, *properties, *p;

	if (!tree_is(schema, NODE_OBJECT))
		return;
	tree_remove(schema, "allOf");
	tree_remove(schema, "oneOf");
	tree_remove(schema, "anyOf");
	tree_remove(schema, "not");
	null = tree_true(tree_get(schema, "nullable"));
	tree_remove(schema, "nullable");
	if (null || open) {
		tree_remove(schema, "items");
		tree_remove(schema, "properties");
	}
	part = tree_get(schema, "type");
	if (null || (open && tree_text_is(part, "object")) ||
	    (tree_text_is(part, "array") && tree_get(schema, "items") == NULL))
		tree_remove(schema, "type");
	/* A required property that may be null is not required. */
	required = tree_get(schema, "required");
	properties = tree_get(schema, "properties");
	for (uint32_t i = 0;
	     tree_is(required, NODE_ARRAY) && i < required->n;) {
		p = tree_get_span(properties, tree_text(required->items[i]));
		if (tree_true(tree_get(p, "nullable")))
			tree_remove_at(required, i);
		else
			i++;
	}
	p = tree_get(schema, "additionalProperties");
	if (tree_empty(required) || tree_true(tree_get(p, "nullable")))
		tree_remove(schema, "required");
	make_v2(tree_get(schema, "items"));
	make_v2(tree_get(schema, "additionalProperties"));
	part = tree_get(schema, "properties");
	for (uint32_t i = 0; tree_is(part, NODE_OBJECT) && i < part->n; i++)
		make_v2(part->members[i].value);
}

static void
add_object(struct openapi_writer *w, const struct resource *r)
{
	const struct crd_version *v = crd_version_of(r);
	struct node *schema;

	/* With any property named, kubectl would refuse all others. */
	if (v->schema_json == NULL || (w->v2 && preserves(v->schema_json))) {
		buf_adds(&w->buf, "{\"type\":\"object\"}");
		return;
	}
	schema = tree_copy(&w->arena, v->schema_json);
	tree_put(&w->arena, schema, "type", tree_str(&w->arena, "object"));
	if (w->v2)
		make_v2(schema);
	spell_out(w, schema);
	add_type_meta(w, schema);
	tree_write(&w->buf, schema);
}

void
openapi_add_custom(struct openapi_writer *w, const struct openapi_type *type)
{
	const struct resource *r = type->custom;

	if (type->list) {
		struct buf *b = &w->buf;

		buf_adds(b,
		    "{\"type\":\"object\",\"required\":[\"items\"],"
		    "\"properties\":{\"apiVersion\":{\"type\":\"string\"},"
		    "\"items\":{\"type\":\"array\",\"items\":");
		openapi_add_ref(w, openapi_want_resource(w, r, false));
		buf_adds(b, "},\"kind\":{\"type\":\"string\"},\"metadata\":");
		openapi_add_ref(w, span_str(META "ListMeta"));
		buf_adds(b, "}}");
	} else
		add_object(w, r);
	buf_truncate(&w->buf, w->buf.len - 1);
	openapi_add_kind(&w->buf, r->group, r->version,
	    type->list ? r->list_kind : r->kind, true);
	buf_addc(&w->buf, '}');
}
