/*
 * Part of merge/patch.h and merge/patch_list.h: strategic merge patches of
 * built-in types, but for their lists.
 */
#include "merge/patch.h"

#include <stdarg.h>
#include <stdio.h>

#include "merge/patch_list.h"
#include "text/gotext.h"

static const struct span order_prefix = {"$setElementOrder", 16};
static const struct span remove_prefix = {"$deleteFromPrimitiveList", 24};

struct node *
patch_fail(struct merging *m, int code, const char *fmt, ...)
{
	char message[4096];
	va_list args;

	va_start(args, fmt);
	vsnprintf(message, sizeof(message), fmt, args);
	va_end(args);
	if (m->problem != NULL)
		return NULL;
	if (code == 400)
		m->problem = problem_bad_request(m->arena, "%s", message);
	else if (code == 422)
		m->problem = patch_cannot_apply(m->arena);
	else
		m->problem = problem_make(m->arena, code, NULL, "%s", message);
	return NULL;
}

static bool
has_prefix(struct span s, struct span prefix)
{
	return s.n >= prefix.n && memcmp(s.p, prefix.p, prefix.n) == 0;
}

/* "name" of "PREFIX/name"; none: the key is not of that form. */
static struct span
name_behind(struct span key, struct span prefix)
{
	if (key.n == prefix.n || key.p[prefix.n] != '/')
		return SPAN_NONE;
	return span_make(key.p + prefix.n + 1, key.n - prefix.n - 1);
}

/* io.k8s.api.core.v1.PodSpec is PodSpec. */
static struct span
go_name(const struct schema *type)
{
	struct span name = type == NULL ? SPAN_NONE : type->name;
	size_t at = name.n;

	if (name.n == 0)
		return span_str("RawExtension");
	while (at > 0 && name.p[at - 1] != '.')
		at--;
	return span_skip(name, at);
}

static const struct field *
look_up(struct merging *m, const struct schema *type, struct span key)
{
	const struct field *f = NULL;

	if (type != NULL && type->kind == SCHEMA_OBJECT)
		f = schema_field(type, key);
	if (f != NULL)
		return f;
	if (type != NULL && type->kind == SCHEMA_MAP)
		patch_fail(m, 500,
		    "merging an object in json but data type is not struct, "
		    "instead is: map");
	else
		patch_fail(m, 500,
		    "unable to find api field in struct %.*s for the json "
		    "field \"%.*s\"",
		    SPAN_ARG(go_name(type)), SPAN_ARG(key));
	return NULL;
}

static bool
look_up_list(struct merging *m, const struct schema *type, struct span key,
    struct list_rules *rules)
{
	const struct field *f = look_up(m, type, key);
	const struct schema *list = f == NULL ? NULL : f->schema;

	if (f == NULL)
		return false;
	if (list == NULL || list->kind != SCHEMA_LIST) {
		patch_fail(
		    m, 500, "expected slice or array type, but got: struct");
		return false;
	}
	*rules = (struct list_rules){
	    list->element == NULL ? NULL : list->element->schema,
	    f->patch_merge, f->patch_key.n > 0 ? f->patch_key : SPAN_NONE};
	if (rules->element != NULL && rules->element->kind == SCHEMA_LIST) {
		patch_fail(m, 500, "unexpected slice of slice");
		return false;
	}
	return true;
}

/* Go drops maps that hold a directive; NULL: the value is such a one. nulls:
 * members that are null go as well. */
static struct node *
clean(struct arena *a, struct node *value, bool nulls)
{
	struct node *n;

	if (value->kind == NODE_OBJECT) {
		if (tree_get(value, "$patch") != NULL)
			return NULL;
		n = tree_object(a);
		for (uint32_t i = 0; i < value->n; i++) {
			const struct member *m = &value->members[i];
			struct node *v = m->value;

			if (nulls && v->kind == NODE_NULL)
				continue;
			v = clean(a, v, nulls);
			if (v != NULL)
				tree_set(a, n, m->key, v);
		}
		return n;
	}
	if (value->kind != NODE_ARRAY)
		return value;
	n = tree_array(a);
	for (uint32_t i = 0; i < value->n; i++) {
		struct node *v = clean(a, value->items[i], nulls);

		if (v != NULL)
			tree_append(a, n, v);
	}
	return n;
}

