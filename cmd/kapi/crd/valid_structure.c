/* Part of crd/valid.h: checks that a schema is structural. */
#include <stdlib.h>

#include "base/array.h"
#include "crd/check.h"
#include "crd/lists.h"
#include "crd/prune.h"
#include "crd/structural.h"
#include "crd/valid.h"
#include "text/pattern.h"
#include "type/decode.h"

enum level { LEVEL_ROOT, LEVEL_ITEM, LEVEL_FIELD };

static bool
is_true(const struct node *n, const char *key)
{
	return tree_true(tree_get(n, key));
}

static void
forbid(struct causes *c, struct span path, const char *key, const char *detail)
{
	cause_forbidden(c, valid_path_child(c, path, key), detail);
}

static void
invalid(struct causes *c, struct span path, const char *key,
    const struct node *schema, const char *detail)
{
	cause_invalid(
	    c, valid_path_child(c, path, key), tree_get(schema, key), detail);
}

/* anyOf: exactly integer or string, as int-or-string is written. */
static bool
is_int_or_string(const struct node *any)
{
	static const char *const types[] = {"integer", "string"};

	if (tree_count(any) != 2 || !tree_is(any, NODE_ARRAY))
		return false;
	for (size_t i = 0; i < 2; i++)
		if (tree_count(any->items[i]) != 1 ||
		    !tree_text_is(tree_get(any->items[i], "type"), types[i]))
			return false;
	return true;
}

static void nested(struct causes *c, struct span path,
    const struct node *schema, bool skip_any);

/* The value validation of a schema: what is below its junctors. */
static void
values(struct causes *c, struct span path, const struct node *schema,
    bool skip_any, bool skip_all_any)
{
	static const char *const keys[] = {"anyOf", "allOf", "oneOf"};
	struct span pattern = tree_path_text(schema, "pattern");
	struct span error;

	for (size_t k = 0; k < 3; k++) {
		const struct node *all = tree_get(schema, keys[k]);
		struct span base = valid_path_child(c, path, keys[k]);

		if (!tree_is(all, NODE_ARRAY) || (k == 0 && skip_any))
			continue;
		for (size_t i = 0; i < all->n; i++)
			nested(c, cause_path_index(c->arena, base, i),
			    all->items[i], k == 1 && i == 0 && skip_all_any);
	}
	if (tree_get(schema, "not") != NULL)
		nested(c, valid_path_child(c, path, "not"),
		    tree_get(schema, "not"), false);
	if (pattern.n == 0)
		return;
	error = pattern_error(c->arena, pattern);
	if (error.p != NULL)
		cause_invalid_text(c, valid_path_child(c, path, "pattern"),
		    pattern,
		    arena_str(c->arena,
			arena_printf(c->arena,
			    "must be a valid regular expression, but isn't: "
			    "%.*s",
			    SPAN_ARG(error))));
}

static const struct {
	const char *key, *detail;
} not_nested[] = {
    {"type", "must be empty to be structural"},
    {"additionalProperties", "must be undefined to be structural"},
    {"default", "must be undefined to be structural"},
    {"title", "must be empty to be structural"},
    {"description", "must be empty to be structural"},
    {"nullable", "must be false to be structural"},
    {"x-kubernetes-preserve-unknown-fields", "must be false to be structural"},
    {"x-kubernetes-embedded-resource", "must be false to be structural"},
    {"x-kubernetes-int-or-string", "must be false to be structural"},
    {"x-kubernetes-list-map-keys", "must be empty to be structural"},
    {"x-kubernetes-list-type", "must be undefined to be structural"},
    {"x-kubernetes-map-type", "must be undefined to be structural"},
    {"x-kubernetes-validations", "must be empty to be structural"},
};

static void
nested(struct causes *c, struct span path, const struct node *schema,
    bool skip_any)
{
	const struct node *p = tree_get(schema, "properties");

	if (!tree_is(schema, NODE_OBJECT))
		return;
	values(c, path, schema, skip_any, false);
	nested(c, valid_path_child(c, path, "items"), tree_get(schema, "items"),
	    false);
	for (size_t i = 0; tree_is(p, NODE_OBJECT) && i < p->n; i++)
		nested(c,
		    valid_path_entry(c, path, "properties", p->members[i].key),
		    p->members[i].value, false);
	for (size_t i = 0; i < COUNT(not_nested); i++)
		if (valid_is_set(schema, not_nested[i].key))
			forbid(
			    c, path, not_nested[i].key, not_nested[i].detail);
	if (tree_get(p, "metadata") != NULL)
		cause_forbidden(c,
		    valid_path_entry(
			c, path, "properties", span_str("metadata")),
		    "must not be specified in a nested context");
}

