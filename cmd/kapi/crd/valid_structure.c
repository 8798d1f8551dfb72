/* Part of crd/valid.h: checks that a schema is structural. */
#include <stdlib.h>

#include "base/array.h"
#include "crd/check.h"
#include "crd/prune.h"
#include "crd/structural.h"
#include "crd/valid.h"
#include "text/pattern.h"

static const char embed[] = "x-kubernetes-embedded-resource";
static const char keep[] = "x-kubernetes-preserve-unknown-fields";
static const char int_or_string[] = "x-kubernetes-int-or-string";

/* anyOf: exactly integer or string, as int-or-string is written. */
static bool
is_int_or_string(const struct node *any)
{
	static const char *const types[] = {"integer", "string"};

	if (tree_items(any) != 2)
		return false;
	for (size_t i = 0; i < 2; i++)
		if (tree_count(any->items[i]) != 1 ||
		    !tree_text_is(tree_get(any->items[i], "type"), types[i]))
			return false;
	return true;
}

static void nested(const struct checked *schema, bool skip_any);

/* The value validation of a schema: what is below its junctors. */
static void
values(const struct checked *schema, bool skip_any, bool skip_all_any)
{
	static const char *const keys[] = {"anyOf", "allOf", "oneOf"};
	struct span pattern = checked_text(schema, "pattern");
	struct checked not = checked_at(schema, "not");
	struct span error;

	for (size_t k = skip_any; k < COUNT(keys); k++) {
		struct checked all = checked_at(schema, keys[k]);

		for (size_t i = 0; i < tree_items(all.value); i++) {
			struct checked item = checked_item(&all, i);

			nested(&item, k == 1 && i == 0 && skip_all_any);
		}
	}
	nested(&not, false);
	if (pattern.n == 0)
		return;
	error = pattern_error(schema->c->arena, pattern);
	if (error.p != NULL)
		checked_refuse(schema, "pattern", REFUSE_INVALID_TEXT,
		    "must be a valid regular expression, but isn't: %.*s",
		    SPAN_ARG(error));
}

static const struct {
	const char *key, *must_be;
} not_nested[] = {
    {"type", "empty"},
    {"additionalProperties", "undefined"},
    {"default", "undefined"},
    {"title", "empty"},
    {"description", "empty"},
    {"nullable", "false"},
    {keep, "false"},
    {embed, "false"},
    {int_or_string, "false"},
    {"x-kubernetes-list-map-keys", "empty"},
    {"x-kubernetes-list-type", "undefined"},
    {"x-kubernetes-map-type", "undefined"},
    {"x-kubernetes-validations", "empty"},
};

static void
nested(const struct checked *schema, bool skip_any)
{
	struct checked below;

	if (!tree_is(schema->value, NODE_OBJECT))
		return;
	values(schema, skip_any, false);
	below = checked_at(schema, "items");
	nested(&below, false);
	for (size_t i = 0; i < checked_properties(schema); i++) {
		below = checked_property(schema, i);
		nested(&below, false);
	}
	for (size_t i = 0; i < COUNT(not_nested); i++)
		if (checked_is_set(schema, not_nested[i].key))
			checked_refuse(schema, not_nested[i].key,
			    REFUSE_FORBIDDEN, "must be %s to be structural",
			    not_nested[i].must_be);
	if (tree_path(schema->value, "properties.metadata") != NULL)
		checked_refuse(schema, "properties[metadata]", REFUSE_FORBIDDEN,
		    "must not be specified in a nested context");
}

/* At the root only the names of metadata may be restricted. */
static bool
only_names(const struct node *metadata)
{
	const struct node *p = tree_get(metadata, "properties");

	for (size_t i = 0; i < metadata->n; i++) {
		const struct node *v = metadata->members[i].value;

		if (!checked_is_among(
			metadata->members[i].key, "type,properties,default") &&
		    !tree_empty(v) && v->kind != NODE_FALSE)
			return false;
	}
	for (size_t i = 0; i < tree_members(p); i++)
		if (!checked_is_among(p->members[i].key, "name,generateName"))
			return false;
	return true;
}