static bool
listed(const struct node *list, struct span key)
{
	for (uint32_t i = 0; i < list->n; i++)
		if (list->items[i]->kind == NODE_STRING &&
		    span_eq(list->items[i]->text, key))
			return true;
	return false;
}

/* $retainKeys: members of the original that are not listed go. */
static bool
retain_keys(struct merging *m, struct node *original, const struct node *patch,
    const struct node *keys)
{
	bool fits = keys->kind == NODE_ARRAY;

	for (uint32_t i = 0; fits && i < patch->n; i++) {
		struct span key = patch->members[i].key;

		if (patch->members[i].value->kind == NODE_NULL ||
		    span_is(key, "$retainKeys") ||
		    has_prefix(key, remove_prefix) ||
		    has_prefix(key, order_prefix))
			continue;
		fits = listed(keys, key);
	}
	if (!fits) {
		patch_fail(m, 400, "invalid patch format of retainKeys");
		return false;
	}
	for (uint32_t i = 0; i < original->n; i++)
		if (!listed(keys, original->members[i].key))
			original->members[i].value = NULL;
	tree_sweep(original);
	return true;
}

/*
 * $setElementOrder/name: merges the list of that name in patch into
 * original's, in that order.
 */
static bool
set_order(struct merging *m, const struct schema *type, struct node *original,
    const struct node *patch, struct span name, const struct node *order)
{
	struct node *old = tree_get_span(original, name), *merged;
	struct node *new = tree_get_span(patch, name);
	struct list_rules rules;

	if (order->kind != NODE_ARRAY)
		return patch_fail_type(m, "[]interface {}", order), false;
	if (old != NULL && old->kind != NODE_ARRAY)
		return patch_fail_type(m, "[]interface {}", old), false;
	if (new != NULL &&new->kind != NODE_ARRAY)
		return patch_fail_type(m, "[]interface {}", new), false;
	if (!look_up_list(m, type, name, &rules) ||
	    !patch_list_check_order(m, &rules, new, order))
		return false;
	if (old == NULL && new == NULL)
		return true;
	if (new == NULL)
		merged = old;
	else if (old == NULL)
		merged = clean(m->arena, new, false);
	else
		merged = patch_list_merge(m, &rules, old, new, false);
	if (merged != NULL)
		merged =
		    patch_list_set_order(m, &rules, merged, order, old, new);
	if (merged == NULL)
		return false;
	tree_set(m->arena, original, name, merged);
	return true;
}

static bool
same_type(const struct node *x, const struct node *y)
{
	bool x_bool = x->kind == NODE_TRUE || x->kind == NODE_FALSE;
	bool y_bool = y->kind == NODE_TRUE || y->kind == NODE_FALSE;

	return x->kind == y->kind || (x_bool && y_bool);
}

/* Whether the member was dealt with by its $setElementOrder. */
static bool
has_order(const struct node *patch, struct span key, bool directives)
{
	char name[256];

	if (!directives || key.n + order_prefix.n + 1 > sizeof(name))
		return false;
	memcpy(name, order_prefix.p, order_prefix.n);
	name[order_prefix.n] = '/';
	memcpy(name + order_prefix.n + 1, key.p, key.n);
	return tree_get_span(
		   patch, span_make(name, order_prefix.n + 1 + key.n)) != NULL;
}

static bool
set_orders(struct merging *m, const struct schema *type, struct node *original,
    const struct node *patch)
{
	for (uint32_t i = 0; i < patch->n; i++) {
		const struct member *p = &patch->members[i];
		struct span name;

		if (!has_prefix(p->key, order_prefix))
			continue;
		name = name_behind(p->key, order_prefix);
		if (name.p == NULL)
			return patch_fail(m, 400,
				   "invalid patch format of setElementOrder "
				   "list"),
			       false;
		if (!set_order(m, type, original, patch, name, p->value))
			return false;
	}
	return true;
}

