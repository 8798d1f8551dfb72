#include "control/namespace.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/map.h"
#include "base/mem.h"
#include "control/namespace_content.h"
#include "json/json.h"
#include "process/clock.h"
#include "process/log.h"
#include "process/loop.h"
#include "rest/rest.h"
#include "store/store.h"
#include "type/objectmeta.h"
#include "write/convert.h"

enum {
	TURN_MS = 3,  /* how long one turn of the loop may work */
	AGAIN_MS = 10 /* from a change of what remains to another look */
};

static const char manager[] = "kube-controller-manager";

/* A namespace with work to do. */
struct namespace_work {
	struct namespace_work *next;
	bool queued;
	bool terminating;
	bool waits; /* content remained at the last look */
	/* How far the deletion of its content has come. */
	struct collection *at;
	struct span after; /* a copy of the key; owned */
	bool pods_done;
	size_t n;
	char name[];
};

struct namespaces {
	struct api *api;
	struct store_hook hook;
	struct timer timer;
	struct arena arena;
	bool controls;
	/* The resources that it creates and watches. */
	struct resource *namespaces, *pods, *services, *configmaps, *accounts;
	struct map works; /* by name */
	struct namespace_work *first, **last;
	size_t terminating;
};

static struct rest_writer
writer(struct namespaces *n, const char *name)
{
	return (struct rest_writer){n->api, &n->arena, span_str(name)};
}

static void
report(
    const struct namespace_work *w, const char *what, const struct problem *p)
{
	if (p != NULL && p->code != 404 && p->code != 409)
		log_warning("namespace %s: cannot %s: %.*s", w->name, what,
		    SPAN_ARG(p->message));
}

static void turn(void *arg);

static void
wake(struct namespaces *n, uint64_t ms)
{
	uint64_t due = clock_ms() + ms;

	if (n->first == NULL || n->api->loop == NULL)
		return;
	if (!loop_timer_armed(&n->timer) || n->timer.due_ms > due)
		loop_at(n->api->loop, &n->timer, due, turn, n);
}

static void
queue(struct namespaces *n, struct namespace_work *w)
{
	if (w->queued)
		return;
	w->queued = true;
	w->next = NULL;
	*n->last = w;
	n->last = &w->next;
}

static struct namespace_work *
find_work(struct namespaces *n, struct span name)
{
	return map_get(&n->works, name);
}

static struct namespace_work *
make_work(struct namespaces *n, struct span name)
{
	struct namespace_work *w = find_work(n, name);

	if (w != NULL)
		return w;
	w = mem_zalloc(sizeof(*w) + name.n + 1);
	memcpy(w->name, name.p, name.n);
	w->n = name.n;
	map_put(&n->works, span_make(w->name, w->n), w);
	return w;
}

static void
free_work(struct namespaces *n, struct namespace_work *w)
{
	map_del(&n->works, span_make(w->name, w->n));
	n->terminating -= w->terminating;
	free((char *)w->after.p);
	free(w);
}

/* The API's own Service. */
static void
make_service(struct namespaces *n)
{
	static const char service[] =
	    "{\"metadata\":{\"name\":\"kubernetes\",\"namespace\":\"default\","
	    "\"labels\":{\"component\":\"apiserver\","
	    "\"provider\":\"kubernetes\"}},\"spec\":{\"clusterIP\":"
	    "\"10.0.0.1\",\"clusterIPs\":[\"10.0.0.1\"],"
	    "\"ipFamilies\":[\"IPv4\"],\"ipFamilyPolicy\":\"SingleStack\","
	    "\"ports\":[{\"name\":\"https\",\"port\":443,\"protocol\":\"TCP\","
	    "\"targetPort\":6443}],\"sessionAffinity\":\"None\","
	    "\"type\":\"ClusterIP\"}}";
	struct rest_writer by = writer(n, "kube-apiserver");
	struct problem *p;

	if (store_get(n->services->collection, span_str("default"),
		span_str("kubernetes")) != NULL)
		return;
	p = rest_create(&by, n->services,
	    tree_parse(&n->arena, span_str(service), TREE_LIMITS, NULL, NULL),
	    NULL);
	if (p != NULL)
		log_error("cannot make service kubernetes: %.*s",
		    SPAN_ARG(p->message));
}

