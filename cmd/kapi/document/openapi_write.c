#include "document/openapi_write.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/mem.h"
#include "crd/crd.h"
#include "json/json.h"
#include "type/tables.h"

/* ---- descriptions of fields that all objects have ---- */

#define META "io.k8s.apimachinery.pkg.apis.meta.v1."

static const struct {
	const char *field, *text;
} texts[] = {
    {"annotations", "Annotations are for tools and people: any text, by key."},
    {"creationTimestamp",
	"CreationTimestamp is a timestamp: when the server took the object."},
    {"deletionGracePeriodSeconds",
	"Seconds that the object may take to end, once it is deleted."},
    {"deletionTimestamp",
	"When the object is to be gone; set by the server when somebody "
	"deletes it."},
    {"finalizers",
	"Who has to do something before the object goes; each removes its own "
	"entry."},
    {"generateName",
	"The server makes a name of this and five letters, where name is "
	"empty."},
    {"generation", "Counts changes of what is wanted of the object."},
    {"labels", "Labels are what selectors look at."},
    {"managedFields", "Who has set which field."},
    {"name", "The name: one in its namespace among its kind. It stays."},
    {"namespace", "Where the object is. Empty for kinds that are in none."},
    {"ownerReferences",
	"Objects that this one belongs to: it goes when they are all gone."},
    {"resourceVersion",
	"Says whether the object has changed; only to be compared and sent "
	"back."},
    {"uid", "Tells this object from others that had or will have its name."},
};

/* A description of a field; NULL: there is none. */
static const char *
openapi_text(struct span type, struct span field)
{
	if (!span_is(type, META "ObjectMeta"))
		return NULL;
	for (size_t i = 0; i < COUNT(texts); i++)
		if (span_is(field, texts[i].field))
			return texts[i].text;
	return NULL;
}

/* ---- built-in types ---- */

void
openapi_writer_release(struct openapi_writer *w)
{
	buf_release(&w->buf);
	map_release(&w->wanted);
	arena_release(&w->arena);
}

static struct openapi_type *
want(struct openapi_writer *w, struct span name)
{
	struct openapi_type *t = map_get(&w->wanted, name);

	if (t != NULL)
		return t;
	t = arena_zalloc(&w->arena, sizeof *t);
	t->name = name;
	t->previous = w->last;
	w->last = t;
	map_put(&w->wanted, name, t);
	return t;
}

void
openapi_want(struct openapi_writer *w, struct span name)
{
	want(w, name);
}

/* com.example.cache.v1.Memcached: the group backwards. */
static struct span
custom_name(struct arena *a, const struct resource *r, struct span kind)
{
	struct buf b = BUF_INIT;
	struct span group = r->group, name;
	size_t end = group.n;

	for (size_t i = group.n; i > 0; i--) {
		if (group.p[i - 1] != '.')
			continue;
		buf_add(&b, group.p + i, end - i);
		buf_addc(&b, '.');
		end = i - 1;
	}
	buf_add(&b, group.p, end);
	buf_addf(&b, ".%.*s.%.*s", SPAN_ARG(r->version), SPAN_ARG(kind));
	name = arena_span(a, buf_span(&b));
	buf_release(&b);
	return name;
}

struct span
openapi_want_resource(
    struct openapi_writer *w, const struct resource *r, bool list)
{
	struct span kind = list ? r->list_kind : r->kind;
	const struct schema *s;
	struct openapi_type *t;

	if (r->crd == NULL) {
		s = schema_builtin_kind(r->group, r->version, kind);
		if (s != NULL)
			want(w, s->name);
		return s == NULL ? SPAN_NONE : s->name;
	}
	t = want(w, custom_name(&w->arena, r, kind));
	t->custom = r;
	t->list = list;
	return t->name;
}

void
openapi_add_ref(struct openapi_writer *w, struct span name)
{
	struct buf *b = &w->buf;

	openapi_want(w, name);
	buf_addf(b, "{\"$ref\":\"#/%s/%.*s\"}",
	    w->v2 ? "definitions" : "components/schemas", SPAN_ARG(name));
}

static void
add_text(struct buf *b, const char *key, struct span text)
{
	json_add_key(b, key);
	json_add_string(b, text);
}

