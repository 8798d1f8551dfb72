#include "control/gc.h"

#include <stdlib.h>

#include "base/mem.h"
#include "control/controller.h"
#include "control/gc_graph.h"
#include "json/json.h"
#include "process/clock.h"
#include "process/log.h"
#include "process/loop.h"
#include "type/strategy.h"
#include "value/objref.h"
#include "write/convert.h"

/* How long one turn of the loop may work. */
enum { TURN_MS = 3 };

static const char foreground[] = "foregroundDeletion";
static const char orphan[] = "orphan";

struct gc {
	struct api *api;
	struct gc_graph graph;
	struct store_hook hook;
	struct timer timer;
	struct arena arena; /* for one piece of work */
	struct gc_node **parked;
	size_t parked_count;
};

/* The parts of an object that the collector needs. */
struct traces {
	struct span references; /* raw array, or none */
	bool deleted;		/* has a deletionTimestamp */
	bool foreground, orphan;
};

static struct traces
traces_of(const struct stored *o)
{
	struct traces t = {SPAN_NONE, false, false, false};
	struct json_members m;

	if (o == NULL)
		return t;
	m = json_members(json_get(text_span(o->json), "metadata"));
	while (json_member(&m)) {
		if (span_is(m.key, "ownerReferences")) {
			t.references = m.value;
		} else if (span_is(m.key, "deletionTimestamp")) {
			t.deleted = json_type(m.value) == JSON_STRING;
		} else if (span_is(m.key, "finalizers")) {
			struct json_elements e = json_elements(m.value);

			while (json_element(&e)) {
				t.foreground |= json_is(e.value, foreground);
				t.orphan |= json_is(e.value, orphan);
			}
		}
	}
	return t;
}

static struct resource *
find_kind(struct gc *g, struct span api_version, struct span kind)
{
	struct span group, version;

	objref_split(api_version, &group, &version);
	if (version.n == 0)
		return NULL;
	return resource_find_kind(g->api->registry, group, version, kind);
}

enum standing {
	SOLID,
	DANGLING, /* the owner is not there */
	WAITING,  /* the owner is deleted in the foreground */
	UNKNOWN,  /* the owner's kind is not served: not known */
	INVALID	  /* the owner is in a namespace, the object is not */
};

/* Where an owner reference of an object leads. */
static enum standing
standing_of(struct gc *g, const struct stored *o, struct span reference)
{
	struct buf text = BUF_INIT;
	struct span uid = json_string(json_get(reference, "uid"), &text);
	struct gc_node *owner = gc_find(&g->graph, uid);
	struct span api_version =
	    json_string(json_get(reference, "apiVersion"), &text);
	struct span kind = json_string(json_get(reference, "kind"), &text);
	struct span name = json_string(json_get(reference, "name"), &text);
	enum standing s = DANGLING;
	struct resource *r;
	struct stored *there;
	struct traces t;

	if (owner != NULL && owner->gone)
		goto out;
	if (owner != NULL && owner->trusted) {
		s = SOLID;
		goto out;
	}
	r = find_kind(g, api_version, kind);
	if (r == NULL || r->collection == NULL) {
		s = UNKNOWN;
		goto out;
	}
	if (r->namespaced && o->namespace_.n == 0) {
		s = INVALID;
		goto out;
	}
	there = store_get(r->collection,
	    r->namespaced ? o->namespace_ : span_make("", 0), name);
	if (there == NULL || !span_eq(there->uid, uid))
		goto out;
	t = traces_of(there);
	s = t.deleted && t.foreground ? WAITING : SOLID;
out:
	buf_release(&text);
	return s;
}

/* How many references lead where. */
struct standings {
	size_t n[INVALID + 1];
};

static struct standings
standings_of(struct gc *g, const struct stored *o, struct span references)
{
	struct standings s = {{0}};
	struct json_elements e = json_elements(references);

	while (json_element(&e))
		s.n[standing_of(g, o, e.value)]++;
	return s;
}

static struct rest_writer
writer(struct gc *g)
{
	return (struct rest_writer){
	    g->api, &g->arena, span_str("kube-controller-manager")};
}

static void
report(const struct gc_node *n, const char *what, const struct problem *p)
{
	if (p == NULL || p->code == 404 || p->code == 409)
		return;
	log_warning("cannot %s %.*s %.*s: %.*s", what,
	    SPAN_ARG(store_collection_plural(n->collection)),
	    SPAN_ARG(n->object->key), SPAN_ARG(p->message));
}

static void
update(struct gc *g, struct gc_node *n, struct node *object, const char *what)
{
	struct rest_writer w = writer(g);
	struct resource *r = resource_kept_in(g->api->registry, n->collection);

	if (r != NULL)
		report(n, what, rest_update(&w, r, span_make("", 0), object));
}

static void
remove_finalizer(struct gc *g, struct gc_node *n, const char *finalizer)
{
	struct node *object = convert_tree(&g->arena, n->object);

	controller_drop_text(
	    tree_path(object, "metadata.finalizers"), finalizer);
	update(g, n, object, "remove a finalizer of");
}