/* At the root only the names of metadata may be restricted. */
static bool
only_names(const struct node *metadata)
{
	const struct node *p = tree_get(metadata, "properties");

	for (size_t i = 0; i < metadata->n; i++) {
		struct span key = metadata->members[i].key;

		if (!span_is(key, "type") && !span_is(key, "properties") &&
		    !span_is(key, "default") &&
		    !tree_empty(metadata->members[i].value) &&
		    metadata->members[i].value->kind != NODE_FALSE)
			return false;
	}
	for (size_t i = 0; tree_is(p, NODE_OBJECT) && i < p->n; i++)
		if (!span_is(p->members[i].key, "name") &&
		    !span_is(p->members[i].key, "generateName"))
			return false;
	return true;
}

static void
check_meta(struct causes *c, struct span path, const struct node *schema,
    enum level level)
{
	static const char *const keys[] = {"kind", "apiVersion"};
	const struct node *p = tree_get(schema, "properties");
	const struct node *metadata = tree_get(p, "metadata");
	struct span base =
	    valid_path_entry(c, path, "properties", span_str("metadata"));
	bool resource = level == LEVEL_ROOT ||
	    is_true(schema, "x-kubernetes-embedded-resource");

	for (size_t i = 0; resource && i < 2; i++) {
		const struct node *own = tree_get(p, keys[i]);

		if (own != NULL &&
		    !tree_text_is(tree_get(own, "type"), "string"))
			cause_invalid_text(c,
			    valid_path_child(c,
				valid_path_entry(
				    c, path, "properties", span_str(keys[i])),
				"type"),
			    tree_path_text(own, "type"), "must be string");
	}
	if (!tree_is(metadata, NODE_OBJECT))
		return;
	if (resource && !tree_text_is(tree_get(metadata, "type"), "object"))
		cause_invalid_text(c, valid_path_child(c, base, "type"),
		    tree_path_text(metadata, "type"), "must be object");
	if (level == LEVEL_ROOT && !only_names(metadata))
		cause_forbidden(c, base,
		    "must not specify anything other than name and "
		    "generateName, but metadata is implicitly specified");
}

static void
check_extensions(struct causes *c, struct span path, const struct node *schema)
{
	static const char keep[] = "x-kubernetes-preserve-unknown-fields";
	static const char embed[] = "x-kubernetes-embedded-resource";
	static const char detail[] =
	    "must be false if x-kubernetes-int-or-string is true";

	if (is_true(schema, "x-kubernetes-int-or-string")) {
		if (is_true(schema, keep))
			invalid(c, path, keep, schema, detail);
		if (is_true(schema, embed))
			invalid(c, path, embed, schema, detail);
	}
	if (!is_true(schema, embed))
		return;
	if (valid_is_set(schema, "additionalProperties"))
		forbid(c, path, "additionalProperties",
		    "must not be used if x-kubernetes-embedded-resource is "
		    "set");
	if (!is_true(schema, keep) &&
	    tree_count(tree_get(schema, "properties")) == 0)
		cause_required(c, valid_path_child(c, path, "properties"),
		    "must not be empty if x-kubernetes-embedded-resource is "
		    "true without x-kubernetes-preserve-unknown-fields");
}

static void
structure(struct causes *c, struct span path, const struct node *schema,
    enum level level)
{
	const struct node *p = tree_get(schema, "properties");
	const struct node *items = tree_get(schema, "items");
	const struct node *more = tree_get(schema, "additionalProperties");
	const struct node *all = tree_get(schema, "allOf");
	static const char *const missing[] = {"must not be empty at the root",
	    "must not be empty for specified array items",
	    "must not be empty for specified object fields"};
	static const char embedded[] =
	    "must be object if x-kubernetes-embedded-resource is true";
	struct span type, at;

	if (!tree_is(schema, NODE_OBJECT))
		return;
	if (tree_text_is(tree_get(schema, "type"), "array") && items == NULL)
		cause_required(
		    c, valid_path_child(c, path, "items"), "must be specified");
	structure(c, valid_path_child(c, path, "items"), items, LEVEL_ITEM);
	for (size_t i = 0; tree_is(p, NODE_OBJECT) && i < p->n; i++)
		structure(c,
		    valid_path_entry(c, path, "properties", p->members[i].key),
		    p->members[i].value, LEVEL_FIELD);
	if (more != NULL && level == LEVEL_ROOT)
		forbid(c, path, "additionalProperties",
		    "must not be used at the root");
	structure(c, valid_path_child(c, path, "additionalProperties"), more,
	    LEVEL_FIELD);
	check_extensions(c, path, schema);
	values(c, path, schema, is_int_or_string(tree_get(schema, "anyOf")),
	    tree_count(all) > 0 && tree_is(all, NODE_ARRAY) &&
		is_int_or_string(tree_get(all->items[0], "anyOf")));
	type = tree_path_text(schema, "type");
	at = valid_path_child(c, path, "type");
	if (is_true(schema, "x-kubernetes-embedded-resource") &&
	    !span_is(type, "object")) {
		if (type.n == 0)
			cause_required(c, at, embedded);
		else
			cause_invalid_text(c, at, type, embedded);
	} else if (type.n == 0 &&
	    !is_true(schema, "x-kubernetes-int-or-string") &&
	    !is_true(schema, "x-kubernetes-preserve-unknown-fields")) {
		cause_required(c, at, missing[level]);
	}
	if (level == LEVEL_ROOT && type.n > 0 && !span_is(type, "object"))
		cause_invalid_text(c, at, type, "must be object at the root");
	check_meta(c, path, schema, level);
}