static void
add_list(struct buf *b, const char *key, struct span list)
{
	struct span item;

	json_add_key(b, key);
	buf_addc(b, '[');
	/* An empty item at the start is one. */
	while ((item = tables_item(&list)).p != NULL) {
		json_add_comma(b);
		json_add_string(b, item);
	}
	buf_addc(b, ']');
}

void
openapi_add_kind(struct buf *b, struct span group, struct span version,
    struct span kind, bool list)
{
	json_add_key(b, "x-kubernetes-group-version-kind");
	buf_adds(b, list ? "[{" : "{");
	add_text(b, "group", group);
	add_text(b, "version", version);
	add_text(b, "kind", kind);
	buf_adds(b, list ? "}]" : "}");
}

static const struct {
	const char *type, *members, *zero;
} scalars[] = {
    {"string", "\"type\":\"string\"", "\"\""},
    {"bytes", "\"type\":\"string\",\"format\":\"byte\"", NULL},
    {"int32", "\"type\":\"integer\",\"format\":\"int32\"", "0"},
    {"int64", "\"type\":\"integer\",\"format\":\"int64\"", "0"},
    {"double", "\"type\":\"number\",\"format\":\"double\"", NULL},
    {"bool", "\"type\":\"boolean\"", "false"},
};

/* The flags of a field, found once. */
struct flags {
	struct span fallback, list, keys, map, patch, patch_key, values;
};

static bool
flag(struct span text, const char *name, struct span *value)
{
	size_t n = strlen(name);

	if (text.n <= n || memcmp(text.p, name, n) != 0 || text.p[n] != '=')
		return false;
	*value = span_make(text.p + n + 1, text.n - n - 1);
	return true;
}

static struct flags
read_flags(struct span line)
{
	struct flags f = {.list = SPAN_NONE};
	struct span text;

	while ((text = tables_cell(&line)).p != NULL)
		(void)(flag(text, "default", &f.fallback) ||
		    flag(text, "list", &f.list) ||
		    flag(text, "keys", &f.keys) || flag(text, "map", &f.map) ||
		    flag(text, "patch", &f.patch) ||
		    flag(text, "patchkey", &f.patch_key) ||
		    flag(text, "enum", &f.values));
	return f;
}

static bool
is_object(struct span type)
{
	struct span head, fields;

	return schema_table(type, &head, &fields) &&
	    span_is(tables_cell(&head), "object");
}

static void add_type(
    struct openapi_writer *w, struct span type, struct span values, bool item);

static void
add_type(
    struct openapi_writer *w, struct span type, struct span values, bool item)
{
	struct buf *b = &w->buf;

	if (type.p[0] == '[' || type.p[0] == '{') {
		buf_adds(b,
		    type.p[0] == '['
			? "{\"type\":\"array\",\"items\":"
			: "{\"type\":\"object\",\"additionalProperties\":");
		add_type(w, span_skip(type, 1), values, true);
		buf_addc(b, '}');
		return;
	}
	for (size_t i = 0; i < COUNT(scalars); i++)
		if (span_is(type, scalars[i].type)) {
			buf_addf(b, "{%s", scalars[i].members);
			if (item && !w->v2 && scalars[i].zero != NULL)
				buf_addf(b, ",\"default\":%s", scalars[i].zero);
			if (values.p != NULL)
				add_list(b, "enum", values);
			buf_addc(b, '}');
			return;
		}
	/* Items of a list and values of a map have the zero value as their
	 * default, in version 3. */
	if (!item || w->v2 || !is_object(type)) {
		openapi_add_ref(w, type);
		return;
	}
	buf_adds(b, "{\"default\":{},\"allOf\":[");
	openapi_add_ref(w, type);
	buf_adds(b, "]}");
}

struct line {
	struct span name, type, flags;
};

static int
compare_lines(const void *x, const void *y)
{
	const struct line *a = x, *b = y;

	return span_cmp(a->name, b->name);
}

