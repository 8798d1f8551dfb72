#include "type/schema.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/map.h"
#include "base/mem.h"
#include "type/tables.h"

#define META "io.k8s.apimachinery.pkg.apis.meta.v1."

/* A type of the table: found at first use, parsed when asked for. */
struct schema_entry {
	struct span name, head, body; /* flags of the first line; the fields */
	struct schema *schema;
};

/* A memo of what is in the table, which never changes. */
static struct {
	struct schema_entry *entries; /* sorted by name, as the table is */
	size_t n;
	struct map kinds; /* GROUP/VERSION/KIND to entry */
	struct map made;  /* [TYPE and {TYPE to schema */
	struct arena arena;
} types;

static const struct {
	const char *name;
	struct schema schema;
} scalars[] = {
    {"string", {.kind = SCHEMA_STRING}},
    {"bytes", {.kind = SCHEMA_STRING, .format = {"byte", 4}}},
    {"int32", {.kind = SCHEMA_INTEGER, .format = {"int32", 5}}},
    {"int64", {.kind = SCHEMA_INTEGER, .format = {"int64", 5}}},
    {"double", {.kind = SCHEMA_NUMBER, .format = {"double", 6}}},
    {"bool", {.kind = SCHEMA_BOOLEAN}},
};

/* Types of one kind alone: not DeleteOptions, which every group has. */
static void
remember_kinds(struct schema_entry *e)
{
	struct span flags = e->head, flag;

	while ((flag = tables_cell(&flags)).p != NULL)
		if (span_take(&flag, "gvk=") && span_find(flag, ',') == NULL)
			map_put(&types.kinds, flag, e);
}

static void
index_types(void)
{
	struct span text = tables_types(), line;
	struct schema_entry *e = NULL;

	while ((line = tables_line(&text)).p != NULL) {
		if (line.n == 0 || line.p[0] == '#')
			continue;
		if (line.p[0] == '\t') {
			e->body.n = (size_t)(text.p - e->body.p);
			continue;
		}
		types.entries = mem_grow(types.entries, types.n, sizeof *e);
		e = &types.entries[types.n++];
		*e = (struct schema_entry){.body = span_make(text.p, 0)};
		e->name = tables_cell(&line);
		e->head = line;
	}
	for (size_t i = 0; i < types.n; i++)
		remember_kinds(&types.entries[i]);
}

