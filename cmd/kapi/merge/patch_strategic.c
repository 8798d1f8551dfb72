/* Part of merge/patch.h: strategic merge patches of built-in types. */
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/map.h"
#include "base/mem.h"
#include "merge/patch.h"
#include "text/gotext.h"

struct merging {
	struct arena *arena;
	struct problem *problem; /* the first one; all work then ends */
};

/* Sets m->problem unless there is one; returns NULL. 500 without a reason:
 * an error that the server does not interpret. */
__attribute__((format(printf, 3, 4))) static struct node *
fail(struct merging *m, int code, const char *fmt, ...)
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

/* "expected a []interface {}, but received a string" */
static struct node *
fail_type(struct merging *m, const char *expected, const struct node *got)
{
	return fail(m, 500, "expected a %s, but received a %s", expected,
	    gotext_type(got));
}

/* The schema's rules for merging a list. */
struct list_rules {
	const struct schema *element;
	bool merge;	 /* else the patch's list takes the place of the old */
	struct span key; /* key of its maps; none: a set of scalars */
};

/* Merges patch into a map of the original, which may be NULL. Consumes both. */
static struct node *map_merge(struct merging *m, const struct schema *type,
    struct node *original, const struct node *patch);

/* ---- lists ---- */

static const char map_type[] = "map[string]interface {}";

/* Items with equal identities are the same: a scalar's is its value, a map's
 * the value of its merge key. None if Go could not compare it. */
static struct span
scalar_id(struct arena *a, const struct node *n)
{
	if (n == NULL)
		return SPAN_NONE;
	switch (n->kind) {
	case NODE_STRING:
		return arena_printf(a, "s%.*s", SPAN_ARG(n->text));
	case NODE_NUMBER:
		/* An integer is never a float, even if they are equal. */
		for (size_t i = 0; i < n->text.n; i++)
			if (strchr(".eE", n->text.p[i]) != NULL)
				return arena_printf(
				    a, "f%.17g", tree_double(n));
		return arena_printf(a, "i%.*s", SPAN_ARG(n->text));
	case NODE_NULL:
	case NODE_FALSE:
	case NODE_TRUE:
		return arena_printf(a, "k%d", (int)n->kind);
	default:
		return SPAN_NONE;
	}
}

static struct span
item_id(
    struct arena *a, const struct list_rules *rules, const struct node *item)
{
	if (rules->key.p != NULL)
		item = tree_get_span(item, rules->key);
	return scalar_id(a, item);
}

/* Ids of a list's items, and the place of each id's first item. */
struct ids {
	struct span *at;
	struct map places; /* number + 1 */
};

static struct ids
ids_of(struct arena *a, const struct list_rules *rules, const struct node *list)
{
	struct ids ids = {NULL, MAP_INIT};
	size_t n = tree_count(list);

	ids.at = arena_alloc(a, (n + 1) * sizeof(*ids.at));
	for (size_t i = 0; i < n; i++) {
		ids.at[i] = item_id(a, rules, list->items[i]);
		if (ids.at[i].p != NULL && !map_get(&ids.places, ids.at[i]))
			map_put(
			    &ids.places, ids.at[i], (void *)(uintptr_t)(i + 1));
	}
	return ids;
}

/* -1: nowhere */
static long
ids_find(const struct ids *ids, struct span id)
{
	return id.p == NULL ? -1
			    : (long)(uintptr_t)map_get(&ids->places, id) - 1;
}

static void
fail_no_key(
    struct merging *m, const struct list_rules *rules, const struct node *item)
{
	fail(m, 500, "map: %.*s does not contain declared merge key: %.*s",
	    SPAN_ARG(gotext_value(m->arena, item)), SPAN_ARG(rules->key));
}

/* Whether every item is a map with the merge key. */
static bool
check_keys(
    struct merging *m, const struct list_rules *rules, const struct node *list)
{
	for (size_t i = 0; i < tree_count(list); i++) {
		const struct node *item = list->items[i];

		if (item->kind != NODE_OBJECT)
			return fail_type(m, map_type, item), false;
		if (tree_get_span(item, rules->key) == NULL)
			return fail_no_key(m, rules, item), false;
	}
	return true;
}

static struct span
go_list(struct arena *a, const struct node *list)
{
	return list == NULL ? span_str("[]") : gotext_value(a, list);
}

/* All items of both are of one type, which is not a list. */
static bool
check_types(struct merging *m, const struct node *x, const struct node *y,
    const struct node **any)
{
	const struct node *const lists[] = {x, y};

	*any = NULL;
	for (size_t l = 0; l < 2; l++)
		for (size_t i = 0; i < tree_count(lists[l]); i++) {
			const struct node *item = lists[l]->items[i];

			if (*any == NULL && item->kind == NODE_ARRAY)
				return fail(m, 422,
					   "lists of lists are not supported"),
				       false;
			if (*any == NULL)
				*any = item;
			if (gotext_type(item) == gotext_type(*any))
				continue;
			fail(m, 500,
			    "list element types are not identical: [%.*s %.*s]",
			    SPAN_ARG(go_list(m->arena, x)),
			    SPAN_ARG(go_list(m->arena, y)));
			return false;
		}
	return true;
}

