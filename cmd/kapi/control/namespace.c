#include "control/namespace.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/map.h"
#include "base/mem.h"
#include "control/controller.h"
#include "crd/conditions.h"
#include "json/json.h"
#include "process/clock.h"
#include "process/log.h"
#include "process/loop.h"
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

/* Creates the object of this JSON, unless it is there; in the namespace w if
 * that is not NULL. */
static struct problem *
make(struct namespaces *n, const struct namespace_work *w, const char *by,
    struct resource *r, const char *json)
{
	struct rest_writer writes = writer(n, by);
	struct node *object =
	    tree_parse(&n->arena, span_str(json), TREE_LIMITS, NULL, NULL);

	if (w != NULL)
		tree_put(&n->arena, tree_get(object, "metadata"), "namespace",
		    tree_str(&n->arena, w->name));
	return controller_ensure(&writes, r, object);
}

/* Objects that kube-apiserver makes. */
static const struct standard {
	const char *group, *plural, *said, *json;
} standard[] = {
    {"", "namespaces", "namespace kube-system",
	"{\"metadata\":{\"name\":\"kube-system\"}}"},
    {"", "namespaces", "namespace kube-public",
	"{\"metadata\":{\"name\":\"kube-public\"}}"},
    {"", "namespaces", "namespace kube-node-lease",
	"{\"metadata\":{\"name\":\"kube-node-lease\"}}"},
    {"", "namespaces", "namespace default",
	"{\"metadata\":{\"name\":\"default\"}}"},
    {"scheduling.k8s.io", "priorityclasses",
	"priority class system-node-critical",
	"{\"metadata\":{\"name\":\"system-node-critical\"},"
	"\"value\":2000001000,\"description\":"
	"\"Pods that their node cannot do without.\"}"},
    {"scheduling.k8s.io", "priorityclasses",
	"priority class system-cluster-critical",
	"{\"metadata\":{\"name\":\"system-cluster-critical\"},"
	"\"value\":2000000000,\"description\":"
	"\"Pods that the cluster cannot do without.\"}"},
    {"", "services", "service kubernetes",
	"{\"metadata\":{\"name\":\"kubernetes\",\"namespace\":\"default\","
	"\"labels\":{\"component\":\"apiserver\","
	"\"provider\":\"kubernetes\"}},\"spec\":{\"clusterIP\":"
	"\"10.0.0.1\",\"clusterIPs\":[\"10.0.0.1\"],"
	"\"ipFamilies\":[\"IPv4\"],\"ipFamilyPolicy\":\"SingleStack\","
	"\"ports\":[{\"name\":\"https\",\"port\":443,\"protocol\":\"TCP\","
	"\"targetPort\":6443}],\"sessionAffinity\":\"None\","
	"\"type\":\"ClusterIP\"}}"},
};
enum { NAMESPACES = 4, SERVICE = COUNT(standard) - 1 };

static void
make_standard(struct namespaces *n, const struct standard *s)
{
	struct problem *p = make(n, NULL, "kube-apiserver",
	    resource_storage(
		n->api->registry, span_str(s->group), span_str(s->plural)),
	    s->json);

	if (p != NULL)
		log_error(
		    "cannot make %s: %.*s", s->said, SPAN_ARG(p->message));
}

