/*
 * Stands in for resource.c in tests of rights: the four kinds of RBAC in a
 * store, without checks.
 */
#ifndef STUB_RBAC_H
#define STUB_RBAC_H

#include "base/array.h"
#include "store/store.h"
#include "trees.h"
#include "type/resource.h"
#include "type/strategy.h"

static struct store *store;
static struct resource kinds[4];
static const char *const plurals[] = {
    "roles", "clusterroles", "rolebindings", "clusterrolebindings"};

static void
rbac_set_up(void)
{
	static const struct strategy plain;

	store = store_new();
	for (size_t i = 0; i < COUNT(kinds); i++)
		kinds[i] = (struct resource){.plural = span_str(plurals[i]),
		    .strategy = &plain,
		    .namespaced = i % 2 == 0,
		    .collection = store_collection(
			store, span_str("rbac"), span_str(plurals[i]))};
}

static void
rbac_tear_down(void)
{
	store_free(store);
	arena_release(&arena);
}

struct resource *
resource_storage(
    const struct registry *g, struct span group, struct span plural)
{
	(void)g, (void)group;
	for (size_t i = 0; i < COUNT(kinds); i++)
		if (span_eq(kinds[i].plural, plural))
			return &kinds[i];
	return NULL;
}

/* Each put has a version of its own. */
static void
put_object(const char *plural, struct node *object)
{
	tree_put(&arena, tree_make(&arena, object, "metadata"),
	    "resourceVersion",
	    tree_string(&arena,
		arena_printf(&arena, "%llu",
		    (unsigned long long)store_next_version(store))));
	store_put(store,
	    resource_storage(NULL, SPAN_NONE, span_str(plural))->collection,
	    object);
}

/* more: members behind the metadata */
static void
put(const char *plural, const char *ns, const char *name, const char *labels,
    const char *more)
{
	put_object(plural,
	    parse_span(arena_printf(&arena,
		"{\"metadata\":{\"name\":\"%s\"%s%s%s,\"uid\":\"%s\","
		"\"labels\":{%s}},%s}",
		name, ns[0] ? ",\"namespace\":\"" : "", ns, ns[0] ? "\"" : "",
		name, labels, more)));
}

static void
drop(const char *plural, const char *ns, const char *name)
{
	struct resource *r =
	    resource_storage(NULL, SPAN_NONE, span_str(plural));
	struct stored *o =
	    store_get(r->collection, span_str(ns), span_str(name));
	struct node *object;

	if (o == NULL)
		abort();
	object = parse_span(text_span(o->json));
	tree_put(&arena, tree_get(object, "metadata"), "resourceVersion",
	    tree_string(&arena,
		arena_printf(&arena, "%llu",
		    (unsigned long long)store_next_version(store))));
	store_delete(store, r->collection, object);
}

#endif