/* ---- what is validated is also specified ---- */

struct pair {
	const struct node *values;    /* below a junctor */
	const struct node *structure; /* specifies values; may be NULL */
	struct span values_path, structure_path;
};

static void complete_nested(struct causes *c, const struct pair *p);

static void
complete(struct causes *c, const struct pair *p)
{
	static const char *const keys[] = {"allOf", "anyOf", "oneOf"};
	struct pair sub = *p;

	sub.values = tree_get(p->values, "not");
	sub.values_path = valid_path_child(c, p->values_path, "not");
	complete_nested(c, &sub);
	for (size_t k = 0; k < 3; k++) {
		const struct node *all = tree_get(p->values, keys[k]);
		struct span base = valid_path_child(c, p->values_path, keys[k]);

		for (size_t i = 0; tree_is(all, NODE_ARRAY) && i < all->n;
		     i++) {
			sub.values = all->items[i];
			sub.values_path = cause_path_index(c->arena, base, i);
			complete_nested(c, &sub);
		}
	}
}

static void
complete_nested(struct causes *c, const struct pair *p)
{
	const struct node *fields = tree_get(p->values, "properties");
	const struct node *known = tree_get(p->structure, "properties");
	struct pair sub;

	if (!tree_is(p->values, NODE_OBJECT))
		return;
	if (p->structure == NULL) {
		cause_required(c, p->structure_path,
		    arena_str(c->arena,
			arena_printf(c->arena, "because it is defined in %.*s",
			    SPAN_ARG(p->values_path))));
		return;
	}
	complete(c, p);
	sub = (struct pair){tree_get(p->values, "items"),
	    tree_get(p->structure, "items"),
	    valid_path_child(c, p->values_path, "items"),
	    valid_path_child(c, p->structure_path, "items")};
	complete_nested(c, &sub);
	for (size_t i = 0; tree_is(fields, NODE_OBJECT) && i < fields->n; i++) {
		struct span key = fields->members[i].key;

		sub = (struct pair){fields->members[i].value,
		    tree_get_span(known, key),
		    valid_path_entry(c, p->values_path, "properties", key),
		    valid_path_entry(c, p->structure_path, "properties", key)};
		complete_nested(c, &sub);
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
valid_structure(struct causes *c, struct span path, const struct node *schema)
{
	struct causes own = {.arena = c->arena};

	structure(&own, path, schema, LEVEL_ROOT);
	struct pair p = {schema, schema, path, path};
	complete(&own, &p);
	/* The API server sorts these errors, since its maps have no order. */
	if (own.n > 1)
		qsort(own.items, own.n, sizeof *own.items, cause_cmp);
	for (size_t i = 0; i < own.n; i++)
		cause_add(c, arena_str(c->arena, own.items[i].reason),
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
walk(struct causes *c, struct span path, const struct node *schema, bool root)
{
	const struct node *p = tree_get(schema, "properties");
	bool resource = root ||
	    tree_true(tree_get(schema, "x-kubernetes-embedded-resource"));
	const struct node *value;
	struct span at;

	if (!tree_is(schema, NODE_OBJECT))
		return;
	value = tree_get(schema, "default");
	at = valid_path_child(c, path, "default");
	if (value != NULL && value->kind != NODE_NULL) {
		if (!is_pruned(c->arena, schema, value))
			cause_invalid(
			    c, at, value, "must not have unknown fields");
		crd_check(
		    c, structural_rules(c->arena, schema), at, value, NULL);
	}
	walk(c, valid_path_child(c, path, "items"), tree_get(schema, "items"),
	    false);
	for (size_t i = 0; tree_is(p, NODE_OBJECT) && i < p->n; i++) {
		struct span key = p->members[i].key;

		/* The server checks the defaults of metadata as a whole; kapi
		 * checks them when an object is written. */
		if (!(resource &&
			(span_is(key, "metadata") || span_is(key, "kind") ||
			    span_is(key, "apiVersion"))))
			walk(c, valid_path_entry(c, path, "properties", key),
			    p->members[i].value, false);
	}
}

void
valid_defaults(struct causes *c, struct span path, const struct node *schema)
{
	walk(c, path, schema, true);
}