static void
delete_node(struct gc *g, struct gc_node *n, const char *policy)
{
	struct rest_writer w = writer(g);
	struct resource *r = resource_kept_in(g->api->registry, n->collection);
	struct delete_options options = {
	    .policy = span_str(policy), .uid = span_make(n->uid, n->uid_n)};
	/* The name and the namespace are in the object, which the deletion may
	 * free. */
	struct stored *o = store_ref(n->object);

	if (r != NULL)
		report(n, "collect",
		    rest_delete(&w, r, o->namespace_, o->name, &options));
	store_unref(o);
}

/* Drops the references to owners that are gone, or that are deleted in the
 * foreground. */
static void
drop_references(struct gc *g, struct gc_node *n)
{
	struct node *object = convert_tree(&g->arena, n->object);
	struct node *all = tree_path(object, "metadata.ownerReferences");
	struct span raw = traces_of(n->object).references;
	struct json_elements e = json_elements(raw);
	struct node *left = tree_array(&g->arena);

	for (uint32_t i = 0; i < tree_count(all) && json_element(&e); i++) {
		enum standing s = standing_of(g, n->object, e.value);

		if (s != DANGLING && s != WAITING)
			tree_append(&g->arena, left, all->items[i]);
	}
	tree_put(
	    &g->arena, tree_get(object, "metadata"), "ownerReferences", left);
	update(g, n, object, "drop owners of");
}

/* blockOwnerDeletion false everywhere: a circle of owners that all wait for
 * each other could not end. */
static void
unblock_references(struct gc *g, struct gc_node *n)
{
	struct node *object = convert_tree(&g->arena, n->object);
	struct node *all = tree_path(object, "metadata.ownerReferences");

	for (uint32_t i = 0; i < tree_count(all); i++)
		if (tree_true(tree_get(all->items[i], "blockOwnerDeletion")))
			tree_put(&g->arena, all->items[i], "blockOwnerDeletion",
			    tree_bool(&g->arena, false));
	update(g, n, object, "unblock the owners of");
}

static bool
circle(const struct gc_node *n)
{
	for (size_t i = 0; i < n->dependent_count; i++)
		if (n->dependents[i]->dependent->waiting)
			return true;
	return false;
}

/* An object that is not being deleted: deletes it if it has no owner left. */
static void
judge(struct gc *g, struct gc_node *n, const struct traces *t)
{
	struct standings s = standings_of(g, n->object, t->references);

	if (s.n[UNKNOWN] > 0) {
		if (n->parked)
			return;
		n->parked = true;
		g->parked =
		    mem_grow(g->parked, g->parked_count, sizeof(*g->parked));
		g->parked[g->parked_count++] = n;
		return;
	}
	if (s.n[INVALID] > 0 || s.n[SOLID] + s.n[DANGLING] + s.n[WAITING] == 0)
		return;
	if (s.n[SOLID] > 0) {
		if (s.n[DANGLING] + s.n[WAITING] > 0)
			drop_references(g, n);
	} else if (s.n[WAITING] > 0 && n->dependent_count > 0) {
		if (circle(n))
			unblock_references(g, n);
		if (n->object != NULL)
			delete_node(g, n, "Foreground");
	} else {
		delete_node(g, n,
		    t->orphan		? "Orphan"
			: t->foreground ? "Foreground"
					: "Background");
	}
}

/* Takes one dependent from an owner that is deleted with "orphan". */
static void
orphan_one(struct gc *g, struct gc_node *owner)
{
	struct gc_link *l = owner->dependents[owner->dependent_count - 1];
	struct gc_node *n = l->dependent;
	size_t before = owner->dependent_count;
	struct node *object, *all;

	if (n->object != NULL) {
		object = convert_tree(&g->arena, n->object);
		all = tree_path(object, "metadata.ownerReferences");
		for (uint32_t i = 0; i < tree_count(all);)
			if (span_eq(tree_path_text(all->items[i], "uid"),
				span_make(owner->uid, owner->uid_n)))
				tree_remove_at(all, i);
			else
				i++;
		n->busy++;
		update(g, n, object, "orphan");
		n->busy--;
	}
	/* A write that was refused does not hold up the others. */
	if (owner->dependent_count == before)
		gc_unlink(&g->graph, l);
	gc_settle(&g->graph, n);
}

static void
work_on(struct gc *g, struct gc_node *n)
{
	struct traces t = traces_of(n->object);

	if (n->object == NULL)
		return;
	if (t.deleted && t.orphan) {
		n->orphaning = true;
		if (n->dependent_count > 0)
			orphan_one(g, n);
		if (n->dependent_count > 0)
			gc_queue(&g->graph, n);
		else
			remove_finalizer(g, n, orphan);
	} else if (t.deleted && t.foreground) {
		if (n->blocking == 0)
			remove_finalizer(g, n, foreground);
	} else if (!t.deleted) {
		judge(g, n, &t);
	}
}