/* The fields of a type in order of their names. */
static struct line *
sorted_fields(struct arena *a, struct span fields, size_t *count)
{
	struct span rest = fields, text;
	struct line *lines;
	size_t n = 0;

	while (tables_line(&rest).p != NULL)
		n++;
	lines = arena_zalloc(a, n * sizeof *lines);
	for (size_t i = 0; (text = tables_line(&fields)).p != NULL; i++) {
		tables_cell(&text);
		lines[i].name = tables_cell(&text);
		lines[i].type = tables_cell(&text);
		tables_cell(&text); /* the Go type */
		tables_cell(&text); /* how a zero is written */
		lines[i].flags = text;
	}
	qsort(lines, n, sizeof *lines, compare_lines);
	*count = n;
	return lines;
}

/* Adds "required", in the order of the table. */
static void
add_required(struct buf *b, struct span fields)
{
	struct span line, name, zero;
	bool any = false;

	while ((line = tables_line(&fields)).p != NULL) {
		tables_cell(&line);
		name = tables_cell(&line);
		tables_cell(&line);
		tables_cell(&line);
		zero = tables_cell(&line);
		if (span_find(zero, 'r') == NULL)
			continue;
		if (!any)
			buf_adds(b, ",\"required\":[");
		any = true;
		json_add_comma(b);
		json_add_string(b, name);
	}
	if (any)
		buf_addc(b, ']');
}

static void
add_object(struct openapi_writer *w, struct span type, struct span fields)
{
	struct buf *b = &w->buf;
	size_t n;
	struct line *lines = sorted_fields(&w->arena, fields, &n);
	const char *text;
	bool reference;

	buf_adds(b, "{\"type\":\"object\"");
	add_required(b, fields);
	for (size_t i = 0; i < n; i++) {
		struct flags f = read_flags(lines[i].flags);

		buf_adds(b, i == 0 ? ",\"properties\":{" : ",");
		json_add_string(b, lines[i].name);
		buf_addc(b, ':');
		reference =
		    lines[i].type.n > 3 && span_starts(lines[i].type, "io.");
		if (reference && !w->v2) {
			buf_adds(b, "{\"allOf\":[");
			openapi_add_ref(w, lines[i].type);
			buf_adds(b, "]}");
		} else {
			add_type(w, lines[i].type, f.values, false);
		}
		/* More members, before the brace that ends it. */
		buf_truncate(b, b->len - 1);
		if (f.fallback.p != NULL && !w->v2) {
			json_add_key(b, "default");
			buf_addspan(b, f.fallback);
		}
		if (f.keys.p != NULL)
			add_list(b, "x-kubernetes-list-map-keys", f.keys);
		if (f.list.p != NULL)
			add_text(b, "x-kubernetes-list-type", f.list);
		if (f.map.p != NULL)
			add_text(b, "x-kubernetes-map-type", f.map);
		if (f.patch_key.p != NULL)
			add_text(
			    b, "x-kubernetes-patch-merge-key", f.patch_key);
		if (f.patch.p != NULL)
			add_text(b, "x-kubernetes-patch-strategy", f.patch);
		buf_addc(b, '}');
		text = w->v2 ? NULL : openapi_text(type, lines[i].name);
		if (text != NULL) {
			buf_truncate(b, b->len - 1);
			add_text(b, "description", span_str(text));
			buf_addc(b, '}');
		}
	}
	if (n > 0)
		buf_addc(b, '}');
}

/* Types that every group has: in the document of one group and version, only
 * this one's and the core group's are shown. */
static bool
is_shown(const struct openapi_writer *w, struct span list, struct span group,
    struct span version)
{
	if (w->first == NULL || span_find(list, ',') == NULL)
		return true;
	return group.n == 0 ||
	    (span_eq(group, w->first->group) &&
		span_eq(version, w->first->version));
}

/* Types that are not structs. */
static const char *
simple_schema(struct span kind, bool v2)
{
	if (span_is(kind, "time") || span_is(kind, "microtime"))
		return "{\"type\":\"string\",\"format\":\"date-time\"}";
	if (span_is(kind, "intstr"))
		return v2 ? "{\"type\":\"string\",\"format\":\"int-or-string\"}"
			  : "{\"format\":\"int-or-string\",\"oneOf\":[{"
			    "\"type\":\"integer\"},{\"type\":\"string\"}]}";
	return v2 ? "{\"type\":\"string\"}"
		  : "{\"oneOf\":[{\"type\":\"string\"},{\"type\":\"number\"}]}";
}

