#include "type/encode.h"

#include <stdlib.h>

static void encode(struct arena *a, const struct schema *s, struct node *n);

static bool
is_zero(const struct node *n)
{
	switch (n->kind) {
	case NODE_NULL:
	case NODE_FALSE:
		return true;
	case NODE_TRUE:
		return false;
	case NODE_NUMBER:
		return n->text.n == 1 && n->text.p[0] == '0';
	case NODE_STRING:
		return n->text.n == 0;
	case NODE_ARRAY:
	case NODE_OBJECT:
		return n->n == 0;
	}
	return false;
}

/* A struct in Go, which omitempty does not omit. */
static bool
is_struct(const struct schema *s)
{
	switch (s->kind) {
	case SCHEMA_OBJECT:
	case SCHEMA_QUANTITY:
	case SCHEMA_INT_OR_STRING:
	case SCHEMA_ANY:
		return true;
	case SCHEMA_STRING:
		return span_is(s->format, "date-time");
	default:
		return false;
	}
}

/* The value that Go writes for an absent field. */
static struct node *
zero_of(struct arena *a, const struct field *f)
{
	struct node *n;

	if (f->pointer)
		return tree_null(a);
	switch (f->schema->kind) {
	case SCHEMA_OBJECT:
		n = tree_object(a);
		encode(a, f->schema, n);
		return n;
	case SCHEMA_QUANTITY:
		return tree_str(a, "0");
	case SCHEMA_INTEGER:
	case SCHEMA_NUMBER:
	case SCHEMA_INT_OR_STRING:
		return tree_int(a, 0);
	case SCHEMA_BOOLEAN:
		return tree_bool(a, false);
	case SCHEMA_STRING:
		if (f->schema->format.n == 0)
			return tree_str(a, "");
		return tree_null(a); /* times and bytes */
	default:
		return tree_null(a);
	}
}

static bool
always_written(const struct field *f)
{
	if (!f->pointer && is_struct(f->schema))
		return !f->omit_zero;
	return !f->omit_empty;
}

/* Whether a value that is there is left out. */
static bool
is_omitted(const struct field *f, const struct node *n)
{
	if (n->kind == NODE_NULL)
		return !always_written(f);
	return f->omit_empty && !f->pointer && !is_struct(f->schema) &&
	    is_zero(n);
}

static void
encode_fields(struct arena *a, const struct schema *s, struct node *n)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < n->n; i++) {
		const struct field *f = schema_field(s, n->members[i].key);
		struct node *value = n->members[i].value;

		/* managedFields: [] is a client's reset: see managed.h. */
		if (f != NULL && is_omitted(f, value) &&
		    !(value->kind == NODE_ARRAY &&
			span_is(f->name, "managedFields")))
			continue;
		/* Lists and maps that are empty come back from the server's
		 * storage as none at all. */
		if (f != NULL && !f->pointer && !f->omit_empty &&
		    (f->schema->kind == SCHEMA_LIST ||
			f->schema->kind == SCHEMA_MAP) &&
		    is_zero(value))
			n->members[i].value = tree_null(a);
		else if (f != NULL && value->kind == NODE_NULL)
			n->members[i].value = zero_of(a, f);
		else if (f != NULL)
			encode(a, f->schema, value);
		n->members[kept++] = n->members[i];
	}
	if (kept != n->n)
		n->index = NULL; /* the index has the old places */
	n->n = kept;
}

enum { SORTED_MAX = 128 }; /* a type has fewer members */

static unsigned
order_of(const struct schema *s, struct span name)
{
	const struct field *f = schema_field(s, name);

	return f == NULL ? 0 : f->order;
}

/* Members in the order in which Go writes them. Most are already. kind and
 * apiVersion, which Go writes first, may stand in any order. */
static void
sort_members(const struct schema *s, struct node *n)
{
	unsigned order[SORTED_MAX];

	for (uint32_t i = 0; i < n->n && i < SORTED_MAX; i++) {
		struct member m = n->members[i];
		unsigned mine = order_of(s, m.key);
		uint32_t at = i;

		if (mine == 2 && span_is(m.key, "apiVersion"))
			mine = 1;
		for (; at > 0 && order[at - 1] > mine; at--) {
			order[at] = order[at - 1];
			n->members[at] = n->members[at - 1];
		}
		order[at] = mine;
		n->members[at] = m;
	}
}

static void
encode_object(struct arena *a, const struct schema *s, struct node *n)
{
	encode_fields(a, s, n);
	for (size_t i = 0; i < s->field_count; i++) {
		const struct field *f = &s->fields[i];

		if (always_written(f) && tree_get_span(n, f->name) == NULL)
			tree_set(a, n, f->name, zero_of(a, f));
	}
	sort_members(s, n);
}

static int
compare_members(const void *x, const void *y)
{
	const struct member *a = x, *b = y;

	return span_cmp(a->key, b->key);
}

void
encode_sort_keys(struct node *n)
{
	for (uint32_t i = 1; i < n->n; i++)
		if (span_cmp(n->members[i - 1].key, n->members[i].key) > 0) {
			qsort(n->members, n->n, sizeof *n->members,
			    compare_members);
			return;
		}
}

static void
encode_any(struct arena *a, const struct schema *s, struct node *n)
{
	const struct schema *inside = schema_inside(s);

	if (inside == NULL)
		return;
	if (n->kind == NODE_OBJECT)
		encode(a, inside, n);
	for (uint32_t i = 0; n->kind == NODE_ARRAY && i < n->n; i++)
		encode(a, inside, n->items[i]);
}

static void
encode(struct arena *a, const struct schema *s, struct node *n)
{
	if (s->kind == SCHEMA_ANY)
		encode_any(a, s, n);
	if (s->kind == SCHEMA_MAP && n->kind == NODE_OBJECT)
		encode_sort_keys(n);
	if (s->kind == SCHEMA_OBJECT && n->kind == NODE_OBJECT)
		encode_object(a, s, n);
	else if (s->kind == SCHEMA_LIST && n->kind == NODE_ARRAY &&
	    s->element->schema->kind != SCHEMA_STRING)
		for (uint32_t i = 0; i < n->n; i++)
			encode(a, s->element->schema, n->items[i]);
	else if (s->kind == SCHEMA_MAP && n->kind == NODE_OBJECT &&
	    s->element->schema->kind != SCHEMA_STRING)
		for (uint32_t i = 0; i < n->n; i++)
			encode(a, s->element->schema, n->members[i].value);
}

void
encode_builtin(struct arena *a, const struct schema *s, struct node *object)
{
	encode(a, s, object);
}