/* Creates what the controllers of a cluster put into each namespace. */
static void
furnish(struct namespaces *n, struct namespace_work *w)
{
	struct rest_writer by = writer(n, manager);
	struct arena *a = &n->arena;
	struct span name = span_make(w->name, w->n);
	struct node *o, *meta;

	if (span_is(name, "default"))
		make_service(n);
	if (store_get(n->configmaps->collection, name,
		span_str("kube-root-ca.crt")) == NULL) {
		o = tree_object(a);
		meta = tree_make(a, o, "metadata");
		tree_put(a, meta, "name", tree_str(a, "kube-root-ca.crt"));
		tree_put(a, meta, "namespace", tree_string(a, name));
		tree_put(a, tree_make(a, o, "data"), "ca.crt", tree_str(a, ""));
		report(w, "make kube-root-ca.crt",
		    rest_create(&by, n->configmaps, o, NULL));
	}
	if (store_get(n->accounts->collection, name, span_str("default")) ==
	    NULL) {
		o = tree_object(a);
		meta = tree_make(a, o, "metadata");
		tree_put(a, meta, "name", tree_str(a, "default"));
		tree_put(a, meta, "namespace", tree_string(a, name));
		report(w, "make its service account",
		    rest_create(&by, n->accounts, o, NULL));
	}
}

/* The resource by which objects of c are deleted; NULL: they cannot be
 * deleted. */
static struct resource *
deletable(struct namespaces *n, struct collection *c)
{
	struct resource *r = resource_kept_in(n->api->registry, c);

	return r != NULL && r->namespaced && (r->verbs & VERB_DELETE) ? r
								      : NULL;
}

static bool
being_deleted(const struct stored *o)
{
	return json_type(json_path(text_span(o->json),
		   "metadata.deletionTimestamp")) == JSON_STRING;
}

static void
remember(struct namespace_work *w, struct span key)
{
	free((char *)w->after.p);
	w->after = SPAN_NONE;
	if (key.p != NULL)
		w->after = span_make(mem_dup(key.p, key.n), key.n);
}

/* Deletes what w has in w->at, behind w->after. false: time is up. */
static bool
delete_some(struct namespaces *n, struct namespace_work *w, uint64_t end)
{
	struct resource *r = deletable(n, w->at);
	struct rest_writer by = writer(n, manager);
	struct delete_options options = {.policy = span_str("Background")};
	struct span in = span_make(w->name, w->n);
	struct stored *o;

	while (r != NULL && (o = store_next(w->at, in, w->after)) != NULL) {
		remember(w, o->key);
		if (being_deleted(o))
			continue;
		store_ref(o);
		report(w, "delete what is in it",
		    rest_delete(&by, r, o->namespace_, o->name, &options));
		store_unref(o);
		if (clock_ms() >= end)
			return false;
	}
	remember(w, SPAN_NONE);
	return true;
}

/* Deletes the Pods first, then everything else. false: time is up. */
static bool
delete_content(struct namespaces *n, struct namespace_work *w, uint64_t end)
{
	struct store *s = n->api->store;

	if (!w->pods_done) {
		w->at = n->pods->collection;
		if (!delete_some(n, w, end))
			return false;
		w->pods_done = true;
		w->at = NULL;
		if (store_next(n->pods->collection, span_make(w->name, w->n),
			SPAN_NONE) != NULL)
			return true;
	}
	if (w->at == NULL)
		w->at = store_next_collection(s, NULL);
	while (w->at != NULL) {
		if (w->at != n->pods->collection && !delete_some(n, w, end))
			return false;
		w->at = store_next_collection(s, w->at);
	}
	return true;
}

static void
set_conditions(struct namespaces *n, struct namespace_work *w,
    const struct namespace_content *content, bool pods_only)
{
	struct stored *o = store_get(n->namespaces->collection,
	    span_make("", 0), span_make(w->name, w->n));
	struct rest_writer by = writer(n, manager);
	struct node *object;

	if (o == NULL)
		return;
	object = convert_tree(&n->arena, o);
	if (namespace_content_set_conditions(
		content, pods_only, object, objectmeta_time_now(&n->arena)))
		report(w, "set its conditions",
		    rest_update(
			&by, n->namespaces, span_str("status"), object));
}

/* Removes the finalizer "kubernetes", which deletes the namespace. */
static void
finalize(struct namespaces *n, struct namespace_work *w)
{
	struct stored *o = store_get(n->namespaces->collection,
	    span_make("", 0), span_make(w->name, w->n));
	struct rest_writer by = writer(n, manager);
	struct node *object, *all;

	if (o == NULL)
		return;
	object = convert_tree(&n->arena, o);
	all = tree_path(object, "spec.finalizers");
	for (uint32_t i = 0; i < tree_count(all);)
		if (tree_text_is(all->items[i], "kubernetes"))
			tree_remove_at(all, i);
		else
			i++;
	report(w, "finalize it",
	    rest_update(&by, n->namespaces, span_str("finalize"), object));
}