static struct schema_entry *
find(struct span name)
{
	size_t low = 0, high;

	if (types.n == 0)
		index_types();
	for (high = types.n; low < high;) {
		size_t middle = (low + high) / 2;
		int c = span_cmp(name, types.entries[middle].name);

		if (c == 0)
			return &types.entries[middle];
		if (c < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return NULL;
}

static const struct schema *type_of(struct span text);

static bool
flag_in(struct span flags, const char *wanted)
{
	struct span flag;

	while ((flag = tables_cell(&flags)).p != NULL)
		if (span_is(flag, wanted))
			return true;
	return false;
}

/* A list or a map; its element is written "" or 0 or {} where it is null. */
static const struct schema *
container(struct span text)
{
	struct schema *s = map_get(&types.made, text);
	const struct schema_entry *of;
	struct field *element;

	if (s != NULL)
		return s;
	s = arena_zalloc(&types.arena, sizeof *s);
	element = arena_zalloc(&types.arena, sizeof *element);
	s->kind = text.p[0] == '[' ? SCHEMA_LIST : SCHEMA_MAP;
	s->element = element;
	map_put(&types.made, text, s);
	of = find(span_skip(text, 1));
	element->atomic = of != NULL && flag_in(of->head, "map=atomic");
	element->schema = type_of(span_skip(text, 1));
	return s;
}

static const struct schema *
type_of(struct span text)
{
	if (text.p[0] == '[' || text.p[0] == '{')
		return container(text);
	for (size_t i = 0; i < COUNT(scalars); i++)
		if (span_is(text, scalars[i].name))
			return &scalars[i].schema;
	return schema_builtin(text);
}

/* Defaults that are the zero value say nothing that Go would not write. */
static const struct node *
default_of(struct span json)
{
	static const char *const zeros[] = {"\"\"", "0", "false", "{}"};

	for (size_t i = 0; i < COUNT(zeros); i++)
		if (span_is(json, zeros[i]))
			return NULL;
	return tree_parse(&types.arena, json, TREE_LIMITS, NULL, NULL);
}

static void
set_patch(struct field *f, struct span list)
{
	struct span strategy;

	while ((strategy = tables_item(&list)).p != NULL) {
		if (span_is(strategy, "merge"))
			f->patch_merge = true;
		else if (span_is(strategy, "retainKeys"))
			f->patch_retain_keys = true;
	}
}

/* "2.1" is 2001. */
static unsigned long
number_of(struct span path)
{
	unsigned long number = 0, part = 0;

	for (size_t i = 0; i < path.n; i++) {
		if (path.p[i] == '.') {
			number = (number + part) * 1000;
			part = 0;
			continue;
		}
		part = part * 10 + (unsigned long)(path.p[i] - '0');
	}
	return number + part;
}

static void
set_flag(struct field *f, struct span flag)
{
	if (span_take(&flag, "list="))
		f->list_type = span_is(flag, "map") ? LIST_MAP
		    : span_is(flag, "set")	    ? LIST_SET
						    : LIST_ATOMIC;
	else if (span_take(&flag, "keys="))
		f->key_count = tables_list(&types.arena, flag, &f->keys);
	else if (span_take(&flag, "map="))
		f->atomic = span_is(flag, "atomic");
	else if (span_take(&flag, "patch="))
		set_patch(f, flag);
	else if (span_take(&flag, "patchkey="))
		f->patch_key = flag;
	else if (span_take(&flag, "in="))
		f->inside = flag;
	else if (span_take(&flag, "pb="))
		f->number = number_of(flag);
	else if (span_take(&flag, "default="))
		f->default_value = default_of(flag);
}

static void
parse_field(struct field *f, struct span line)
{
	struct span type, zero, flag;
	const struct schema_entry *e;

	tables_cell(&line); /* the tab that every field begins with */
	f->name = tables_cell(&line);
	type = tables_cell(&line);
	f->go_type = tables_cell(&line);
	zero = tables_cell(&line);
	f->pointer = span_find(zero, 'p') != NULL;
	f->omit_empty = span_find(zero, 'o') != NULL;
	f->omit_zero = span_find(zero, 'z') != NULL;
	f->required = span_find(zero, 'r') != NULL;
	e = find(type);
	f->atomic = e != NULL && flag_in(e->head, "map=atomic");
	while ((flag = tables_cell(&line)).p != NULL)
		set_flag(f, flag);
	f->schema = type_of(type);
}

static int
compare_fields(const void *x, const void *y)
{
	const struct field *a = x, *b = y;

	return span_cmp(a->name, b->name);
}

static void
parse_fields(struct schema *s, struct span body)
{
	struct span rest = body, line;
	struct field *fields;
	size_t n = 0;

	while (tables_line(&rest).p != NULL)
		n++;
	fields = arena_zalloc(&types.arena, n * sizeof *fields);
	s->fields = fields;
	s->field_count = n;
	for (size_t i = 0; (line = tables_line(&body)).p != NULL; i++) {
		parse_field(&fields[i], line);
		fields[i].order = (unsigned)i + 1;
	}
	qsort(fields, n, sizeof *fields, compare_fields);
}

const struct schema *
schema_builtin(struct span name)
{
	struct schema_entry *e = find(name);
	struct span head, kind;

	if (e == NULL)
		return NULL;
	if (e->schema != NULL)
		return e->schema;
	/* e->schema is set before the fields are read: a type may contain
	 * itself. */
	e->schema = arena_zalloc(&types.arena, sizeof *e->schema);
	e->schema->name = e->name;
	head = e->head;
	kind = tables_cell(&head);
	if (span_is(kind, "object")) {
		e->schema->kind = SCHEMA_OBJECT;
		parse_fields(e->schema, e->body);
	} else if (span_is(kind, "quantity")) {
		e->schema->kind = SCHEMA_QUANTITY;
	} else if (span_is(kind, "intstr")) {
		e->schema->kind = SCHEMA_INT_OR_STRING;
	} else if (span_is(kind, "time") || span_is(kind, "microtime")) {
		e->schema->kind = SCHEMA_STRING;
		e->schema->format = span_str("date-time");
	} else {
		e->schema->kind = SCHEMA_ANY;
		e->schema->preserve_unknown = true;
	}
	return e->schema;
}

const struct schema *
schema_builtin_kind(struct span group, struct span version, struct span kind)
{
	struct arena a = ARENA_INIT;
	struct span key;
	struct schema_entry *e;

	if (types.n == 0)
		index_types();
	key = arena_printf(&a, "%.*s/%.*s/%.*s", SPAN_ARG(group),
	    SPAN_ARG(version), SPAN_ARG(kind));
	e = map_get(&types.kinds, key);
	arena_release(&a);
	return e == NULL ? NULL : schema_builtin(e->name);
}

bool
schema_table(struct span name, struct span *head, struct span *fields)
{
	const struct schema_entry *e = find(name);

	if (e == NULL)
		return false;
	*head = e->head;
	*fields = e->body;
	return true;
}

const struct schema *
schema_inside(const struct schema *s)
{
	static const char props[] = "io.k8s.apiextensions-apiserver.pkg.apis."
				    "apiextensions.v1.JSONSchemaProps";
	size_t n = sizeof props - 1;

	if (s->kind != SCHEMA_ANY || s->name.n <= n ||
	    memcmp(s->name.p, props, n) != 0)
		return NULL;
	return schema_builtin(span_make(props, n));
}

const struct schema *
schema_object_meta(void)
{
	return schema_builtin(span_str(META "ObjectMeta"));
}

bool
schema_is_time(const struct schema *s)
{
	return span_is(s->name, META "Time");
}

bool
schema_is_micro_time(const struct schema *s)
{
	return span_is(s->name, META "MicroTime");
}

const struct field *
schema_field(const struct schema *s, struct span name)
{
	size_t low = 0, high = s->field_count;

	while (low < high) {
		size_t middle = (low + high) / 2;
		int c = span_cmp(name, s->fields[middle].name);

		if (c == 0)
			return &s->fields[middle];
		if (c < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return NULL;
}