static void
add_builtin(struct openapi_writer *w, struct span name)
{
	struct span head, fields, kind, text, value;
	struct buf *b = &w->buf;

	if (!schema_table(name, &head, &fields)) {
		buf_adds(b, "{}");
		return;
	}
	kind = tables_cell(&head);
	if (span_is(kind, "object")) {
		add_object(w, name, fields);
	} else if (!span_is(kind, "any")) {
		buf_adds(b, simple_schema(kind, w->v2));
		return;
	} else if (memcmp(name.p, "io.k8s.apim", 11) == 0) {
		buf_adds(
		    b, "{\"type\":\"object\""); /* FieldsV1, RawExtension */
	} else {
		buf_addc(b, '{');
	}
	while ((text = tables_cell(&head)).p != NULL)
		if (flag(text, "gvk", &value)) {
			/* GROUP/VERSION/KIND,... */
			struct span list = value;
			struct span all = list, item;

			json_add_key(b, "x-kubernetes-group-version-kind");
			buf_addc(b, '[');
			while ((item = tables_item(&list)).p != NULL) {
				const char *first = span_find(item, '/');
				size_t at = (size_t)(first - item.p);
				const char *second =
				    memchr(first + 1, '/', item.n - at - 1);
				struct span group = span_make(item.p, at),
					    version;

				version = span_make(
				    first + 1, (size_t)(second - first - 1));
				if (!is_shown(w, all, group, version))
					continue;
				json_add_comma(b);
				buf_addc(b, '{');
				add_text(b, "group", group);
				add_text(b, "version", version);
				add_text(b, "kind",
				    span_make(second + 1,
					(size_t)(item.p + item.n - second -
					    1)));
				buf_addc(b, '}');
			}
			buf_addc(b, ']');
		} else if (flag(text, "map", &value))
			add_text(b, "x-kubernetes-map-type", value);
	buf_addc(b, '}');
}

/* ---- types of CRDs: the schema of the definition, with what the server adds.
 * Source: apiextensions-apiserver/pkg/controller/openapi/builder. ---- */

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
add_custom_object(struct openapi_writer *w, const struct resource *r)
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

/* ---- all types of a document ---- */

/* The name of a type, to sort by, and its schema. */
struct piece {
	struct span name, json;
};

static int
compare_pieces(const void *x, const void *y)
{
	const struct piece *a = x, *b = y;

	return span_cmp(a->name, b->name);
}

void
openapi_add_types(struct openapi_writer *w)
{
	struct piece *pieces = NULL;
	size_t n = 0, start = w->buf.len;
	struct openapi_type *t;

	while ((t = w->last) != NULL) {
		w->last = t->previous;
		if (t->custom != NULL) {
			const struct resource *r = t->custom;

			if (t->list) {
				struct buf *b = &w->buf;

				buf_adds(b,
				    "{\"type\":\"object\",\"required\":["
				    "\"items\"],\"properties\":{\"apiVersion\":"
				    "{\"type\":\"string\"},\"items\":{\"type\":"
				    "\"array\",\"items\":");
				openapi_add_ref(
				    w, openapi_want_resource(w, r, false));
				buf_adds(b,
				    "},\"kind\":{\"type\":\"string\"},"
				    "\"metadata\":");
				openapi_add_ref(w, span_str(META "ListMeta"));
				buf_adds(b, "}}");
			} else
				add_custom_object(w, r);
			buf_truncate(&w->buf, w->buf.len - 1);
			openapi_add_kind(&w->buf, r->group, r->version,
			    t->list ? r->list_kind : r->kind, true);
			buf_addc(&w->buf, '}');
		} else
			add_builtin(w, t->name);
		pieces = mem_grow(pieces, n, sizeof *pieces);
		pieces[n++] = (struct piece){t->name,
		    arena_span(&w->arena,
			span_make(w->buf.data + start, w->buf.len - start))};
		buf_truncate(&w->buf, start);
	}
	if (n > 0)
		qsort(pieces, n, sizeof *pieces, compare_pieces);
	for (size_t i = 0; i < n; i++) {
		json_add_comma(&w->buf);
		json_add_string(&w->buf, pieces[i].name);
		buf_addc(&w->buf, ':');
		buf_addspan(&w->buf, pieces[i].json);
	}
	free(pieces);
}
