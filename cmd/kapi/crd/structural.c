#include "crd/structural.h"

#include <stdlib.h>

#include "base/array.h"
#include "text/format.h"
#include "text/pattern.h"
#include "text/texts.h"

const struct schema_rules *
structural_property(const struct schema_rules *r, struct span name)
{
	struct property key = {name, NULL};
	const struct property *p;

	if (r->property_count == 0)
		return NULL;
	p = bsearch(
	    &key, r->properties, r->property_count, sizeof *p, texts_cmp);
	return p == NULL ? NULL : p->rules;
}

static enum schema_type
type_of(const struct node *json)
{
	static const struct {
		const char *name;
		enum schema_type type;
	} known[] = {{"object", TYPE_OBJECT}, {"array", TYPE_ARRAY},
	    {"string", TYPE_STRING}, {"integer", TYPE_INTEGER},
	    {"number", TYPE_NUMBER}, {"boolean", TYPE_BOOLEAN}};
	struct span type = tree_text(tree_get(json, "type"));

	if (tree_true(tree_get(json, "x-kubernetes-int-or-string")))
		return TYPE_INT_OR_STRING;
	for (size_t i = 0; i < COUNT(known); i++)
		if (span_is(type, known[i].name))
			return known[i].type;
	return TYPE_NONE;
}

static bool
get_double(const struct node *json, const char *key, double *value)
{
	const struct node *n = tree_get(json, key);

	if (!tree_is(n, NODE_NUMBER))
		return false;
	*value = tree_double(n);
	return true;
}

static int64_t
get_limit(const struct node *json, const char *key)
{
	int64_t value;

	return tree_get_int(tree_get(json, key), &value) ? value : -1;
}

static const struct schema_rules *const *
rules_list(struct arena *a, const struct node *array, size_t *count)
{
	size_t n = tree_items(array);
	const struct schema_rules **all = arena_alloc(a, n * sizeof *all);

	for (size_t i = 0; i < n; i++)
		all[i] = structural_rules(a, array->items[i]);
	*count = n;
	return all;
}

static void
rules_values(struct arena *a, struct schema_rules *r, const struct node *json)
{
	const struct node *enums = tree_get(json, "enum");
	struct span format = tree_text(tree_get(json, "format"));
	struct span pattern = tree_text(tree_get(json, "pattern"));
	struct span type = r->type == TYPE_INT_OR_STRING
	    ? span_str("int-or-string")
	    : tree_text(tree_get(json, "type"));

	if (format.n > 0 && format_known(type, format))
		r->format = format;
	if (pattern.n > 0) {
		r->pattern_text = pattern;
		r->pattern = pattern_make(a, pattern);
	}
	if (tree_is(enums, NODE_ARRAY)) {
		r->enums = (const struct node *const *)enums->items;
		r->enum_count = enums->n;
	}
}

const struct schema_rules *
structural_rules(struct arena *a, const struct node *json)
{
	struct schema_rules *r = arena_zalloc(a, sizeof *r);
	const struct node *type;
	const struct node *p, *more, *items;

	r->type = type_of(json);
	r->nullable = tree_true(tree_get(json, "nullable"));
	r->embedded =
	    tree_true(tree_get(json, "x-kubernetes-embedded-resource"));
	type = tree_get(json, "x-kubernetes-list-type");
	r->list_type = tree_text_is(type, "map") ? LIST_MAP
	    : tree_text_is(type, "set")		 ? LIST_SET
						 : LIST_ATOMIC;
	r->keys = tree_texts(
	    a, tree_get(json, "x-kubernetes-list-map-keys"), &r->key_count);
	r->required =
	    tree_texts(a, tree_get(json, "required"), &r->required_count);
	r->has_minimum = get_double(json, "minimum", &r->minimum);
	r->has_maximum = get_double(json, "maximum", &r->maximum);
	r->has_multiple_of = get_double(json, "multipleOf", &r->multiple_of);
	r->exclusive_minimum = tree_true(tree_get(json, "exclusiveMinimum"));
	r->exclusive_maximum = tree_true(tree_get(json, "exclusiveMaximum"));
	r->unique_items = tree_true(tree_get(json, "uniqueItems"));
	r->min_length = get_limit(json, "minLength");
	r->max_length = get_limit(json, "maxLength");
	r->min_items = get_limit(json, "minItems");
	r->max_items = get_limit(json, "maxItems");
	r->min_properties = get_limit(json, "minProperties");
	r->max_properties = get_limit(json, "maxProperties");
	rules_values(a, r, json);
	p = tree_get(json, "properties");
	more = tree_get(json, "additionalProperties");
	items = tree_get(json, "items");
	if (tree_is(p, NODE_OBJECT) && p->n > 0) {
		struct property *all = arena_alloc(a, p->n * sizeof *all);

		for (size_t i = 0; i < p->n; i++) {
			all[i].name = p->members[i].key;
			all[i].rules = structural_rules(a, p->members[i].value);
		}
		qsort(all, p->n, sizeof *all, texts_cmp);
		r->properties = all;
		r->property_count = p->n;
	}
	if (tree_is(more, NODE_OBJECT))
		r->additional = structural_rules(a, more);
	r->additional_forbidden = tree_is(more, NODE_FALSE);
	if (tree_is(items, NODE_OBJECT))
		r->items = structural_rules(a, items);
	r->all_of = rules_list(a, tree_get(json, "allOf"), &r->all_of_count);
	r->any_of = rules_list(a, tree_get(json, "anyOf"), &r->any_of_count);
	r->one_of = rules_list(a, tree_get(json, "oneOf"), &r->one_of_count);
	if (tree_is(tree_get(json, "not"), NODE_OBJECT))
		r->not_ = structural_rules(a, tree_get(json, "not"));
	return r;
}