struct placed {
	struct node *item;
	long place;
	size_t number;
};

static int
compare_placed(const void *x, const void *y)
{
	const struct placed *p = x, *q = y;

	if (p->place != q->place)
		return p->place < q->place ? -1 : 1;
	return (p->number > q->number) - (p->number < q->number);
}

/* The items of merged whose ids are in by (in: false: are not), sorted by their
 * places in order. */
static struct node *
sorted_part(struct merging *m, const struct list_rules *rules,
    const struct node *merged, const struct ids *by, bool in,
    const struct ids *order)
{
	struct placed *all =
	    mem_array(NULL, tree_count(merged) + 1, sizeof(*all));
	struct node *part = tree_array(m->arena);
	size_t n = 0;

	for (size_t i = 0; i < tree_count(merged); i++) {
		struct span id = item_id(m->arena, rules, merged->items[i]);

		if ((ids_find(by, id) >= 0) != in)
			continue;
		all[n] =
		    (struct placed){merged->items[i], ids_find(order, id), n};
		n++;
	}
	qsort(all, n, sizeof(*all), compare_placed);
	for (size_t i = 0; i < n; i++)
		tree_append(m->arena, part, all[i].item);
	free(all);
	return part;
}

/*
 * The items of the patch in its order, and between them the others: each
 * before the first item of the patch that it preceded on the server.
 */
static struct node *
ordered(struct merging *m, const struct list_rules *rules,
    const struct node *merged, const struct node *patch_order,
    const struct node *server_order)
{
	struct arena *a = m->arena;
	struct ids by = ids_of(a, rules, patch_order);
	struct ids server = ids_of(a, rules, server_order);
	struct node *ours = sorted_part(m, rules, merged, &by, true, &by);
	struct node *others =
	    sorted_part(m, rules, merged, &by, false, &server);
	struct node *all = tree_array(a);
	size_t i = 0, j = 0;

	while (i < others->n || j < ours->n) {
		bool first = j >= ours->n;

		if (!first && i < others->n) {
			long l = ids_find(
			    &server, item_id(a, rules, others->items[i]));
			long r = ids_find(
			    &server, item_id(a, rules, ours->items[j]));

			first = l >= 0 && r >= 0 && l < r;
		}
		tree_append(
		    a, all, first ? others->items[i++] : ours->items[j++]);
	}
	map_release(&by.places);
	map_release(&server.places);
	return all;
}

/* Scalars: the union of both. */
static struct node *
merge_scalars(struct merging *m, const struct list_rules *rules,
    const struct node *original, const struct node *patch)
{
	struct node *all = tree_array(m->arena);
	const struct node *const lists[] = {original, patch};
	struct map seen = MAP_INIT;

	for (size_t l = 0; l < 2; l++)
		for (size_t i = 0; i < lists[l]->n; i++) {
			struct span id =
			    scalar_id(m->arena, lists[l]->items[i]);

			if (map_put(&seen, id, lists[l]->items[i]) == NULL)
				tree_append(m->arena, all, lists[l]->items[i]);
		}
	map_release(&seen);
	return ordered(m, rules, all, patch, original);
}

static struct node *
remove_scalars(struct merging *m, const struct list_rules *rules,
    const struct node *original, const struct node *patch)
{
	struct node *left = tree_array(m->arena);
	struct list_rules scalars = {rules->element, true, SPAN_NONE};
	struct ids ids = ids_of(m->arena, &scalars, patch);

	for (size_t i = 0; i < original->n; i++)
		if (ids_find(&ids, scalar_id(m->arena, original->items[i])) < 0)
			tree_append(m->arena, left, original->items[i]);
	map_release(&ids.places);
	return left;
}

/* Items with $patch: what is left of the patch; *original may shrink, or be
 * what the patch says. */
static struct node *
take_special(struct merging *m, const struct list_rules *rules,
    struct node **original, const struct node *patch)
{
	struct node *plain = tree_array(m->arena);
	struct node *deleted = tree_array(m->arena);
	struct ids ids;
	bool replace = false;
	const struct node *list;
	struct node *left;

