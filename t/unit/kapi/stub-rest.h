/*
 * Stands in for rest.c and resource.c in tests of controllers: six kinds, no
 * checks. A, B (in namespaces), C (of the cluster), X, which the test can
 * switch on, Y, which is not collected, as Events, and Z, which defines kinds.
 */
#ifndef STUB_REST_H
#define STUB_REST_H

#include "base/array.h"
#include "crd/crd.h"
#include "rest/rest.h"
#include "trees.h"
#include "write/convert.h"

static struct store *store;
static bool serves_x;
static size_t deletes, updates;
static struct resource kinds[6];

static void
rest_set_up(void)
{
	static const char *const plurals[] = {
	    "as", "bs", "cs", "xs", "ys", "zs"};
	static const struct strategy plain,
	    event = {.traits = TRAIT_NO_COLLECTION},
	    definition = {.deletion = DELETION_DEFINITION};

	store = store_new();
	serves_x = false;
	for (size_t i = 0; i < COUNT(kinds); i++)
		kinds[i] = (struct resource){.group = span_str("g"),
		    .version = span_str("v1"),
		    .plural = span_str(plurals[i]),
		    .strategy = i == 4 ? &event
			: i == 5       ? &definition
				       : &plain,
		    .namespaced = i != 2,
		    .collection = store_collection(
			store, span_str("g"), span_str(plurals[i]))};
}

struct resource *
resource_find_kind(const struct registry *g, struct span group,
    struct span version, struct span kind)
{
	size_t i = kind.n == 1 ? (size_t)(kind.p[0] - 'A') : 9;

	(void)g;
	if (serves_x && span_is(kind, "X"))
		i = 3;
	return span_is(group, "g") && span_is(version, "v1") &&
		i < (serves_x ? 4u : 3u)
	    ? &kinds[i]
	    : NULL;
}

struct resource *
resource_storage(
    const struct registry *g, struct span group, struct span plural)
{
	(void)g;
	(void)group;
	for (size_t i = 0; i < COUNT(kinds); i++)
		if (span_eq(kinds[i].plural, plural))
			return &kinds[i];
	return NULL;
}

struct resource *
resource_kept_in(const struct registry *g, const struct collection *c)
{
	return resource_storage(
	    g, store_collection_group(c), store_collection_plural(c));
}

struct node *
convert_tree(struct arena *a, const struct stored *o)
{
	return tree_parse(a, text_span(o->json), TREE_LIMITS, NULL, NULL);
}

static void
number(struct arena *a, struct node *object)
{
	tree_put(a, tree_make(a, object, "metadata"), "resourceVersion",
	    tree_string(a,
		arena_printf(
		    a, "%llu", (unsigned long long)store_next_version(store))));
}

struct problem *
rest_create(const struct rest_writer *w, struct resource *r,
    struct node *object, struct stored **made)
{
	(void)w, (void)r, (void)object, (void)made;
	return NULL;
}

struct problem *
rest_update(const struct rest_writer *w, struct resource *r,
    struct span subresource, struct node *object)
{
	const struct node *meta = tree_get(object, "metadata");

	(void)subresource;
	updates++;
	number(w->arena, object);
	if (tree_get(meta, "deletionTimestamp") != NULL &&
	    tree_count(tree_get(meta, "finalizers")) == 0)
		store_delete(store, r->collection, object);
	else
		store_put(store, r->collection, object);
	return NULL;
}

static void
set_finalizer(struct arena *a, struct node *meta, const char *name, bool wanted)
{
	struct node *all = tree_get(meta, "finalizers");
	uint32_t i = 0;

	if (all == NULL) {
		all = tree_array(a);
		tree_put(a, meta, "finalizers", all);
	}
	while (i < all->n && !tree_text_is(all->items[i], name))
		i++;
	if (wanted && i == all->n)
		tree_append(a, all, tree_str(a, name));
	if (!wanted && i < all->n)
		tree_remove_at(all, i);
}

struct problem *
rest_delete(const struct rest_writer *w, struct resource *r,
    struct span namespace_, struct span name,
    const struct delete_options *options)
{
	struct arena *a = w->arena;
	struct stored *o = store_get(r->collection, namespace_, name);
	struct node *object, *meta;

	deletes++;
	if (o == NULL) {
		ok(false, "what is deleted is there");
		return NULL;
	}
	object = convert_tree(a, o);
	meta = tree_get(object, "metadata");
	set_finalizer(a, meta, "orphan", span_is(options->policy, "Orphan"));
	set_finalizer(a, meta, "foregroundDeletion",
	    span_is(options->policy, "Foreground"));
	tree_put(
	    a, meta, "deletionTimestamp", tree_str(a, "2026-01-01T00:00:00Z"));
	return rest_update(w, r, SPAN_NONE, object);
}

#endif