static const struct schema *schema_of(struct arena *a, const struct node *json,
    const struct schema_rules *r, bool root);

static void
field_fill(struct arena *a, struct field *f, const struct node *json,
    const struct schema_rules *r)
{
	const struct node *value = tree_get(json, "default");

	f->schema = schema_of(a, json, r, false);
	f->default_value = tree_is(value, NODE_NULL) ? NULL : value;
	f->list_type = r->list_type;
	f->keys = r->keys;
	f->key_count = r->key_count;
	f->atomic =
	    tree_text_is(tree_get(json, "x-kubernetes-map-type"), "atomic");
}

static void
element_fill(struct arena *a, struct schema *s, const struct node *json,
    const struct schema_rules *r)
{
	struct field *f = arena_zalloc(a, sizeof *f);

	if (r != NULL)
		field_fill(a, f, json, r);
	else {
		/* additionalProperties: true: whatever is in there is pruned to
		 * nothing. */
		static const struct schema none = {.kind = SCHEMA_OBJECT};

		f->schema = &none;
	}
	s->element = f;
}

static enum schema_kind
kind_of(const struct node *json, const struct schema_rules *r, bool resource)
{
	const struct node *more = tree_get(json, "additionalProperties");
	bool map = more != NULL && more->kind != NODE_FALSE &&
	    more->kind != NODE_NULL && r->property_count == 0 && !resource;

	switch (r->type) {
	case TYPE_ARRAY:
		return SCHEMA_LIST;
	case TYPE_STRING:
		return SCHEMA_STRING;
	case TYPE_INTEGER:
		return SCHEMA_INTEGER;
	case TYPE_NUMBER:
		return SCHEMA_NUMBER;
	case TYPE_BOOLEAN:
		return SCHEMA_BOOLEAN;
	case TYPE_INT_OR_STRING:
		return SCHEMA_INT_OR_STRING;
	case TYPE_OBJECT:
		return map ? SCHEMA_MAP : SCHEMA_OBJECT;
	case TYPE_NONE:
		break;
	}
	if (resource || r->property_count > 0)
		return SCHEMA_OBJECT;
	return map ? SCHEMA_MAP : r->items != NULL ? SCHEMA_LIST : SCHEMA_ANY;
}

static const struct schema *
schema_of(struct arena *a, const struct node *json,
    const struct schema_rules *r, bool root)
{
	struct schema *s = arena_zalloc(a, sizeof *s);
	bool resource = root || r->embedded;

	s->kind = kind_of(json, r, resource);
	s->format = tree_text(tree_get(json, "format"));
	s->nullable = r->nullable;
	s->embedded = r->embedded;
	s->preserve_unknown =
	    tree_true(tree_get(json, "x-kubernetes-preserve-unknown-fields"));
	s->rules = r;
	if (s->kind == SCHEMA_OBJECT) {
		const struct node *p = tree_get(json, "properties");
		size_t n = tree_members(p);
		struct field *all = arena_zalloc(a, (n + 3) * sizeof *all);

		for (size_t i = 0; i < n; i++) {
			struct span name = p->members[i].key;

			all[i].name = name;
			all[i].required =
			    texts_have(r->required, r->required_count, name);
			field_fill(a, &all[i], p->members[i].value,
			    structural_property(r, name));
		}
		if (resource) {
			/* apiVersion, kind and metadata of a resource; all has
			 * room for them. */
			static const char *const names[] = {
			    "apiVersion", "kind", "metadata"};
			static const struct schema string = {
			    .kind = SCHEMA_STRING};

			for (size_t i = 0; i < 3; i++) {
				struct field *f = NULL;

				for (size_t k = 0; k < n && f == NULL; k++)
					if (span_is(all[k].name, names[i]))
						f = &all[k];
				if (f == NULL) {
					f = &all[n++];
					*f = (struct field){
					    .name = span_str(names[i])};
				}
				f->schema =
				    i < 2 ? &string : schema_object_meta();
			}
		}
		qsort(all, n, sizeof *all, texts_cmp);
		s->fields = all;
		s->field_count = n;
	} else if (s->kind == SCHEMA_MAP)
		element_fill(a, s, tree_get(json, "additionalProperties"),
		    r->additional);
	else if (s->kind == SCHEMA_LIST)
		element_fill(a, s, tree_get(json, "items"), r->items);
	return s;
}

const struct schema *
structural_schema(
    struct arena *a, const struct node *json, bool preserve_unknown)
{
	struct schema *s = (struct schema *)schema_of(
	    a, json, structural_rules(a, json), true);

	if (preserve_unknown)
		s->preserve_unknown = true;
	return s;
}
