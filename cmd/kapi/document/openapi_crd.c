/*
 * The types of CRDs in OpenAPI documents: the schema of the definition, with
 * what the server adds. Source: apiextensions-apiserver/pkg/controller/
 * openapi/builder.
 */
#include "crd/crd.h"
#include "document/openapi_write.h"
#include "json/json.h"

#define META "io.k8s.apimachinery.pkg.apis.meta.v1."

static struct node *
text_property(struct arena *a)
{
	struct node *n = node_object(a);

	node_put(a, n, "type", node_str(a, "string"));
	return n;
}

static struct node *
reference(struct openapi_writer *w, const char *type)
{
	struct arena *a = &w->arena;
	struct node *ref = node_object(a), *all = node_array(a),
		    *n = node_object(a);

	openapi_want(w, span_str(type));
	node_put(a, ref, "$ref",
	    node_string(a,
		arena_printf(a, "#/%s/%s",
		    w->v2 ? "definitions" : "components/schemas", type)));
	if (w->v2)
		return ref;
	node_append(a, all, ref);
	node_put(a, n, "allOf", all);
	return n;
}

static struct node *
described(struct openapi_writer *w, struct node *property, const char *text)
{
	if (!w->v2)
		node_put(&w->arena, property, "description",
		    node_str(&w->arena, text));
	return property;
}

static void
add_type_meta(struct openapi_writer *w, struct node *schema)
{
	struct arena *a = &w->arena;
	struct node *properties = node_make(a, schema, "properties");

	node_put(a, properties, "apiVersion",
	    described(w, text_property(a),
		"APIVersion defines how the object is written: a group and "
		"one of its versions."));
	node_put(a, properties, "kind",
	    described(w, text_property(a),
		"Kind is the name of what the object is, in CamelCase."));
	node_put(a, properties, "metadata",
	    described(w, reference(w, META "ObjectMeta"),
		"Standard object's metadata."));
}

static struct node *
alternatives(struct arena *a)
{
	struct node *list = node_array(a), *integer = node_object(a);

	node_put(a, integer, "type", node_str(a, "integer"));
	node_append(a, list, integer);
	node_append(a, list, text_property(a));
	return list;
}

static bool
preserves(const struct node *schema)
{
	return node_true(
	    node_get(schema, "x-kubernetes-preserve-unknown-fields"));
}

/* What the x-kubernetes- fields of a schema imply, written out. */
static void
spell_out(struct openapi_writer *w, struct node *schema)
{
	struct arena *a = &w->arena;
	struct node *required, *part;

	if (!node_is(schema, NODE_OBJECT))
		return;
	if (node_true(node_get(schema, "x-kubernetes-embedded-resource")) &&
	    !(w->v2 && preserves(schema))) {
		add_type_meta(w, schema);
		required = node_array(a);
		node_append(a, required, node_str(a, "kind"));
		node_append(a, required, node_str(a, "apiVersion"));
		if (node_get(schema, "required") == NULL)
			node_put(a, schema, "required", required);
	}
	if (node_true(node_get(schema, "x-kubernetes-int-or-string")) &&
	    node_get(schema, "anyOf") == NULL &&
	    node_get(schema, "allOf") == NULL)
		node_put(a, schema, "anyOf", alternatives(a));
	spell_out(w, node_get(schema, "items"));
	spell_out(w, node_get(schema, "additionalProperties"));
	part = node_get(schema, "properties");
	for (uint32_t i = 0; node_is(part, NODE_OBJECT) && i < part->n; i++)
		spell_out(w, part->members[i].value);
}

/* A required property that may be null is not required. */
static void
relax_required(struct node *schema)
{
	struct node *required = node_get(schema, "required"),
		    *properties = node_get(schema, "properties"), *p;

	for (uint32_t i = 0;
	     node_is(required, NODE_ARRAY) && i < required->n;) {
		p = node_get_span(properties, node_text(required->items[i]));
		if (node_true(node_get(p, "nullable")))
			node_remove_at(required, i);
		else
			i++;
	}
	p = node_get(schema, "additionalProperties");
	if (node_empty(required) || node_true(node_get(p, "nullable")))
		node_remove(schema, "required");
}

/* What version 2 cannot say, and what kubectl did not understand in it, is
 * left out. Source: apiextensions-apiserver/pkg/controller/openapi/v2. */
static void
make_v2(struct node *schema)
{
	bool open = preserves(schema), null;
	struct node *part;

	if (!node_is(schema, NODE_OBJECT))
		return;
	node_remove(schema, "allOf");
	node_remove(schema, "oneOf");
	node_remove(schema, "anyOf");
	node_remove(schema, "not");
	null = node_true(node_get(schema, "nullable"));
	node_remove(schema, "nullable");
	if (null || open) {
		node_remove(schema, "items");
		node_remove(schema, "properties");
	}
	part = node_get(schema, "type");
	if (null || (open && node_text_is(part, "object")) ||
	    (node_text_is(part, "array") && node_get(schema, "items") == NULL))
		node_remove(schema, "type");
	relax_required(schema);
	make_v2(node_get(schema, "items"));
	make_v2(node_get(schema, "additionalProperties"));
	part = node_get(schema, "properties");
	for (uint32_t i = 0; node_is(part, NODE_OBJECT) && i < part->n; i++)
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
	schema = node_copy(&w->arena, v->schema_json);
	node_put(&w->arena, schema, "type", node_str(&w->arena, "object"));
	if (w->v2)
		make_v2(schema);
	spell_out(w, schema);
	add_type_meta(w, schema);
	tree_write(&w->buf, schema);
}

static void
add_list(struct openapi_writer *w, const struct resource *r)
{
	struct buf *b = &w->buf;

	buf_adds(b,
	    "{\"type\":\"object\",\"required\":[\"items\"],\"properties\":"
	    "{\"apiVersion\":{\"type\":\"string\"},\"items\":{\"type\":"
	    "\"array\",\"items\":");
	openapi_add_ref(w, openapi_want_resource(w, r, false));
	buf_adds(b, "},\"kind\":{\"type\":\"string\"},\"metadata\":");
	openapi_add_ref(w, span_str(META "ListMeta"));
	buf_adds(b, "}}");
}

void
openapi_add_custom(struct openapi_writer *w, const struct openapi_type *type)
{
	const struct resource *r = type->custom;

	if (type->list)
		add_list(w, r);
	else
		add_object(w, r);
	buf_truncate(&w->buf, w->buf.len - 1);
	openapi_add_kind(&w->buf, r->group, r->version,
	    type->list ? r->list_kind : r->kind, true);
	buf_addc(&w->buf, '}');
}
