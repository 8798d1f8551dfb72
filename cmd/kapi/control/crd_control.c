#include "control/crd_control.h"

#include <stdlib.h>

#include "base/map.h"
#include "base/mem.h"
#include "control/controller.h"
#include "crd/conditions.h"
#include "crd/crd.h"
#include "json/json.h"
#include "kinds/kinds.h"
#include "process/log.h"
#include "read/watch_hub.h"
#include "store/store.h"
#include "type/objectmeta.h"
#include "write/convert.h"

static const char group_name[] = "apiextensions.k8s.io";
static const char finalizer[] = "customresourcecleanup.apiextensions.k8s.io";

/* A definition that was seen. */
struct crd_entry {
	char *name; /* owned; key in the map */
	struct crds *crds;
	bool due;
	struct crd *crd;	/* in the registry; NULL: not established */
	char *shape;		/* shape_of the definition; owned */
	struct store_hook hook; /* on its objects while they are deleted */
	struct collection *watched;
};

struct crds {
	struct api *api;
	struct collection *collection;
	struct resource *resource;
	struct store_hook hook;
	struct timer timer;
	struct map entries;
	size_t due;
	/* Definitions that were replaced; freed after the turn of the loop,
	 * which may still use them. */
	struct crd **retired;
	size_t retired_count;
};

static void crds_turn(void *arg);

static void
arm(struct crds *c)
{
	if (!loop_timer_armed(&c->timer))
		loop_after(c->api->loop, &c->timer, 0, crds_turn, c);
}

static struct crd_entry *
entry_get(struct crds *c, struct span name)
{
	struct crd_entry *e = map_get(&c->entries, name);

	if (e != NULL)
		return e;
	e = mem_zalloc(sizeof *e);
	e->name = mem_dup(name.p, name.n);
	e->crds = c;
	map_put(&c->entries, span_str(e->name), e);
	return e;
}

static void
entry_due(struct crd_entry *e)
{
	if (!e->due) {
		e->due = true;
		e->crds->due++;
	}
	arm(e->crds);
}

static void
on_definition(
    void *arg, struct collection *collection, const struct store_change *change)
{
	struct crd_entry *e = entry_get(arg, change->now->name);

	(void)collection;
	/* Creates are refused from this moment on, not only from the next
	 * turn. */
	if (e->crd != NULL &&
	    json_path(
		text_span(change->now->json), "metadata.deletionTimestamp")
		    .p != NULL)
		e->crd->terminating = true;
	entry_due(e);
}

static void
on_object(
    void *arg, struct collection *collection, const struct store_change *change)
{
	(void)collection;
	if (change->type == CHANGE_DELETED)
		entry_due(arg);
}

static void
watch_objects(struct crd_entry *e, struct collection *collection)
{
	if (e->watched == collection)
		return;
	if (e->watched != NULL)
		store_remove_hook(e->crds->api->store, e->watched, &e->hook);
	e->watched = collection;
	if (collection == NULL)
		return;
	e->hook = (struct store_hook){.fn = on_object, .arg = e};
	store_add_hook(e->crds->api->store, collection, &e->hook);
}

/* ---- registration ---- */

static void
retire(struct crds *c, struct crd *crd)
{
	c->retired =
	    mem_grow(c->retired, c->retired_count, sizeof(struct crd *));
	c->retired[c->retired_count++] = crd;
	arm(c);
}

static void
entry_unregister(struct crd_entry *e)
{
	struct api *api = e->crds->api;

	if (e->crd == NULL)
		return;
	for (size_t i = 0; i < e->crd->version_count; i++) {
		struct resource *r = e->crd->versions[i].resource;

		if (e->crd->versions[i].served)
			resource_remove(api->registry, r);
		r->removed = true;
		watch_hub_end(api, r);
	}
	retire(e->crds, e->crd);
	e->crd = NULL;
	free(e->shape);
	e->shape = NULL;
}

/* Stored objects in the new storage version, pruned and with its defaults, as
 * the API server makes them when it reads them. Their versions stay. */
static void
bring_up_to_date(struct api *api, struct resource *r)
{
	struct arena key_arena = ARENA_INIT;
	struct span after = SPAN_NONE;
	struct stored *o;

	while ((o = store_next(r->collection, SPAN_NONE, after)) != NULL) {
		struct arena a = ARENA_INIT;
		struct node *object = convert_tree(&a, o);
		struct node *before = tree_copy(&a, object);

		arena_reset(&key_arena);
		after = arena_span(&key_arena, o->key);
		crd_refresh(&a, r, object);
		if (!tree_equal(before, object))
			store_amend(api->store, r->collection, object);
		arena_release(&a);
	}
	arena_release(&key_arena);
}

/* Whether a definition has changed for the modules that use it. */
static char *
shape_of(const struct node *definition)
{
	struct buf b = BUF_INIT;

	tree_write(&b, tree_path(definition, "metadata.uid"));
	tree_write(&b, tree_get(definition, "spec"));
	tree_write(&b, tree_path(definition, "status.acceptedNames"));
	return buf_take(&b);
}