static void
check_meta(const struct checked *schema, bool root)
{
	static const struct {
		const char *name, *type;
	} fields[] = {{"kind", "string"}, {"apiVersion", "string"},
	    {"metadata", "object"}};
	const struct node *p = tree_get(schema->value, "properties");

	for (size_t i = 0; i < COUNT(fields); i++) {
		struct checked own = {schema->c,
		    cause_path_key(schema->c->arena,
			checked_at(schema, "properties").path,
			span_str(fields[i].name)),
		    tree_get(p, fields[i].name)};

		if (own.value != NULL &&
		    (root || checked_true(schema, embed)) &&
		    !span_is(checked_text(&own, "type"), fields[i].type))
			checked_refuse(&own, "type", REFUSE_INVALID_TEXT,
			    "must be %s", fields[i].type);
		if (i == 2 && root && tree_is(own.value, NODE_OBJECT) &&
		    !only_names(own.value))
			checked_refuse(&own, NULL, REFUSE_FORBIDDEN,
			    "must not specify anything other than name and "
			    "generateName, but metadata is implicitly "
			    "specified");
	}
}

static void
check_extensions(const struct checked *schema)
{
	static const char *const whole[] = {keep, embed};

	for (size_t i = 0; i < COUNT(whole); i++)
		if (checked_true(schema, int_or_string) &&
		    checked_true(schema, whole[i]))
			checked_refuse(schema, whole[i], REFUSE_INVALID,
			    "must be false if x-kubernetes-int-or-string is "
			    "true");
	if (!checked_true(schema, embed))
		return;
	if (checked_is_set(schema, "additionalProperties"))
		checked_refuse(schema, "additionalProperties", REFUSE_FORBIDDEN,
		    "must not be used if x-kubernetes-embedded-resource is "
		    "set");
	if (!checked_true(schema, keep) && checked_properties(schema) == 0)
		checked_refuse(schema, "properties", REFUSE_REQUIRED,
		    "must not be empty if x-kubernetes-embedded-resource is "
		    "true without x-kubernetes-preserve-unknown-fields");
}

static const char at_root[] = "must not be empty at the root";

/* missing: what is said of a schema without a type. */
static void
structure(const struct checked *schema, const char *missing)
{
	static const char of_items[] =
	    "must not be empty for specified array items";
	static const char of_fields[] =
	    "must not be empty for specified object fields";
	const struct node *items = tree_get(schema->value, "items");
	const struct node *all = tree_get(schema->value, "allOf");
	struct span type = checked_text(schema, "type");
	bool root = missing == at_root;
	struct checked below;

	if (!tree_is(schema->value, NODE_OBJECT))
		return;
	if (span_is(type, "array") && items == NULL)
		checked_refuse(
		    schema, "items", REFUSE_REQUIRED, "must be specified");
	below = checked_at(schema, "items");
	structure(&below, of_items);
	for (size_t i = 0; i < checked_properties(schema); i++) {
		below = checked_property(schema, i);
		structure(&below, of_fields);
	}
	below = checked_at(schema, "additionalProperties");
	if (below.value != NULL && root)
		checked_refuse(&below, NULL, REFUSE_FORBIDDEN,
		    "must not be used at the root");
	structure(&below, of_fields);
	check_extensions(schema);
	values(schema, is_int_or_string(tree_get(schema->value, "anyOf")),
	    tree_items(all) > 0 &&
		is_int_or_string(tree_get(all->items[0], "anyOf")));
	if (checked_true(schema, embed) && !span_is(type, "object"))
		checked_refuse(schema, "type", REFUSE_MISSING,
		    "must be object if x-kubernetes-embedded-resource is true");
	else if (type.n == 0 && !checked_true(schema, int_or_string) &&
	    !checked_true(schema, keep))
		checked_refuse(schema, "type", REFUSE_REQUIRED, "%s", missing);
	if (root && type.n > 0 && !span_is(type, "object"))
		checked_refuse(schema, "type", REFUSE_INVALID_TEXT,
		    "must be object at the root");
	check_meta(schema, root);
}

/* Checks that the schema specifies all that junctors validate: structure, which may be
 * absent, is the schema that has to have it. */
