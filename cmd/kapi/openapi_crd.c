/*
 * The types of CRDs in OpenAPI documents: the schema of the definition, with
 * what the server adds. Source: apiextensions-apiserver/pkg/controller/
 * openapi/builder.
 */
#include "crd.h"
#include "json.h"
#include "openapi_write.h"

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

static void
add_type_meta(struct openapi_writer *w, struct node *schema)
{
	struct arena *a = &w->arena;
	struct node *properties = node_make(a, schema, "properties");

	node_put(a, properties, "apiVersion", text_property(a));
	node_put(a, properties, "kind", text_property(a));
	node_put(a, properties, "metadata", reference(w, META "ObjectMeta"));
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

/* What the x-kubernetes- fields of a schema imply, written out. */
static void
spell_out(struct openapi_writer *w, struct node *schema)
{
	struct arena *a = &w->arena;
	struct node *required, *part;

	if (!node_is(schema, NODE_OBJECT))
		return;
	if (node_true(node_get(schema, "x-kubernetes-embedded-resource"))) {
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

static void
add_object(struct openapi_writer *w, const struct resource *r)
{
	const struct crd_version *v = crd_version_of(r);
	struct node *schema = v->schema_json == NULL
	    ? node_object(&w->arena)
	    : node_copy(&w->arena, v->schema_json);

	node_put(&w->arena, schema, "type", node_str(&w->arena, "object"));
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