static void
merge_members(struct merging *m, const struct schema *type,
    struct node *original, const struct node *patch, bool directives)
{
	struct node *value, *old, *merged;
	const struct field *f;
	struct list_rules rules;

	for (uint32_t i = 0; i < patch->n && m->problem == NULL; i++) {
		struct span key = patch->members[i].key;
		bool remove = has_prefix(key, remove_prefix);

		if (has_prefix(key, order_prefix) ||
		    span_is(key, "$retainKeys") ||
		    has_order(patch, key, directives))
			continue;
		if (remove) {
			key = name_behind(key, remove_prefix);
			if (key.p == NULL) {
				patch_fail(m, 400,
				    "invalid patch format of primitive list");
				return;
			}
		}
		/* One member of the patch. remove: it was
		 * $deleteFromPrimitiveList/key. */
		value = patch->members[i].value;
		old = tree_get_span(original, key);
		merged = NULL;
		if (value->kind == NODE_NULL) {
			tree_remove_span(original, key);
			continue;
		}
		if (old == NULL || !same_type(old, value)) {
			if (!remove) {
				value = clean(m->arena, value, true);
				if (value != NULL)
					tree_set(
					    m->arena, original, key, value);
				else
					tree_remove_span(original, key);
			}
			continue;
		}
		if (value->kind == NODE_OBJECT) {
			f = look_up(m, type, key);
			if (f != NULL)
				merged =
				    patch_map_merge(m, f->schema, old, value);
		} else if (value->kind == NODE_ARRAY) {
			if (look_up_list(m, type, key, &rules))
				merged = patch_list_merge(
				    m, &rules, old, value, remove);
		} else {
			merged = value;
		}
		if (merged != NULL)
			tree_set(m->arena, original, key, merged);
	}
}

struct node *
patch_map_merge(struct merging *m, const struct schema *type,
    struct node *original, const struct node *patch)
{
	const struct node *what = tree_get(patch, "$patch");
	const struct node *keys = tree_get(patch, "$retainKeys");
	bool directives = false;

	if (what != NULL) {
		/* $patch in a map. */
		struct node *n = tree_object(m->arena);

		if (tree_text_is(what, "delete"))
			return n;
		if (!tree_text_is(what, "replace"))
			return patch_fail(m, 500,
			    "unknown patch type: %.*s in map: %.*s",
			    SPAN_ARG(gotext_string(m->arena, what)),
			    SPAN_ARG(gotext_value(m->arena, patch)));
		for (uint32_t i = 0; i < patch->n; i++)
			if (!span_is(patch->members[i].key, "$patch"))
				tree_set(m->arena, n, patch->members[i].key,
				    patch->members[i].value);
		return n;
	}
	if (original == NULL)
		original = tree_object(m->arena);
	for (uint32_t i = 0; i < patch->n; i++)
		directives |= has_prefix(patch->members[i].key, order_prefix);
	if (keys != NULL && !retain_keys(m, original, patch, keys))
		return NULL;
	if (directives && !set_orders(m, type, original, patch))
		return NULL;
	merge_members(m, type, original, patch, directives);
	return m->problem == NULL ? original : NULL;
}

struct problem *
patch_strategic(struct arena *a, const struct schema *schema,
    const struct node *target, const struct node *patch, struct node **result)
{
	struct merging m = {.arena = a};
	struct node *original = tree_copy(a, target);

	if (patch->kind == NODE_NULL) {
		*result = original;
		return NULL;
	}
	if (patch->kind != NODE_OBJECT || target->kind != NODE_OBJECT)
		return problem_bad_request(a, "invalid JSON document");
	*result = patch_map_merge(&m, schema, original, patch);
	return m.problem;
}
