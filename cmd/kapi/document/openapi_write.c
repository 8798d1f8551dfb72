#include "document/openapi_write.h"

#include <stdlib.h>

#include "base/array.h"
#include "crd/crd.h"
#include "json/json.h"
#include "text/template.h"
#include "text/texts.h"
#include "type/tables.h"

/* ---- descriptions of fields that all objects have ---- */

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
	if (!span_is(type, OPENAPI_META "ObjectMeta"))
		return NULL;
	for (size_t i = 0; i < COUNT(texts); i++)
		if (span_is(field, texts[i].field))
			return texts[i].text;
	return NULL;
}

/* ---- built-in types ---- */

struct openapi_type {
	struct span name;
	const struct resource *custom; /* a CRD's; NULL: built in */
	bool list;		       /* the list of custom */
	struct span json;
};

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
	w->types = arena_more(&w->arena, w->types, w->n, sizeof *w->types);
	w->types[w->n++] = t;
	map_put(&w->wanted, name, t);
	return t;
}

/* com.example.cache.v1.Memcached: the group backwards. */
static struct span
custom_name(struct arena *a, const struct resource *r, struct span kind)
{
	struct buf b = BUF_INIT;
	struct span group = r->group;
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
	return tree_keep(a, &b);
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

struct span
openapi_ref(struct openapi_writer *w, struct span name)
{
	want(w, name);
	return arena_printf(&w->arena, "{\"$ref\":\"#/%s/%.*s\"}",
	    w->v2 ? "definitions" : "components/schemas", SPAN_ARG(name));
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

static const struct {
	const char *type, *members, *zero;
} scalars[] = {
    {"string", "'type':'string'", "''"},
    {"bytes", "'type':'string','format':'byte'", NULL},
    {"int32", "'type':'integer','format':'int32'", "0"},
    {"int64", "'type':'integer','format':'int64'", "0"},
    {"double", "'type':'number','format':'double'", NULL},
    {"bool", "'type':'boolean'", "false"},
};

/* The value of a flag NAME=VALUE of a line; none: the line does not have it. */
static struct span
find_flag(struct span line, const char *name)
{
	struct span text;

	while ((text = tables_cell(&line)).p != NULL)
		if (span_take(&text, name) && span_take(&text, "="))
			return text;
	return SPAN_NONE;
}

static bool
is_object(struct span type)
{
	struct span head, fields;

	return schema_table(type, &head, &fields) &&
	    span_is(tables_cell(&head), "object");
}

static void
add_type(
    struct openapi_writer *w, struct span type, struct span values, bool item)
{
	struct buf *b = &w->buf;

	if (type.p[0] == '[' || type.p[0] == '{') {
		template_add(b,
		    type.p[0] == '['
			? "{'type':'array','items':"
			: "{'type':'object','additionalProperties':",
		    NULL);
		add_type(w, span_skip(type, 1), values, true);
		buf_addc(b, '}');
		return;
	}
	for (size_t i = 0; i < COUNT(scalars); i++)
		if (span_is(type, scalars[i].type)) {
			buf_addc(b, '{');
			template_add(b, scalars[i].members, NULL);
			if (item && !w->v2 && scalars[i].zero != NULL) {
				json_add_key(b, "default");
				template_add(b, scalars[i].zero, NULL);
			}
			if (values.p != NULL)
				add_list(b, "enum", values);
			buf_addc(b, '}');
			return;
		}
	/* Items of a list and values of a map have the zero value as their
	 * default, in version 3. */
	template_add(b,
	    item && !w->v2 && is_object(type) ? "{'default':{},'allOf':[@]}"
					      : "@",
	    (struct span[]){openapi_ref(w, type)});
}

/* Flags of a field, as its schema has them, in this order. */
static const struct {
	const char *flag, *key;
	enum { AS_IS, AS_TEXT, AS_LIST } as;
} field_flags[] = {
    {"default", "default", AS_IS}, /* in version 3 only */
    {"keys", "x-kubernetes-list-map-keys", AS_LIST},
    {"list", "x-kubernetes-list-type", AS_TEXT},
    {"map", "x-kubernetes-map-type", AS_TEXT},
    {"patchkey", "x-kubernetes-patch-merge-key", AS_TEXT},
    {"patch", "x-kubernetes-patch-strategy", AS_TEXT},
};

struct line {
	struct span name, type, zero, flags;
};

static void
add_field(
    struct openapi_writer *w, struct span object, const struct line *field)
{
	struct buf *b = &w->buf;
	const char *text = w->v2 ? NULL : openapi_text(object, field->name);

	json_add_string(b, field->name);
	buf_addc(b, ':');
	if (!w->v2 && field->type.n > 3 && span_starts(field->type, "io."))
		template_add(b, "{'allOf':[@]}",
		    (struct span[]){openapi_ref(w, field->type)});
	else
		add_type(
		    w, field->type, find_flag(field->flags, "enum"), false);
	/* More members, before the brace that ends it. */
	buf_truncate(b, b->len - 1);
	for (size_t i = w->v2; i < COUNT(field_flags); i++) {
		struct span value =
		    find_flag(field->flags, field_flags[i].flag);

		if (value.p == NULL)
			continue;
		if (field_flags[i].as == AS_LIST) {
			add_list(b, field_flags[i].key, value);
			continue;
		}
		json_add_key(b, field_flags[i].key);
		template_add(b, field_flags[i].as == AS_IS ? "@" : "%", &value);
	}
	if (text != NULL)
		template_add(
		    b, ",'description':%", (struct span[]){span_str(text)});
	buf_addc(b, '}');
}

/* The required fields in the order of the table, all by name. */
static void
add_object(struct openapi_writer *w, struct span type, struct span fields)
{
	struct buf *b = &w->buf;
	struct line *lines = NULL;
	const char *open = ",'required':[";
	struct span text;
	size_t n = 0;

	for (; (text = tables_line(&fields)).p != NULL; n++) {
		lines = arena_more(&w->arena, lines, n, sizeof *lines);
		tables_cell(&text);
		lines[n].name = tables_cell(&text);
		lines[n].type = tables_cell(&text);
		tables_cell(&text); /* the Go type */
		lines[n].zero = tables_cell(&text);
		lines[n].flags = text;
	}
	template_add(b, "{'type':'object'", NULL);
	for (size_t i = 0; i < n; i++)
		if (span_find(lines[i].zero, 'r') != NULL) {
			template_add(b, open, NULL);
			open = ",";
			json_add_string(b, lines[i].name);
		}
	if (open[1] == '\0')
		buf_addc(b, ']');
	if (n == 0)
		return;
	qsort(lines, n, sizeof *lines, texts_cmp);
	template_add(b, ",'properties':{", NULL);
	for (size_t i = 0; i < n; i++) {
		json_add_comma(b);
		add_field(w, type, &lines[i]);
	}
	buf_addc(b, '}');
}

void
openapi_add_kind(struct buf *b, struct span group, struct span version,
    struct span kind, bool list)
{
	template_add(b,
	    list ? ",'x-kubernetes-group-version-kind':"
		   "[{'group':%,'version':%,'kind':%}]"
		 : ",'x-kubernetes-group-version-kind':"
		   "{'group':%,'version':%,'kind':%}",
	    (struct span[]){group, version, kind});
}

/* The kinds of a built-in type: list is GROUP/VERSION/KIND,... Types that every
 * group has: in the document of one group and version, only this one's and the
 * core group's are shown. */
static void
add_kinds(struct openapi_writer *w, struct span list)
{
	bool all = w->first == NULL || span_find(list, ',') == NULL;
	struct span item;

	template_add(&w->buf, ",'x-kubernetes-group-version-kind':[", NULL);
	while ((item = tables_item(&list)).p != NULL) {
		struct span group = span_cut(&item, '/');
		struct span version = span_cut(&item, '/');

		if (all || group.n == 0 ||
		    (span_eq(group, w->first->group) &&
			span_eq(version, w->first->version)))
			template_add(&w->buf,
			    ",{'group':%,'version':%,'kind':%}",
			    (struct span[]){group, version, item});
	}
	buf_addc(&w->buf, ']');
}

/* Types that are not structs: in versions 3 and 2. */
static const struct {
	const char *kind, *schema[2];
} simple[] = {
    {"time",
	{"{'type':'string','format':'date-time'}",
	    "{'type':'string','format':'date-time'}"}},
    {"microtime",
	{"{'type':'string','format':'date-time'}",
	    "{'type':'string','format':'date-time'}"}},
    {"intstr",
	{"{'format':'int-or-string','oneOf':[{'type':'integer'},"
	 "{'type':'string'}]}",
	    "{'type':'string','format':'int-or-string'}"}},
    {"quantity",
	{"{'oneOf':[{'type':'string'},{'type':'number'}]}",
	    "{'type':'string'}"}},
};

static void
add_builtin(struct openapi_writer *w, struct span name)
{
	struct span head, fields, kind, text;
	struct buf *b = &w->buf;

	if (!schema_table(name, &head, &fields)) {
		buf_adds(b, "{}");
		return;
	}
	kind = tables_cell(&head);
	for (size_t i = 0; i < COUNT(simple); i++)
		if (span_is(kind, simple[i].kind)) {
			template_add(b, simple[i].schema[w->v2], NULL);
			return;
		}
	if (span_is(kind, "object"))
		add_object(w, name, fields);
	else if (span_starts(name, "io.k8s.apim")) /* FieldsV1, RawExtension */
		template_add(b, "{'type':'object'", NULL);
	else
		buf_addc(b, '{');
	while ((text = tables_cell(&head)).p != NULL)
		if (span_take(&text, "gvk="))
			add_kinds(w, text);
		else if (span_take(&text, "map="))
			template_add(b, ",'x-kubernetes-map-type':%", &text);
	buf_addc(b, '}');
}

/* ---- types of CRDs: the schema of the definition, with what the server adds.
 * Source: apiextensions-apiserver/pkg/controller/openapi/builder. ---- */

static void
add_type_meta(struct openapi_writer *w, struct node *schema)
{
	struct arena *a = &w->arena;
	struct node *properties = tree_make(a, schema, "properties");
	struct span holes[] = {
	    openapi_ref(w, span_str(OPENAPI_META "ObjectMeta")),
	    span_str("Standard object's metadata.")};
	const struct node *meta = template_tree(a,
	    w->v2 ? "{'apiVersion':{'type':'string'},'kind':{'type':'string'},"
		    "'metadata':@}"
		  : "{'apiVersion':{'type':'string','description':'APIVersion "
		    "defines how the object is written: a group and one of its "
		    "versions.'},'kind':{'type':'string','description':'Kind "
		    "is the name of what the object is, in CamelCase.'},"
		    "'metadata':{'allOf':[@],'description':%}}",
	    holes);

	for (uint32_t i = 0; i < meta->n; i++)
		tree_set(a, properties, meta->members[i].key,
		    meta->members[i].value);
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
	struct node *part;

	if (!tree_is(schema, NODE_OBJECT))
		return;
	if (tree_true(tree_get(schema, "x-kubernetes-embedded-resource")) &&
	    !(w->v2 && preserves(schema))) {
		add_type_meta(w, schema);
		if (tree_get(schema, "required") == NULL)
			tree_put(a, schema, "required",
			    template_tree(a, "['kind','apiVersion']", NULL));
	}
	if (tree_true(tree_get(schema, "x-kubernetes-int-or-string")) &&
	    tree_get(schema, "anyOf") == NULL &&
	    tree_get(schema, "allOf") == NULL)
		tree_put(a, schema, "anyOf",
		    template_tree(
			a, "[{'type':'integer'},{'type':'string'}]", NULL));
	spell_out(w, tree_get(schema, "items"));
	spell_out(w, tree_get(schema, "additionalProperties"));
	part = tree_get(schema, "properties");
	for (uint32_t i = 0; i < tree_members(part); i++)
		spell_out(w, part->members[i].value);
}

/* Removes what version 2 cannot express, or old versions of kubectl do not
 * understand. Source: apiextensions-apiserver/pkg/controller/openapi/v2. */
static void
make_v2(struct node *schema)
{
	bool open = preserves(schema), null;
	static const char *const unknown[] = {
	    "allOf", "oneOf", "anyOf", "not", "nullable"};
	struct node *part, *required, *properties, *p;

	if (!tree_is(schema, NODE_OBJECT))
		return;
	null = tree_true(tree_get(schema, "nullable"));
	for (size_t i = 0; i < COUNT(unknown); i++)
		tree_remove(schema, unknown[i]);
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
	for (uint32_t i = 0; i < tree_items(required);) {
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
	for (uint32_t i = 0; i < tree_members(part); i++)
		make_v2(part->members[i].value);
}

static void
add_custom_object(struct openapi_writer *w, const struct resource *r)
{
	const struct crd_version *v = crd_version_of(r);
	struct node *schema;

	/* With any property named, kubectl would refuse all others. */
	if (v->schema_json == NULL || (w->v2 && preserves(v->schema_json))) {
		template_add(&w->buf, "{'type':'object'}", NULL);
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

static void
add_custom_list(struct openapi_writer *w, const struct resource *r)
{
	struct span holes[] = {
	    openapi_ref(w, openapi_want_resource(w, r, false)),
	    openapi_ref(w, span_str(OPENAPI_META "ListMeta"))};

	template_add(&w->buf,
	    "{'type':'object','required':['items'],'properties':{"
	    "'apiVersion':{'type':'string'},'items':{'type':'array',"
	    "'items':@},'kind':{'type':'string'},'metadata':@}}",
	    holes);
}

/* ---- all types of a document ---- */

static int
compare_types(const void *x, const void *y)
{
	return span_cmp((*(struct openapi_type *const *)x)->name,
	    (*(struct openapi_type *const *)y)->name);
}

void
openapi_add_types(struct openapi_writer *w)
{
	size_t start = w->buf.len;

	/* A type may want others, which are behind it then. */
	for (size_t i = 0; i < w->n; i++) {
		struct openapi_type *t = w->types[i];
		const struct resource *r = t->custom;

		if (r == NULL) {
			add_builtin(w, t->name);
		} else {
			if (t->list)
				add_custom_list(w, r);
			else
				add_custom_object(w, r);
			buf_truncate(&w->buf, w->buf.len - 1);
			openapi_add_kind(&w->buf, r->group, r->version,
			    t->list ? r->list_kind : r->kind, true);
			buf_addc(&w->buf, '}');
		}
		t->json = arena_span(&w->arena,
		    span_make(w->buf.data + start, w->buf.len - start));
		buf_truncate(&w->buf, start);
	}
	if (w->n > 0)
		qsort(w->types, w->n, sizeof *w->types, compare_types);
	for (size_t i = 0; i < w->n; i++)
		template_add(&w->buf, ",%:@",
		    (struct span[]){w->types[i]->name, w->types[i]->json});
}