/* Everything that can be deleted was deleted: looks at what remains. */
static void
look_back(struct namespaces *n, struct namespace_work *w)
{
	struct namespace_content content = {.arena = &n->arena};
	struct span name = span_make(w->name, w->n);
	struct collection *c = NULL;
	bool pods_only;

	w->pods_done = false;
	w->at = NULL;
	namespace_content_add(&content, n->pods, name);
	pods_only = content.total > 0;
	while (!pods_only &&
	    (c = store_next_collection(n->api->store, c)) != NULL) {
		struct resource *of = deletable(n, c);

		if (of != NULL && c != n->pods->collection)
			namespace_content_add(&content, of, name);
	}
	w->waits = content.total > 0;
	set_conditions(n, w, &content, pods_only);
	if (!w->waits)
		finalize(n, w);
}

/* false: the work goes on in the next turn. */
static bool
work_on(struct namespaces *n, struct namespace_work *w, uint64_t end)
{
	struct span name = span_make(w->name, w->n);
	struct stored *o =
	    store_get(n->namespaces->collection, span_make("", 0), name);
	struct node *finalizers;

	if (o == NULL)
		return true;
	if (!w->terminating) {
		furnish(n, w);
		return true;
	}
	finalizers = tree_path(convert_tree(&n->arena, o), "spec.finalizers");
	if (tree_count(finalizers) == 0)
		return true;
	if (!delete_content(n, w, end))
		return false;
	look_back(n, w);
	return true;
}

static bool
step(struct namespaces *n, uint64_t end)
{
	struct namespace_work *w = n->first;
	struct span name;
	bool done;

	if (w == NULL)
		return false;
	n->first = w->next;
	if (n->first == NULL)
		n->last = &n->first;
	w->queued = false;
	done = work_on(n, w, end);
	name = span_make(w->name, w->n);
	if (!done)
		queue(n, w);
	else if (!w->queued &&
	    (!w->terminating ||
		store_get(n->namespaces->collection, span_make("", 0), name) ==
		    NULL))
		free_work(n, w);
	arena_reset(&n->arena);
	return true;
}

static void
turn(void *arg)
{
	struct namespaces *n = arg;
	uint64_t end = clock_ms() + TURN_MS;

	while (step(n, end))
		if (clock_ms() >= end)
			break;
	wake(n, 0);
}

/* The namespace is gone. The next step frees w, unless a new namespace has the
 * name by then. */
static void
end_termination(struct namespaces *n, struct namespace_work *w)
{
	n->terminating -= w->terminating;
	w->terminating = w->waits = w->pods_done = false;
	w->at = NULL;
	remember(w, SPAN_NONE);
	queue(n, w);
}

static void
see_namespace(struct namespaces *n, const struct store_change *change)
{
	struct stored *o = change->now;
	struct namespace_work *w = find_work(n, o->name);

	if (change->type == CHANGE_DELETED) {
		if (w != NULL)
			end_termination(n, w);
		return;
	}
	if (being_deleted(o)) {
		w = make_work(n, o->name);
		/* A change of its conditions while it ends: no new work. */
		if (w->terminating)
			return;
		w->terminating = true;
		n->terminating++;
		queue(n, w);
	} else if (change->type == CHANGE_ADDED) {
		queue(n, make_work(n, o->name));
	}
}

/* An object in a namespace has changed. */
static uint64_t
see_content(struct namespaces *n, struct collection *c,
    const struct store_change *change)
{
	struct namespace_work *w = find_work(n, change->now->namespace_);

	if (w != NULL && w->terminating) {
		queue(n, w);
		return w->waits ? AGAIN_MS : 0;
	}
	/* The standard objects of a namespace are created again. */
	if (change->type == CHANGE_DELETED &&
	    ((c == n->configmaps->collection &&
		 span_is(change->now->name, "kube-root-ca.crt")) ||
		(c == n->accounts->collection &&
		    span_is(change->now->name, "default")) ||
		(c == n->services->collection &&
		    span_is(change->now->key, "default/kubernetes"))))
		queue(n, make_work(n, change->now->namespace_));
	return 0;
}

static void
see(void *arg, struct collection *c, const struct store_change *change)
{
	struct namespaces *n = arg;
	uint64_t ms = 0;

	if (c == n->namespaces->collection)
		see_namespace(n, change);
	else if (change->now->namespace_.n > 0 &&
	    (n->terminating > 0 || change->type == CHANGE_DELETED))
		ms = see_content(n, c, change);
	wake(n, ms);
}

struct namespaces *
namespaces_new(struct api *api, bool controls)
{
	struct namespaces *n = mem_zalloc(sizeof(*n));

	n->api = api;
	n->last = &n->first;
	n->namespaces = resource_core(api->registry, "namespaces");
	n->pods = resource_core(api->registry, "pods");
	n->services = resource_core(api->registry, "services");
	n->configmaps = resource_core(api->registry, "configmaps");
	n->accounts = resource_core(api->registry, "serviceaccounts");
	n->hook.fn = see;
	n->hook.arg = n;
	n->controls = controls;
	if (controls)
		store_add_hook(api->store, NULL, &n->hook);
	return n;
}