static void
entry_register(struct crd_entry *e, const struct node *definition)
{
	struct api *api = e->crds->api;
	char *shape = shape_of(definition);
	struct crd *crd = NULL;
	struct err err = ERR_INIT;
	bool known = e->shape != NULL && strcmp(e->shape, shape) == 0;

	if (!known)
		crd = crd_make(definition, &kinds_custom, &err);
	if (crd == NULL) {
		if (!known)
			log_error("%s: %s", e->name, err.message);
		free(shape);
		return;
	}
	entry_unregister(e);
	e->crd = crd;
	e->shape = shape;
	for (size_t i = 0; i < crd->version_count; i++) {
		struct resource *r = crd->versions[i].resource;

		r->collection =
		    store_collection(api->store, crd->group, crd->plural);
		if (crd->versions[i].served)
			resource_add(api->registry, r);
		if (crd->versions[i].storage)
			bring_up_to_date(api, r);
	}
}

/* ---- status ---- */

static struct problem *
write_status(struct crds *c, struct arena *a, struct node *definition)
{
	struct rest_writer w = {c->api, a, span_str("kube-apiserver")};

	return rest_update(&w, c->resource, span_str("status"), definition);
}

static struct node *
read_definition(struct crds *c, struct arena *a, struct span name)
{
	struct stored *o = store_get(c->collection, SPAN_NONE, name);

	return o == NULL ? NULL : convert_tree(a, o);
}

static void
used_names(
    struct crds *c, struct arena *a, struct span group, struct used_names *used)
{
	struct stored *o;
	struct span after = SPAN_NONE;

	while ((o = store_next(c->collection, SPAN_NONE, after)) != NULL) {
		struct node *other = convert_tree(a, o);

		after = arena_span(a, o->key);
		if (span_eq(tree_path_text(other, "spec.group"), group))
			conditions_used_names(a, used, other);
	}
}

/* A name may have become free, or taken. */
static void
others_due(struct crd_entry *e)
{
	struct crds *c = e->crds;
	const char *dot = strchr(e->name, '.');
	struct crd_entry *other;

	for (size_t i = 0; (other = map_next(&c->entries, &i)) != NULL;) {
		const char *d = strchr(other->name, '.');

		if (other != e && d != NULL && dot != NULL &&
		    strcmp(d, dot) == 0)
			entry_due(other);
	}
}

/* True: the status was written, and definition is out of date. */
static bool
sync_names(struct crd_entry *e, struct arena *a, struct node *definition)
{
	struct used_names used = {0};

	if (tree_equal(tree_path(definition, "spec.names"),
		tree_path(definition, "status.acceptedNames")))
		return false;
	used_names(e->crds, a, tree_path_text(definition, "spec.group"), &used);
	if (!conditions_accept_names(
		a, definition, &used, objectmeta_time_now(a)))
		return false;
	if (write_status(e->crds, a, definition) == NULL)
		others_due(e);
	return true;
}

static bool
sync_established(struct crd_entry *e, struct arena *a, struct node *definition)
{
	if (!conditions_true(definition, "NamesAccepted") ||
	    conditions_true(definition, "Established"))
		return false;
	conditions_set(a, definition,
	    &(struct condition){"Established", "True", "InitialNamesAccepted",
		span_str("the initial names have been accepted")},
	    objectmeta_time_now(a));
	write_status(e->crds, a, definition);
	return true;
}

/* Sets the condition KubernetesAPIApprovalPolicyConformant. */
static bool
sync_approval(struct crd_entry *e, struct arena *a, struct node *definition)
{
	return conditions_set_approval(a, definition, objectmeta_time_now(a)) &&
	    write_status(e->crds, a, definition) == NULL;
}

/* ---- deletion ---- */

static void
delete_objects(struct crd_entry *e, struct resource *r)
{
	struct api *api = e->crds->api;
	struct arena keys = ARENA_INIT;
	struct span after = SPAN_NONE;
	struct stored *o;

	while ((o = store_next(r->collection, SPAN_NONE, after)) != NULL) {
		struct arena a = ARENA_INIT;
		struct rest_writer w = {api, &a, SPAN_NONE};
		struct delete_options options = {0};

		after = arena_span(&keys, o->key);
		rest_delete(&w, r, arena_span(&a, o->namespace_),
		    arena_span(&a, o->name), &options);
		arena_release(&a);
	}
	arena_release(&keys);
}

static void
forbid_creates(struct crd_entry *e)
{
	struct registry *g = e->crds->api->registry;

	for (size_t i = 0; i < e->crd->version_count; i++) {
		struct resource *r = e->crd->versions[i].resource;

		if (!e->crd->versions[i].served)
			continue;
		/* Discovery shows fewer verbs from now on; watches go on, so
		 * the resource does not count as removed. */
		resource_remove(g, r);
		r->removed = false;
		r->verbs &= ~(unsigned)(VERB_CREATE | VERB_UPDATE | VERB_PATCH);
		resource_add(g, r);
	}
}

