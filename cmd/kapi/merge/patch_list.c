#include "merge/patch_list.h"

#include <stdint.h>
#include <stdlib.h>

#include "base/map.h"
#include "base/mem.h"
#include "text/gotext.h"

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

struct node *
patch_fail_type(struct merging *m, const char *expected, const struct node *got)
{
	return patch_fail(m, 500, "expected a %s, but received a %s", expected,
	    gotext_type(got));
}

static void
fail_no_key(
    struct merging *m, const struct list_rules *rules, const struct node *item)
{
	patch_fail(m, 500,
	    "map: %.*s does not contain declared merge key: %.*s",
	    SPAN_ARG(gotext_value(m->arena, item)), SPAN_ARG(rules->key));
}

/* Whether every item is a map with the merge key. */
static bool
check_keys(
    struct merging *m, const struct list_rules *rules, const struct node *list)
{
	for (size_t i = 0; i < tree_count(list); i++) {
		const struct node *item = list->items[i];

		if (item->kind != NODE_OBJECT) {
			patch_fail_type(m, map_type, item);
			return false;
		}
		if (tree_get_span(item, rules->key) == NULL) {
			fail_no_key(m, rules, item);
			return false;
		}
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

			if (*any == NULL && item->kind == NODE_ARRAY) {
				patch_fail(
				    m, 422, "lists of lists are not supported");
				return false;
			}
			if (*any == NULL)
				*any = item;
			if (gotext_type(item) == gotext_type(*any))
				continue;
			patch_fail(m, 500,
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

/* The items that are (not) in by, in the order of order. */
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
			return patch_fail(m, 500,
			    "merging lists cannot yet be specified in the "
			    "patch");
		else if (!tree_text_is(what, "delete"))
			return patch_fail(m, 500,
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

struct node *
patch_list_merge(struct merging *m, const struct list_rules *rules,
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
		return patch_fail(m, 500,
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
			merged->items[at] = patch_map_merge(m, rules->element,
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

bool
patch_list_check_order(struct merging *m, const struct list_rules *rules,
    const struct node *patch, const struct node *order)
{
	size_t i = 0, j = 0;

	if (tree_count(patch) == 0 || tree_count(order) == 0)
		return true;
	while (i < patch->n && j < order->n) {
		const struct node *item = patch->items[i];
		struct span x, y;

		if (rules->key.p != NULL && item->kind != NODE_OBJECT)
			return patch_fail_type(m, map_type, item), false;
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
	patch_fail(m, 500,
	    "The order in patch list:\n%.*s\n doesn't match $setElementOrder "
	    "list:\n%.*s\n",
	    SPAN_ARG(gotext_value(m->arena, patch)),
	    SPAN_ARG(gotext_value(m->arena, order)));
	return false;
}

struct node *
patch_list_set_order(struct merging *m, const struct list_rules *rules,
    const struct node *merged, const struct node *order,
    const struct node *original, const struct node *patch)
{
	const struct node *any;

	if (rules->key.p != NULL && !check_keys(m, rules, merged))
		return NULL;
	if (!check_types(m, original, patch, &any))
		return NULL;
	if (any == NULL)
		return patch_fail(
		    m, 500, "no elements in any of the given slices");
	if (any->kind == NODE_OBJECT &&
	    (!check_keys(m, rules, merged) || !check_keys(m, rules, order) ||
		!check_keys(m, rules, original)))
		return NULL;
	return ordered(m, rules, merged, order, original);
}