void
namespaces_free(struct namespaces *n)
{
	struct namespace_work *w;

	if (n == NULL)
		return;
	if (loop_timer_armed(&n->timer))
		loop_cancel(n->api->loop, &n->timer);
	if (n->controls)
		store_remove_hook(n->api->store, NULL, &n->hook);
	for (size_t i = 0; (w = map_next(&n->works, &i)) != NULL;) {
		free((char *)w->after.p);
		free(w);
	}
	map_release(&n->works);
	arena_release(&n->arena);
	free(n);
}

static void
make_namespace(struct namespaces *n, const char *name)
{
	struct rest_writer by = writer(n, "kube-apiserver");
	struct node *o = tree_object(&n->arena);
	struct problem *p;

	if (store_get(n->namespaces->collection, span_make("", 0),
		span_str(name)) != NULL)
		return;
	tree_put(&n->arena, tree_make(&n->arena, o, "metadata"), "name",
	    tree_str(&n->arena, name));
	p = rest_create(&by, n->namespaces, o, NULL);
	if (p != NULL)
		log_error("cannot make namespace %s: %.*s", name,
		    SPAN_ARG(p->message));
}

/* Works until nothing is queued, without the loop. */
static void
drain(struct namespaces *n)
{
	while (step(n, UINT64_MAX))
		;
	if (loop_timer_armed(&n->timer))
		loop_cancel(n->api->loop, &n->timer);
}

/* The range of addresses of Services, as the controllers of a cluster leave
 * it. */
static void
make_range(struct namespaces *n)
{
	static const char range[] =
	    "{\"metadata\":{\"name\":\"kubernetes\",\"finalizers\":["
	    "\"networking.k8s.io/service-cidr-finalizer\"]},"
	    "\"spec\":{\"cidrs\":[\"10.0.0.0/16\"]},\"status\":{"
	    "\"conditions\":[{\"type\":\"Ready\",\"status\":\"True\","
	    "\"reason\":\"\",\"message\":"
	    "\"Kubernetes Service CIDR is ready\"}]}}";
	struct rest_writer by = {n->api, &n->arena, SPAN_NONE};
	struct resource *r =
	    resource_find(n->api->registry, span_str("networking.k8s.io"),
		span_str("v1"), span_str("servicecidrs"));
	struct problem *p;
	struct node *o, *all;

	if (store_get(r->collection, SPAN_NONE, span_str("kubernetes")) != NULL)
		return;
	o = tree_parse(&n->arena, span_str(range), TREE_LIMITS, NULL, NULL);
	all = tree_path(o, "status.conditions");
	tree_put(&n->arena, all->items[0], "lastTransitionTime",
	    tree_string(&n->arena, objectmeta_time_now(&n->arena)));
	p = rest_put_as_is(&by, r, o);
	if (p != NULL)
		log_error("cannot make service CIDR kubernetes: %.*s",
		    SPAN_ARG(p->message));
}

static void
make_priority(struct namespaces *n, const char *name, int64_t value,
    const char *description)
{
	struct rest_writer by = writer(n, "kube-apiserver");
	struct arena *a = &n->arena;
	struct resource *r =
	    resource_find(n->api->registry, span_str("scheduling.k8s.io"),
		span_str("v1"), span_str("priorityclasses"));
	struct node *o = tree_object(a);
	struct problem *p;

	if (store_get(r->collection, SPAN_NONE, span_str(name)) != NULL)
		return;
	tree_put(a, tree_make(a, o, "metadata"), "name", tree_str(a, name));
	tree_put(a, o, "value", tree_int(a, value));
	tree_put(a, o, "description", tree_str(a, description));
	p = rest_create(&by, r, o, NULL);
	if (p != NULL)
		log_error("cannot make priority class %s: %.*s", name,
		    SPAN_ARG(p->message));
}

void
namespaces_start(struct namespaces *n)
{
	static const char *const standard[] = {
	    "kube-system", "kube-public", "kube-node-lease", "default"};

	for (size_t i = 0; i < COUNT(standard); i++)
		make_namespace(n, standard[i]);
	make_range(n);
	make_priority(n, "system-node-critical", 2000001000,
	    "Pods that their node cannot do without.");
	make_priority(n, "system-cluster-critical", 2000000000,
	    "Pods that the cluster cannot do without.");
	/* kube-apiserver makes it, the rest is for kube-controller-manager. */
	make_service(n);
	if (n->controls) /* a file may have "default" without its objects */
		queue(n, make_work(n, span_str("default")));
	arena_reset(&n->arena);
	/* No client is served yet: the first one finds everything. */
	drain(n);
}