/* Creates what the controllers of a cluster put into each namespace. */
static void
furnish(struct namespaces *n, struct namespace_work *w)
{
	if (strcmp(w->name, "default") == 0)
		make_standard(n, &standard[SERVICE]);
	report(w, "make kube-root-ca.crt",
	    make(n, w, manager, n->configmaps,
		"{\"metadata\":{\"name\":\"kube-root-ca.crt\"},"
		"\"data\":{\"ca.crt\":\"\"}}"));
	report(w, "make its service account",
	    make(n, w, manager, n->accounts,
		"{\"metadata\":{\"name\":\"default\"}}"));
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

/* ---- what a namespace that is being deleted still holds, and what its
 * conditions say of it ---- */

struct namespace_tally {
	struct span name; /* a resource or a finalizer */
	size_t count;
};

struct namespace_content {
	struct arena *arena; /* borrowed */
	struct namespace_tally *resources, *finalizers;
	size_t resource_count, finalizer_count;
	size_t total;
};

/* The conditions in the controller's order, as they are when all is well. */
static const struct {
	const char *type, *reason, *message;
} fine[] = {
    {"NamespaceDeletionDiscoveryFailure", "ResourcesDiscovered",
	"All resources successfully discovered"},
    {"NamespaceDeletionGroupVersionParsingFailure", "ParsedGroupVersions",
	"All legacy kube types successfully parsed"},
    {"NamespaceDeletionContentFailure", "ContentDeleted",
	"All content successfully deleted, may be waiting on finalization"},
    {"NamespaceContentRemaining", "ContentRemoved",
	"All content successfully removed"},
    {"NamespaceFinalizersRemaining", "ContentHasNoFinalizers",
	"All content-preserving finalizers finished"},
};
enum { REMAINING = 3, FINALIZERS = 4, CONDITIONS = 5 };

static void
count(
    struct arena *a, struct namespace_tally **all, size_t *n, struct span name)
{
	for (size_t i = 0; i < *n; i++)
		if (span_eq((*all)[i].name, name)) {
			(*all)[i].count++;
			return;
		}
	*all = arena_more(a, *all, *n, sizeof(**all));
	(*all)[(*n)++] = (struct namespace_tally){arena_span(a, name), 1};
}

static void
add_content(struct namespace_content *c, const struct resource *r,
    struct span namespace_)
{
	size_t remaining = 0;
	struct span after = SPAN_NONE;
	struct stored *o;
	struct span name;

	while ((o = store_next(r->collection, namespace_, after)) != NULL) {
		struct json_elements e = json_elements(
		    json_path(text_span(o->json), "metadata.finalizers"));

		while (json_element(&e)) {
			struct buf text = BUF_INIT;

			count(c->arena, &c->finalizers, &c->finalizer_count,
			    json_string(e.value, &text));
			buf_release(&text);
		}
		remaining++;
		after = o->key;
	}
	if (remaining == 0)
		return;
	c->total += remaining;
	name = arena_printf(
	    c->arena, "%.*s.%.*s", SPAN_ARG(r->plural), SPAN_ARG(r->group));
	c->resources = arena_grow(c->arena, c->resources, c->resource_count,
	    c->resource_count + 1, sizeof(*c->resources));
	c->resources[c->resource_count++] =
	    (struct namespace_tally){name, remaining};
}

static int
compare_tally(const void *x, const void *y)
{
	const struct namespace_tally *p = x, *q = y;

	return span_cmp(p->name, q->name);
}

static struct span
list(struct arena *a, struct namespace_tally *all, size_t n, const char *prefix,
    const char *verb)
{
	struct buf b = BUF_INIT;
	struct span text;

	qsort(all, n, sizeof(*all), compare_tally);
	buf_adds(&b, prefix);
	for (size_t i = 0; i < n; i++)
		buf_addf(&b, "%s%.*s %s %zu resource instances",
		    i > 0 ? ", " : "", SPAN_ARG(all[i].name), verb,
		    all[i].count);
	text = arena_span(a, buf_span(&b));
	buf_release(&b);
	return text;
}

/* Sets status.conditions. pods_only: only Pods were looked at, and some are
 * there. Whether anything changed. */
static bool
say_content(const struct namespace_content *c, bool pods_only,
    struct node *namespace_, struct span now)
{
	struct arena *a = c->arena;
	struct node *before = tree_path(namespace_, "status.conditions");

	if (before != NULL)
		before = tree_copy(a, before);
	for (size_t i = 0; i < CONDITIONS; i++) {
		struct condition one = {fine[i].type, "False", fine[i].reason,
		    span_str(fine[i].message)};

		if (i == REMAINING && !pods_only && c->resource_count > 0) {
			one.status = "True";
			one.reason = "SomeResourcesRemain";
			one.message = list(a, c->resources, c->resource_count,
			    "Some resources are remaining: ", "has");
		}
		if (i == FINALIZERS && !pods_only && c->finalizer_count > 0) {
			one.status = "True";
			one.reason = "SomeFinalizersRemain";
			one.message = list(a, c->finalizers, c->finalizer_count,
			    "Some content in the namespace has finalizers "
			    "remaining: ",
			    "in");
		}
		conditions_set(a, namespace_, &one, now);
	}
	return !tree_equal(before, tree_path(namespace_, "status.conditions"));
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
	if (say_content(
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
	struct node *object;

	if (o == NULL)
		return;
	object = convert_tree(&n->arena, o);
	controller_drop_text(
	    tree_path(object, "spec.finalizers"), "kubernetes");
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
	add_content(&content, n->pods, name);
	pods_only = content.total > 0;
	while (!pods_only &&
	    (c = store_next_collection(n->api->store, c)) != NULL) {
		struct resource *of = deletable(n, c);

		if (of != NULL && c != n->pods->collection)
			add_content(&content, of, name);
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

void
namespaces_start(struct namespaces *n)
{
	for (size_t i = 0; i < COUNT(standard); i++) {
		if (i == NAMESPACES)
			make_range(n);
		make_standard(n, &standard[i]);
	}
	if (n->controls) /* a file may have "default" without its objects */
		queue(n, make_work(n, span_str("default")));
	arena_reset(&n->arena);
	/* No client is served yet: the first one finds everything. */
	drain(n);
}