	for (size_t i = 0; i < patch->n; i++) {
		struct node *item = patch->items[i];
		const struct node *what = tree_get(item, "$patch");

		if (what == NULL)
			tree_append(m->arena, plain, item);
		else if (tree_text_is(what, "replace"))
			replace = true;
		else if (tree_text_is(what, "merge"))
			return fail(m, 500,
			    "merging lists cannot yet be specified in the "
			    "patch");
		else if (!tree_text_is(what, "delete"))
			return fail(m, 500,
			    "unknown patch type: %.*s in map: %.*s",
			    SPAN_ARG(gotext_string(m->arena, what)),
			    SPAN_ARG(gotext_value(m->arena, item)));
		else if (tree_get_span(item, rules->key) == NULL)
			return fail_no_key(m, rules, item), NULL;
		else
			tree_append(m->arena, deleted, item);
	}
	if (replace) {
		*original = plain;
		return tree_array(m->arena);
	}
	if (deleted->n > 0) {
		ids = ids_of(m->arena, rules, deleted);
		list = *original;
		left = tree_array(m->arena);
		for (size_t i = 0; i < list->n; i++)
			if (ids_find(&ids,
				item_id(m->arena, rules, list->items[i])) < 0)
				tree_append(m->arena, left, list->items[i]);
		*original = left;
		map_release(&ids.places);
	}
	return plain;
}

/* A list with the patch's items merged in; remove: the patch's items are taken
 * out instead ($deleteFromPrimitiveList). original may be changed. NULL with
 * m->problem. */
static struct node *
list_merge(struct merging *m, const struct list_rules *rules,
    struct node *original, const struct node *patch, bool remove)
{
	const struct node *any;
	struct list_rules scalars = {rules->element, true, SPAN_NONE};
	struct node *merged;
	struct ids ids;

	if (!rules->merge && !remove)
		return (struct node *)patch;
	if (original->n == 0 && patch->n == 0)
		return original;
	if (!check_types(m, original, patch, &any))
		return NULL;
	if (any->kind != NODE_OBJECT)
		return remove ? remove_scalars(m, rules, original, patch)
			      : merge_scalars(m, &scalars, original, patch);
	if (rules->key.p == NULL)
		return fail(m, 500,
		    "cannot merge lists without merge key for %s",
		    rules->element != NULL && rules->element->kind == SCHEMA_MAP
			? "map"
			: "struct");
	patch = take_special(m, rules, &original, patch);
	if (patch == NULL || !check_keys(m, rules, patch))
		return NULL;
	merged = tree_array(m->arena);
	for (size_t i = 0; i < original->n; i++)
		tree_append(m->arena, merged, original->items[i]);
	ids = ids_of(m->arena, rules, original);
	for (size_t i = 0; i < patch->n && m->problem == NULL; i++) {
		struct span id = item_id(m->arena, rules, patch->items[i]);
		long at = ids_find(&ids, id);

		if (at >= 0) {
			merged->items[at] = map_merge(m, rules->element,
			    merged->items[at], patch->items[i]);
			continue;
		}
		tree_append(m->arena, merged, patch->items[i]);
		if (id.p != NULL)
			map_put(&ids.places, id, (void *)(uintptr_t)merged->n);
	}
	map_release(&ids.places);
	if (m->problem != NULL || !check_keys(m, rules, merged) ||
	    !check_keys(m, rules, original))
		return NULL;
	return ordered(m, rules, merged, patch, original);
}

/* $setElementOrder: checks patch (may be NULL) against order. */
static bool
list_check_order(struct merging *m, const struct list_rules *rules,
    const struct node *patch, const struct node *order)
{
	size_t i = 0, j = 0;

	if (tree_count(patch) == 0 || tree_count(order) == 0)
		return true;
	while (i < patch->n && j < order->n) {
		const struct node *item = patch->items[i];
		struct span x, y;

		if (rules->key.p != NULL && item->kind != NODE_OBJECT)
			return fail_type(m, map_type, item), false;
		if (tree_get(item, "$patch") != NULL) {
			i++;
			continue;
		}
		if (rules->key.p != NULL) {
			struct node pair = {.kind = NODE_ARRAY, .n = 2};
			struct node *both[] = {
			    patch->items[i], order->items[j]};

			pair.items = both;
			if (!check_keys(m, rules, &pair))
				return false;
		}
		x = item_id(m->arena, rules, item);
		y = item_id(m->arena, rules, order->items[j++]);
		if (x.p != NULL && span_eq(x, y))
			i++;
	}
	/* Items that are only deleted have no place in the order. */
	while (i < patch->n &&
	    tree_text_is(tree_get(patch->items[i], "$patch"), "delete"))
		i++;
	if (i == patch->n)
		return true;
	fail(m, 500,
	    "The order in patch list:\n%.*s\n doesn't match $setElementOrder "
	    "list:\n%.*s\n",
	    SPAN_ARG(gotext_value(m->arena, patch)),
	    SPAN_ARG(gotext_value(m->arena, order)));
	return false;
}

