#include "type/default.h"

#include "value/quantity.h"

static bool
is_wrong_null(const struct schema *s, const struct node *n)
{
	return n->kind == NODE_NULL && !s->nullable;
}

static void
default_fields(struct arena *a, const struct schema *s, struct node *n)
{
	for (size_t i = 0; i < s->field_count; i++) {
		const struct field *f = &s->fields[i];
		struct node *value;

		if (f->default_value == NULL)
			continue;
		value = tree_get_span(n, f->name);
		/* Go cannot tell an empty string or a zero from none. */
		if (value != NULL && !is_wrong_null(f->schema, value) &&
		    (f->go_type.p == NULL || f->pointer || !tree_empty(value)))
			continue;
		tree_set(a, n, f->name, tree_copy(a, f->default_value));
	}
}

static void
default_element(struct arena *a, const struct field *element, struct node **n)
{
	if (element == NULL)
		return;
	if (is_wrong_null(element->schema, *n) && element->default_value)
		*n = tree_copy(a, element->default_value);
	default_fill(a, element->schema, *n);
}

/* Source: pkg/apis/core/v1/defaults.go, SetDefaults_ResourceList. */
static void
round_resources(struct arena *a, struct node *list)
{
	for (uint32_t i = 0; tree_is(list, NODE_OBJECT) && i < list->n; i++) {
		struct span text = tree_text(list->members[i].value), rounded;

		if (quantity_round(a, text, &rounded) == NULL &&
		    !span_eq(rounded, text))
			list->members[i].value = tree_string(a, rounded);
	}
}

/* A default that is filled in gets the defaults of its own members. Source of
 * the order: apiextensions-apiserver/pkg/apiserver/schema/
 * defaulting/algorithm.go. */
void
default_fill(struct arena *a, const struct schema *s, struct node *object)
{
	const struct field *f;

	if (s == NULL || s->kind == SCHEMA_ANY)
		return;
	if (object->kind == NODE_ARRAY && s->kind == SCHEMA_LIST) {
		for (uint32_t i = 0; i < object->n; i++)
			default_element(a, s->element, &object->items[i]);
		return;
	}
	if (object->kind != NODE_OBJECT)
		return;
	default_fields(a, s, object);
	for (uint32_t i = 0; i < object->n; i++) {
		f = schema_field(s, object->members[i].key);
		if (f != NULL && span_is(f->go_type, "v1.ResourceList"))
			round_resources(a, object->members[i].value);
		else if (f != NULL)
			default_fill(a, f->schema, object->members[i].value);
		else if (s->element != NULL)
			default_element(
			    a, s->element, &object->members[i].value);
	}
}