static void complete(
    const struct checked *values, const struct checked *structure);

static void
complete_junctors(const struct checked *values, const struct checked *structure)
{
	static const char *const keys[] = {"allOf", "anyOf", "oneOf"};
	struct checked below = checked_at(values, "not");

	complete(&below, structure);
	for (size_t k = 0; k < COUNT(keys); k++) {
		struct checked all = checked_at(values, keys[k]);

		for (size_t i = 0; i < tree_items(all.value); i++) {
			below = checked_item(&all, i);
			complete(&below, structure);
		}
	}
}

static void
complete(const struct checked *values, const struct checked *structure)
{
	struct checked below, specified;

	if (!tree_is(values->value, NODE_OBJECT))
		return;
	if (structure->value == NULL) {
		checked_refuse(structure, NULL, REFUSE_REQUIRED,
		    "because it is defined in %.*s", SPAN_ARG(values->path));
		return;
	}
	complete_junctors(values, structure);
	below = checked_at(values, "items");
	specified = checked_at(structure, "items");
	complete(&below, &specified);
	for (size_t i = 0; i < checked_properties(values); i++) {
		struct span key =
		    tree_get(values->value, "properties")->members[i].key;

		below = checked_property(values, i);
		specified = checked_at(structure, "properties");
		specified.value = tree_get_span(specified.value, key);
		specified.path =
		    cause_path_key(structure->c->arena, specified.path, key);
		complete(&below, &specified);
	}
}

static int
cause_cmp(const void *x, const void *y)
{
	const struct cause *a = x, *b = y;
	int order = span_cmp(a->field, b->field);

	return order != 0 ? order : span_cmp(a->message, b->message);
}

void
valid_structure(const struct checked *schema)
{
	struct causes own = {.arena = schema->c->arena};
	struct checked part = {&own, schema->path, schema->value};

	structure(&part, at_root);
	complete_junctors(&part, &part);
	/* The API server sorts these errors, since its maps have no order. */
	if (own.n > 1)
		qsort(own.items, own.n, sizeof *own.items, cause_cmp);
	for (size_t i = 0; i < own.n; i++)
		cause_add(schema->c, arena_str(own.arena, own.items[i].reason),
		    own.items[i].field, own.items[i].message);
}

/* ---- defaults ---- */

/* Whether pruning leaves a default as it is: the default is pruned as the only
 * field of an object. */
static bool
is_pruned(struct arena *a, const struct node *schema, const struct node *value)
{
	struct node *outer = tree_object(a), *fields = tree_object(a);
	struct node *object = tree_object(a);

	tree_put(a, fields, "default", (struct node *)schema);
	tree_put(a, outer, "properties", fields);
	tree_put(a, outer, "type", tree_str(a, "object"));
	tree_put(a, object, "default", tree_copy(a, value));
	prune_object(a, structural_schema(a, outer, false), object, NULL);
	return tree_equal(tree_get(object, "default"), value);
}

static void
check_defaults(const struct checked *schema, bool root)
{
	bool resource = root || checked_true(schema, embed);
	struct checked below = checked_at(schema, "default");

	if (!tree_is(schema->value, NODE_OBJECT))
		return;
	if (below.value != NULL && below.value->kind != NODE_NULL) {
		struct arena *a = schema->c->arena;

		if (!is_pruned(a, schema->value, below.value))
			checked_refuse(&below, NULL, REFUSE_INVALID,
			    "must not have unknown fields");
		crd_check(schema->c, structural_rules(a, schema->value),
		    below.path, below.value, NULL);
	}
	below = checked_at(schema, "items");
	check_defaults(&below, false);
	for (size_t i = 0; i < checked_properties(schema); i++) {
		/* The server checks the defaults of metadata as a whole; kapi
		 * checks them when an object is written. */
		if (resource &&
		    prune_is_meta_field(
			tree_get(schema->value, "properties")->members[i].key))
			continue;
		below = checked_property(schema, i);
		check_defaults(&below, false);
	}
}

void
valid_defaults(const struct checked *schema)
{
	check_defaults(schema, true);
}