static bool
step(struct gc *g)
{
	struct gc_node *n = gc_dequeue(&g->graph);

	if (n == NULL)
		return false;
	n->busy++;
	work_on(g, n);
	n->busy--;
	gc_settle(&g->graph, n);
	arena_reset(&g->arena);
	return true;
}

static void
turn(void *arg)
{
	struct gc *g = arg;
	uint64_t end = clock_ms() + TURN_MS;

	while (step(g))
		if (clock_ms() >= end) {
			loop_after(g->api->loop, &g->timer, 0, turn, g);
			return;
		}
}

static void
wake(struct gc *g)
{
	if (g->graph.queued > 0 && !loop_timer_armed(&g->timer) &&
	    g->api->loop != NULL)
		loop_after(g->api->loop, &g->timer, 0, turn, g);
}

static void
queue_dependents(struct gc *g, struct gc_node *n)
{
	for (size_t i = 0; i < n->dependent_count; i++)
		gc_queue(&g->graph, n->dependents[i]->dependent);
}

static void
unpark(struct gc *g)
{
	for (size_t i = 0; i < g->parked_count; i++) {
		g->parked[i]->parked = false;
		gc_queue(&g->graph, g->parked[i]);
	}
	g->parked_count = 0;
}

/* An object was written. */
static void
see_object(struct gc *g, struct collection *c, struct stored *now,
    const struct stored *before)
{
	struct traces t = traces_of(now), old = traces_of(before);
	struct gc_node *n = gc_find(&g->graph, now->uid);
	bool ends = t.deleted && (t.foreground || t.orphan);
	struct standings s;

	if (n == NULL && t.references.p == NULL && !ends)
		return;
	n = gc_node(&g->graph, now->uid);
	n->busy++;
	store_ref(now);
	store_unref(n->object);
	n->object = now;
	n->collection = c;
	n->gone = false;
	if (n->trusted)
		queue_dependents(g, n);
	n->trusted = false;
	if (before == NULL || !span_eq(t.references, old.references))
		gc_relink(&g->graph, n, t.references);
	if (t.deleted && t.foreground && !n->waiting)
		queue_dependents(g, n);
	n->waiting = t.deleted && t.foreground;
	if (ends && (t.orphan || n->blocking == 0))
		gc_queue(&g->graph, n);
	if (!t.deleted && n->owner_count > 0) {
		s = standings_of(g, now, t.references);
		if (s.n[DANGLING] + s.n[WAITING] + s.n[UNKNOWN] > 0)
			gc_queue(&g->graph, n);
	}
	n->busy--;
	gc_settle(&g->graph, n);
}

static void
see_deletion(struct gc *g, struct collection *c, const struct stored *last)
{
	struct gc_node *n = gc_find(&g->graph, last->uid);

	if (n == NULL)
		return;
	/* Another object of the same uid, from two files. */
	if (n->object != NULL &&
	    (n->collection != c || !span_eq(n->object->key, last->key)))
		return;
	store_unref(n->object);
	n->object = NULL;
	n->gone = true;
	n->waiting = n->orphaning = false;
	n->busy++;
	gc_relink(&g->graph, n, SPAN_NONE);
	queue_dependents(g, n);
	n->busy--;
	gc_settle(&g->graph, n);
}

static void
see(void *arg, struct collection *c, const struct store_change *change)
{
	struct gc *g = arg;
	const struct resource *r = resource_kept_in(g->api->registry, c);

	if (change->now->uid.n == 0 ||
	    (r != NULL && (r->strategy->traits & TRAIT_NO_COLLECTION)))
		return;
	if (r != NULL && r->strategy->deletion == DELETION_DEFINITION)
		unpark(g);
	if (change->type == CHANGE_DELETED)
		see_deletion(g, c, change->now);
	else
		see_object(g, c, change->now, change->before);
	wake(g);
}

static void
see_all(struct gc *g)
{
	struct collection *c = NULL;

	while ((c = store_next_collection(g->api->store, c)) != NULL) {
		struct stored *o;
		struct span after = SPAN_NONE;

		while ((o = store_next(c, SPAN_NONE, after)) != NULL) {
			struct store_change change = {.type = CHANGE_ADDED,
			    .version = o->version,
			    .now = o};

			see(g, c, &change);
			after = o->key;
		}
	}
}

struct gc *
gc_new(struct api *api)
{
	struct gc *g = mem_zalloc(sizeof(*g));

	g->api = api;
	gc_graph_init(&g->graph);
	g->hook.fn = see;
	g->hook.arg = g;
	see_all(g);
	store_add_hook(api->store, NULL, &g->hook);
	return g;
}

void
gc_free(struct gc *g)
{
	if (g == NULL)
		return;
	if (loop_timer_armed(&g->timer))
		loop_cancel(g->api->loop, &g->timer);
	store_remove_hook(g->api->store, NULL, &g->hook);
	gc_graph_release(&g->graph);
	arena_release(&g->arena);
	free(g->parked);
	free(g);
}

void
gc_set_loading(struct gc *g, bool loading)
{
	g->graph.loading = loading;
}

void
gc_drain(struct gc *g)
{
	while (step(g))
		;
}