/* Puts merged into the order of $setElementOrder, as far as the original list
 * (may be NULL) leaves it. */
static struct node *
list_set_order(struct merging *m, const struct list_rules *rules,
    const struct node *merged, const struct node *order,
    const struct node *original, const struct node *patch)
{
	const struct node *any;

	if (rules->key.p != NULL && !check_keys(m, rules, merged))
		return NULL;
	if (!check_types(m, original, patch, &any))
		return NULL;
	if (any == NULL)
		return fail(m, 500, "no elements in any of the given slices");
	if (any->kind == NODE_OBJECT &&
	    (!check_keys(m, rules, merged) || !check_keys(m, rules, order) ||
		!check_keys(m, rules, original)))
		return NULL;
	return ordered(m, rules, merged, order, original);
}

/* ---- maps ---- */

#define ORDER "$setElementOrder"
#define REMOVE "$deleteFromPrimitiveList"

/* "name" of "PREFIX/name"; none: the key is not of that form. */
static struct span
name_behind(struct span key, const char *prefix)
{
	return span_take(&key, prefix) && span_take(&key, "/") ? key
							       : SPAN_NONE;
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
		fail(m, 500,
		    "merging an object in json but data type is not struct, "
		    "instead is: map");
	else
		fail(m, 500,
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
	if (list == NULL || list->kind != SCHEMA_LIST)
		return fail(m, 500,
			   "expected slice or array type, but got: struct"),
		       false;
	*rules = (struct list_rules){
	    list->element == NULL ? NULL : list->element->schema,
	    f->patch_merge, f->patch_key.n > 0 ? f->patch_key : SPAN_NONE};
	if (rules->element != NULL && rules->element->kind == SCHEMA_LIST)
		return fail(m, 500, "unexpected slice of slice"), false;
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
		    span_is(key, "$retainKeys") || span_starts(key, REMOVE) ||
		    span_starts(key, ORDER))
			continue;
		fits = listed(keys, key);
	}
	if (!fits)
		return fail(m, 400, "invalid patch format of retainKeys"),
		       false;
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
		return fail_type(m, "[]interface {}", order), false;
	if (old != NULL && old->kind != NODE_ARRAY)
		return fail_type(m, "[]interface {}", old), false;
	if (new != NULL &&new->kind != NODE_ARRAY)
		return fail_type(m, "[]interface {}", new), false;
	if (!look_up_list(m, type, name, &rules) ||
	    !list_check_order(m, &rules, new, order))
		return false;
	if (old == NULL && new == NULL)
		return true;
	if (new == NULL)
		merged = old;
	else if (old == NULL)
		merged = clean(m->arena, new, false);
	else
		merged = list_merge(m, &rules, old, new, false);
	if (merged != NULL)
		merged = list_set_order(m, &rules, merged, order, old, new);
	if (merged == NULL)
		return false;
	tree_set(m->arena, original, name, merged);
	return true;
}

static bool
same_type(const struct node *x, const struct node *y)
{
	return x->kind == y->kind ||
	    ((tree_is(x, NODE_TRUE) || tree_is(x, NODE_FALSE)) &&
		(tree_is(y, NODE_TRUE) || tree_is(y, NODE_FALSE)));
}

static bool
set_orders(struct merging *m, const struct schema *type, struct node *original,
    const struct node *patch)
{
	for (uint32_t i = 0; i < patch->n; i++) {
		const struct member *p = &patch->members[i];
		struct span name;

		if (!span_starts(p->key, ORDER))
			continue;
		name = name_behind(p->key, ORDER);
		if (name.p == NULL)
			return fail(m, 400,
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
		bool remove = span_starts(key, REMOVE);

		if (span_starts(key, ORDER) || span_is(key, "$retainKeys") ||
		    (directives &&
			tree_get_span(patch,
			    arena_printf(m->arena, ORDER "/%.*s",
				SPAN_ARG(key))) != NULL))
			continue; /* or set_orders has dealt with it */
		if (remove) {
			key = name_behind(key, REMOVE);
			if (key.p == NULL) {
				fail(m, 400,
				    "invalid patch format of primitive list");
				return;
			}
		}
		/* A member of the patch. remove: it was
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
				merged = map_merge(m, f->schema, old, value);
		} else if (value->kind == NODE_ARRAY) {
			if (look_up_list(m, type, key, &rules))
				merged =
				    list_merge(m, &rules, old, value, remove);
		} else {
			merged = value;
		}
		if (merged != NULL)
			tree_set(m->arena, original, key, merged);
	}
}

static struct node *
map_merge(struct merging *m, const struct schema *type, struct node *original,
    const struct node *patch)
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
			return fail(m, 500,
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
		directives |= span_starts(patch->members[i].key, ORDER);
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
	*result = map_merge(&m, schema, original, patch);
	return m.problem;
}