static void
set_terminating(struct arena *a, struct node *definition, const char *status,
    const char *reason, const char *message)
{
	conditions_set(a, definition,
	    &(struct condition){
		"Terminating", status, reason, span_str(message)},
	    objectmeta_time_now(a));
}

static void
finish(struct crd_entry *e, struct arena *a, struct node *definition)
{
	controller_drop_text(
	    tree_path(definition, "metadata.finalizers"), finalizer);
	watch_objects(e, NULL);
	write_status(e->crds, a, definition);
}

static void
sync_deletion(struct crd_entry *e, struct arena *a, struct node *definition)
{
	struct resource *r;

	if (!conditions_true(definition, "Established")) {
		set_terminating(a, definition, "False", "NeverEstablished",
		    "resource was never established");
		finish(e, a, definition);
		return;
	}
	r = e->crd == NULL ? NULL : crd_storage(e->crd->versions[0].resource);
	if (!tree_text_is(
		tree_get(conditions_find(definition, "Terminating"), "reason"),
		"InstanceDeletionInProgress")) {
		set_terminating(a, definition, "True",
		    "InstanceDeletionInProgress",
		    "CustomResource deletion is in progress");
		if (write_status(e->crds, a, definition) != NULL)
			return;
		if (r != NULL) {
			forbid_creates(e);
			watch_objects(e, r->collection);
			delete_objects(e, r);
		}
		entry_due(e);
		return;
	}
	if (r != NULL && store_count(r->collection) > 0) {
		watch_objects(e, r->collection);
		return;
	}
	set_terminating(a, definition, "False", "InstanceDeletionCompleted",
	    "removed all instances");
	finish(e, a, definition);
}

static bool
is_ending(const struct node *definition)
{
	const struct node *all = tree_path(definition, "metadata.finalizers");

	if (tree_path(definition, "metadata.deletionTimestamp") == NULL)
		return false;
	for (size_t i = 0; tree_is(all, NODE_ARRAY) && i < all->n; i++)
		if (tree_text_is(all->items[i], finalizer))
			return true;
	return false;
}

/* ---- the queue ---- */

static void
entry_free(struct crd_entry *e)
{
	watch_objects(e, NULL);
	entry_unregister(e);
	map_del(&e->crds->entries, span_str(e->name));
	free(e->name);
	free(e);
}

static void
entry_sync(struct crd_entry *e)
{
	struct arena a = ARENA_INIT;
	struct node *d = read_definition(e->crds, &a, span_str(e->name));

	e->due = false;
	e->crds->due--;
	if (d == NULL) {
		others_due(e);
		entry_free(e);
	} else if (is_ending(d)) {
		if (conditions_true(d, "Established"))
			entry_register(e, d);
		sync_deletion(e, &a, d);
	} else if (!sync_names(e, &a, d) && !sync_established(e, &a, d) &&
	    !sync_approval(e, &a, d)) {
		if (conditions_true(d, "Established"))
			entry_register(e, d);
		else
			entry_unregister(e);
	}
	arena_release(&a);
}

static void
free_retired(struct crds *c)
{
	for (size_t i = 0; i < c->retired_count; i++)
		crd_unref(c->retired[i]);
	c->retired_count = 0;
}

void
crds_settle(struct crds *c)
{
	/* A definition takes a few rounds. If it takes more, two writers undo
	 * each other: the rest waits for the next turn. */
	for (int round = 0; c->due > 0 && round < 16; round++) {
		void **all = map_sorted(&c->entries);
		size_t n = c->entries.count;

		for (size_t i = 0; i < n; i++)
			if (((struct crd_entry *)all[i])->due)
				entry_sync(all[i]);
		free(all);
	}
	if (c->due > 0 || c->retired_count > 0)
		arm(c);
}

static void
crds_turn(void *arg)
{
	free_retired(arg);
	crds_settle(arg);
}

struct crds *
crds_new(struct api *api)
{
	struct crds *c = mem_zalloc(sizeof *c);

	c->api = api;
	c->resource = resource_find(api->registry, span_str(group_name),
	    span_str("v1"), span_str("customresourcedefinitions"));
	c->collection = store_collection(api->store, span_str(group_name),
	    span_str("customresourcedefinitions"));
	c->hook = (struct store_hook){.fn = on_definition, .arg = c};
	store_add_hook(api->store, c->collection, &c->hook);
	return c;
}

void
crds_free(struct crds *c)
{
	struct crd_entry *e;

	if (c == NULL)
		return;
	for (size_t i = 0; (e = map_next(&c->entries, &i)) != NULL; i = 0)
		entry_free(e);
	loop_cancel(c->api->loop, &c->timer);
	free_retired(c);
	free(c->retired);
	map_release(&c->entries);
	store_remove_hook(c->api->store, c->collection, &c->hook);
	free(c);
}
