#include "read/watch_hub.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "builtin/ruletable.h"
#include "crd/crd.h"
#include "json/json.h"
#include "process/clock.h"
#include "reply/faults.h"
#include "reply/journal.h"
#include "reply/metrics.h"
#include "reply/reply.h"
#include "text/random.h"
#include "type/api.h"
#include "type/decode.h"
#include "type/encode.h"

/*
 * For each collection the watches of all of it, of a
 * namespace and of one object, each in a list that is found by name. A change
 * is offered to three lists, however many watches there are.
 */
struct watcher;
struct watched;

/* Watches of the same name. */
struct watch_bucket {
	struct span key; /* owned; NAMESPACE/NAME, NAMESPACE or "" */
	struct watcher *first;
	struct watched *of;
	bool is_name;
};

/* The watches of one collection. */
struct watched {
	struct collection *collection;
	struct watch_hub *hub;
	struct store_hook hook;
	struct watch_bucket all;
	struct map by_namespace, by_key; /* struct watch_bucket */
	struct watched *next;
};

struct watcher {
	struct request *request; /* owned */
	struct watch_hub *hub;
	struct watch_bucket *bucket; /* NULL: in none yet */
	struct watcher *next, **link;
	struct watcher *next_dead; /* in the graveyard */
	const struct resource *resource;
	const struct crd *crd; /* a reference */
	struct list_options options;
	struct table_form form;
	bool headers;	  /* a Table's columns were sent */
	bool live;	  /* gets changes as they come */
	bool dead;	  /* goes when the walk over its list is over */
	uint64_t version; /* all up to this one was sent */
	/* Initial events that wait for the client to read. */
	struct stored **initial;
	size_t initial_count, initial_next;
	struct timer end, bookmark, pump;
	uint64_t deadline; /* clock_ms */
	struct fault_gate *gate;
};

struct watch_hub {
	struct api *api;
	struct watched *collections;
	bool walking; /* over a list, which must not change */
	struct watcher *graveyard;
};

/* A frame that was made for one watch, kept for watches that need the same. */
struct watch_frame {
	const struct resource *resource;
	struct table_form form;
	bool headers;
	enum change_type type;
	struct text *text; /* owned */
};
enum { FRAMES = 8 };
struct watch_frames {
	struct watch_frame frames[FRAMES];
	size_t n;
};

/* w was cut or is done. ends: its answer is still open. */
static void watch_hub_close(struct watcher *w, bool ends);
static void watch_index_remove(struct watcher *w);

/* ---- events ---- */

static void
watch_frames_release(struct watch_frames *f)
{
	for (size_t i = 0; i < f->n; i++)
		text_unref(f->frames[i].text);
	f->n = 0;
}

/* An event: type is ADDED, ..., object in the version of the resource. */
static struct text *
make(struct watcher *w, const char *type, struct span object)
{
	struct buf b = BUF_INIT;
	struct text *t;

	buf_adds(&b, "{\"type\":\"");
	buf_adds(&b, type);
	buf_adds(&b, "\",\"object\":");
	table_object(&b, w->resource, &w->form, !w->headers, object);
	buf_adds(&b, "}\n");
	t = text_make(buf_span(&b));
	buf_release(&b);
	return t;
}

static int
send_text(struct watcher *w, struct text *t)
{
	w->headers = true;
	/* The client asked for a list, and an event is not one: the server ends
	 * the stream. */
	if (w->form.as == AS_PARTIAL && w->request->as_list) {
		httpd_end(w->request->exchange);
		return -1;
	}
	return w->gate != NULL ? fault_gate_send(w->gate, t)
			       : httpd_send(w->request->exchange, t);
}

static struct text *
find_frame(const struct watch_frames *f, const struct watcher *w,
    enum change_type type)
{
	for (size_t i = 0; i < f->n; i++) {
		const struct watch_frame *x = &f->frames[i];

		if (x->type == type && x->resource == w->resource &&
		    x->form.as == w->form.as &&
		    x->form.include == w->form.include &&
		    x->headers == !w->headers &&
		    span_eq(x->form.version, w->form.version))
			return x->text;
	}
	return NULL;
}

/* json with another metadata.resourceVersion, in the arena. */
static struct span
with_version(struct arena *a, struct span json, uint64_t version)
{
	struct span old = json_path(json, "metadata.resourceVersion");
	size_t before;

	if (old.p == NULL)
		return json;
	before = (size_t)(old.p - json.p);
	return arena_printf(a, "%.*s\"%" PRIu64 "\"%.*s", (int)before, json.p,
	    version, (int)(json.n - before - old.n), old.p + old.n);
}

/* The type of event that a change is for w. False: w does not want the
 * change. */
static bool
change_to(
    struct watcher *w, const struct store_change *c, enum change_type *type)
{
	const struct selection *s = &w->options.selection;
	bool now, before;

	*type = c->type;
	if (selection_is_empty(s))
		return true;
	now = c->type != CHANGE_DELETED && selection_matches(s, c->now);
	before = c->before != NULL && selection_matches(s, c->before);
	*type = !now ? CHANGE_DELETED : before ? CHANGE_MODIFIED : CHANGE_ADDED;
	return now || before;
}

/* Sends what a change is to w, if anything; -1: w is cut. */
static int
watch_event_offer(
    struct watcher *w, const struct store_change *c, struct watch_frames *f)
{
	enum change_type type;
	struct text *t;
	int rc;
	static const char *const names[] = {"ADDED", "MODIFIED", "DELETED"};
	struct arena a = ARENA_INIT;
	struct span object;

	if (c->version <= w->version)
		return 0;
	w->version = c->version;
	if (!change_to(w, c, &type))
		return 0;
	t = find_frame(f, w, type);
	if (t != NULL)
		return send_text(w, t);
	/* An object that leaves the selection is shown in its old state, with
	 * the version of the change. */
	if (type == CHANGE_DELETED && c->type != CHANGE_DELETED)
		object = with_version(
		    &a, list_stored_as(&a, w->resource, c->before), c->version);
	else
		object = list_stored_as(&a, w->resource, c->now);
	t = make(w, names[type], object);
	arena_release(&a);
	if (f->n < FRAMES)
		f->frames[f->n++] = (struct watch_frame){
		    w->resource, w->form, !w->headers, type, text_ref(t)};
	rc = send_text(w, t);
	text_unref(t);
	return rc;
}

static int
send_and_drop(struct watcher *w, struct text *t)
{
	int rc = send_text(w, t);

	text_unref(t);
	return rc;
}

/* type ADDED, of an object that is there. */
static int
watch_event_initial(struct watcher *w, const struct stored *o)
{
	struct arena a = ARENA_INIT;
	struct text *t = make(w, "ADDED", list_stored_as(&a, w->resource, o));

	arena_release(&a);
	return send_and_drop(w, t);
}

/* Like Go encodes an object of which only metadata is set. */
static struct node *
bookmark(struct arena *a, const struct resource *r, uint64_t version,
    bool initial_end)
{
	struct node *n = tree_object(a), *metadata = tree_object(a);

	tree_put(a, n, "kind", tree_string(a, r->kind));
	tree_put(a, n, "apiVersion", tree_string(a, r->api_version));
	tree_put(a, n, "metadata", metadata);
	tree_put(a, metadata, "resourceVersion",
	    tree_string(a, arena_printf(a, "%" PRIu64, version)));
	if (initial_end)
		tree_put(a, tree_make(a, metadata, "annotations"),
		    "k8s.io/initial-events-end", tree_str(a, "true"));
	/* Zero values of Go's internal type. */
	ruletable_default(a, r->group, r->plural, " bookmark", n);
	r->strategy->steps->encode(a, r, n);
	return n;
}

static int
watch_event_bookmark(struct watcher *w, uint64_t version, bool initial_end)
{
	struct arena a = ARENA_INIT;
	struct buf b = BUF_INIT;
	struct text *t;

	tree_write(&b, bookmark(&a, w->resource, version, initial_end));
	t = make(w, "BOOKMARK", buf_span(&b));
	buf_release(&b);
	arena_release(&a);
	return send_and_drop(w, t);
}

/* ---- watches, found by name ---- */

static void
walk(struct watch_bucket *b, const struct store_change *c,
    struct watch_frames *f)
{
	if (b == NULL)
		return;
	for (struct watcher *w = b->first; w != NULL; w = w->next)
		if (w->live && !w->dead && watch_event_offer(w, c, f) != 0)
			watch_hub_close(w, false);
}

static void
on_change(void *arg, struct collection *c, const struct store_change *change)
{
	struct watched *of = arg;
	const struct stored *o = change->now;
	struct watch_frames f = {.n = 0};
	struct watcher *w;

	(void)c;
	of->hub->walking = true;
	walk(map_get(&of->by_key, o->key), change, &f);
	if (o->namespace_.n > 0)
		walk(map_get(&of->by_namespace, o->namespace_), change, &f);
	walk(&of->all, change, &f);
	of->hub->walking = false;
	watch_frames_release(&f);
	/* Frees the watches that ended during a walk. */
	while ((w = of->hub->graveyard) != NULL) {
		of->hub->graveyard = w->next_dead;
		watch_index_remove(w);
		free(w);
	}
}

static struct watched *
watched_of(struct watch_hub *h, struct collection *c)
{
	struct watched *w;

	for (w = h->collections; w != NULL; w = w->next)
		if (w->collection == c)
			return w;
	w = mem_zalloc(sizeof(*w));
	w->collection = c;
	w->hub = h;
	w->hook = (struct store_hook){on_change, w, NULL};
	w->all.of = w;
	w->next = h->collections;
	h->collections = w;
	store_add_hook(h->api->store, c, &w->hook);
	return w;
}

/* Takes key. */
static struct watch_bucket *
bucket_of(struct watched *w, struct map *m, struct span key)
{
	struct watch_bucket *b = map_get(m, key);

	if (b != NULL)
		return b;
	b = mem_zalloc(sizeof(*b));
	b->key = span_make(mem_dup(key.p, key.n), key.n);
	b->of = w;
	b->is_name = m == &w->by_key;
	map_put(m, b->key, b);
	return b;
}

/* The smallest list whose changes include all that w may want. */
static struct watch_bucket *
choose(struct watched *of, struct watcher *w)
{
	const struct request *r = w->request;
	const struct selection *s = &w->options.selection;
	struct span ns = r->namespace_.n > 0 ? r->namespace_ : s->namespace_;

	if (!r->resource->namespaced)
		return s->name.n > 0 ? bucket_of(of, &of->by_key, s->name)
				     : &of->all;
	if (ns.n == 0)
		return &of->all;
	if (s->name.n == 0)
		return bucket_of(of, &of->by_namespace, ns);
	return bucket_of(of, &of->by_key,
	    arena_printf(&w->request->arena, "%.*s/%.*s", SPAN_ARG(ns),
		SPAN_ARG(s->name)));
}

/* Puts w where its options say, and takes it out. */
static void
watch_index_add(struct watch_hub *h, struct watcher *w)
{
	struct watch_bucket *b =
	    choose(watched_of(h, w->resource->collection), w);

	w->bucket = b;
	w->next = b->first;
	w->link = &b->first;
	if (b->first != NULL)
		b->first->link = &w->next;
	b->first = w;
}

static void
watch_index_remove(struct watcher *w)
{
	struct watch_bucket *b = w->bucket;

	if (b == NULL)
		return;
	*w->link = w->next;
	if (w->next != NULL)
		w->next->link = w->link;
	w->bucket = NULL;
	if (b->first != NULL || b == &b->of->all)
		return;
	map_del(b->is_name ? &b->of->by_key : &b->of->by_namespace, b->key);
	free((char *)(uintptr_t)b->key.p);
	free(b);
}

static struct watcher *
find(struct watch_bucket *b, const struct resource *r)
{
	struct watcher *w = b == NULL ? NULL : b->first;

	while (w != NULL && (w->dead || (r != NULL && w->resource != r)))
		w = w->next;
	return w;
}

/* Any watch of r, NULL if there is none. */
static struct watcher *
watch_index_any(const struct watch_hub *h, const struct resource *r)
{
	struct watcher *w;
	struct watch_bucket *b;

	for (struct watched *of = h->collections; of != NULL; of = of->next) {
		if ((w = find(&of->all, r)) != NULL)
			return w;
		for (size_t i = 0;
		     (b = map_next(&of->by_namespace, &i)) != NULL;)
			if ((w = find(b, r)) != NULL)
				return w;
		for (size_t i = 0; (b = map_next(&of->by_key, &i)) != NULL;)
			if ((w = find(b, r)) != NULL)
				return w;
	}
	return NULL;
}

/* ---- the hub ---- */

enum {
	/* No timeoutSeconds: between this and twice as long. Source:
	 * --min-request-timeout. */
	TIMEOUT_S = 1800,
	TIMEOUT_MAX_S = 1000000000,
	BEFORE_END_MS = 2000,
	/* Bytes that may wait unsent before the rest of the initial events. */
	PUMP_BYTES = 512 << 10,
	PUMP_MS = 5
};

void
watch_hub_free(struct watch_hub *h)
{
	struct watcher *w;
	struct watched *next;

	if (h == NULL)
		return;
	while ((w = watch_index_any(h, NULL)) != NULL)
		watch_hub_close(w, true);
	for (struct watched *of = h->collections; of != NULL; of = next) {
		next = of->next;
		store_remove_hook(h->api->store, of->collection, &of->hook);
		map_release(&of->by_namespace);
		map_release(&of->by_key);
		free(of);
	}
	free(h);
}

static void
watch_hub_close(struct watcher *w, bool ends)
{
	struct request *r = w->request;
	struct watch_hub *h = w->hub;

	if (w->dead)
		return;
	w->dead = true;
	loop_cancel(h->api->loop, &w->end);
	loop_cancel(h->api->loop, &w->bookmark);
	loop_cancel(h->api->loop, &w->pump);
	fault_gate_free(w->gate);
	if (ends)
		httpd_end(r->exchange);
	for (size_t i = w->initial_next; i < w->initial_count; i++)
		store_unref(w->initial[i]);
	free(w->initial);
	request_free(r);
	crd_unref(w->crd);
	if (h->walking) {
		w->next_dead = h->graveyard;
		h->graveyard = w;
		return;
	}
	watch_index_remove(w);
	free(w);
}

void
watch_hub_end(struct api *api, const struct resource *resource)
{
	struct watcher *w;

	if (api->watch_hub == NULL)
		return;
	while ((w = watch_index_any(api->watch_hub, resource)) != NULL)
		watch_hub_close(w, true);
}

/* ---- time ---- */

static void
on_end(void *arg)
{
	watch_hub_close(arg, true);
}

static void on_bookmark(void *arg);

static void
bookmark_later(struct watcher *w)
{
	uint64_t now = clock_ms(), every = w->hub->api->bookmark_ms;
	uint64_t due =
	    w->deadline > BEFORE_END_MS ? w->deadline - BEFORE_END_MS : 0;

	if (!w->options.bookmarks)
		return;
	if (every != 0 && now + every < due)
		due = now + every;
	if (due > now)
		loop_at(w->hub->api->loop, &w->bookmark, due, on_bookmark, w);
}

static void
on_bookmark(void *arg)
{
	struct watcher *w = arg;

	if (w->live &&
	    watch_event_bookmark(w, store_version(w->hub->api->store), false) !=
		0)
		watch_hub_close(w, false);
	else
		bookmark_later(w);
}

/* ---- the start ---- */

static void
on_close(void *arg)
{
	watch_hub_close(arg, false);
}

/* The stream goes on with an error as its last event. */
static void
fail(struct watcher *w, const struct problem *p)
{
	watch_hub_close(
	    w, send_and_drop(w, reply_error_event(w->request, p)) == 0);
}

/* From history to now; then changes come by themselves. */
static void
go_live(struct watcher *w)
{
	struct collection *c = w->resource->collection;
	const struct store_change *changes;
	struct watch_frames f = {.n = 0};
	size_t n;

	if (store_since(c, w->version, &changes, &n) != 0) {
		fail(w,
		    problem_make(&w->request->arena, 410, "Expired",
			"too old resource version: %" PRIu64 " (%" PRIu64 ")",
			w->version, store_floor(c)));
		return;
	}
	for (size_t i = 0; i < n; i++) {
		struct span ns = changes[i].now->namespace_;

		if (w->request->namespace_.n > 0 &&
		    !span_eq(w->request->namespace_, ns))
			continue;
		if (watch_event_offer(w, &changes[i], &f) != 0) {
			watch_frames_release(&f);
			watch_hub_close(w, false);
			return;
		}
		watch_frames_release(&f);
	}
	w->live = true;
	bookmark_later(w);
}

static void
pump(void *arg)
{
	struct watcher *w = arg;

	while (w->initial_next < w->initial_count) {
		struct stored *o;
		int rc;

		if ((httpd_queued(w->request->exchange)) > PUMP_BYTES) {
			loop_after(
			    w->hub->api->loop, &w->pump, PUMP_MS, pump, w);
			return;
		}
		o = w->initial[w->initial_next++];
		rc = watch_event_initial(w, o);
		store_unref(o);
		if (rc != 0) {
			watch_hub_close(w, false);
			return;
		}
	}
	if (w->options.bookmarks &&
	    watch_event_bookmark(w, w->version, true) != 0)
		watch_hub_close(w, false);
	else
		go_live(w);
}

static void
keep_initial(struct watcher *w, struct stored *o)
{
	if (o == NULL || !selection_matches(&w->options.selection, o))
		return;
	w->initial =
	    mem_grow(w->initial, w->initial_count, sizeof(struct stored *));
	w->initial[w->initial_count++] = store_ref(o);
}

static void
start_initial(struct watcher *w)
{
	const struct collection *c = w->resource->collection;
	struct span ns = w->request->namespace_;
	struct span name = w->options.selection.name;
	struct stored *o;

	if (name.p != NULL && (ns.n > 0 || !w->resource->namespaced))
		keep_initial(w, store_get(c, ns, name));
	else
		for (o = store_next(c, ns, SPAN_NONE); o != NULL;
		     o = store_next(c, ns, o->key))
			keep_initial(w, o);
	w->version = store_version(w->hub->api->store);
	pump(w);
}

static void
start(struct watcher *w, uint64_t asked)
{
	const struct list_options *o = &w->options;
	struct api *api = w->hub->api;
	uint64_t now = store_version(api->store);

	if (o->timeout < 0) {
		fail(w,
		    problem_make(&w->request->arena, 500, "InternalError",
			"context deadline exceeded"));
		return;
	}
	w->deadline = clock_ms() +
	    1000 *
		(o->timeout > 0
			? (uint64_t)(o->timeout < TIMEOUT_MAX_S ? o->timeout
								: TIMEOUT_MAX_S)
			: TIMEOUT_S + random_number() % TIMEOUT_S);
	loop_at(api->loop, &w->end, w->deadline, on_end, w);
	if (o->initial && asked > now)
		fail(w, list_version_too_large(w->request, asked, now));
	else if (o->initial)
		start_initial(w);
	else {
		w->version = asked == 0 ? now : asked;
		go_live(w);
	}
}

static struct problem *
prepare(struct request *r, struct table_form *form, struct list_options *o,
    uint64_t *asked)
{
	struct problem *p = list_options(r, o);

	if (p == NULL)
		p = list_version_parse(r, o->version, asked);
	if (p == NULL)
		p = table_form_of(r, form);
	if (p == NULL && r->as == AS_YAML)
		p = problem_make(&r->arena, 406, "NotAcceptable",
		    "only the following media types are accepted: "
		    "application/json;stream=watch, "
		    "application/vnd.kubernetes.protobuf;stream=watch");
	return p;
}

/* Begins the answer, as a WebSocket if the client asks for one. False: the
 * handshake was refused. */
static bool
begin(struct request *r, bool socket)
{
	struct httpd_header headers[REPLY_HEADERS_MAX];

	if (socket)
		return httpd_start_websocket(r->exchange);
	httpd_start(r->exchange, 200, headers,
	    reply_headers(r, headers, "application/json"));
	return true;
}

void
watch_serve(struct request *r)
{
	bool socket = httpd_wants_websocket(r->http);
	int code = socket ? 101 : 200;
	struct list_options o;
	struct table_form form;
	struct problem *p;
	struct watcher *w;
	uint64_t asked;

	p = prepare(r, &form, &o, &asked);
	if (p != NULL) {
		reply_problem(r, p);
		return;
	}
	if (r->api->faults != NULL && faults_answer(r, code))
		return;
	if (r->api->journal != NULL)
		journal_write(r->api->journal, r, code, SPAN_NONE);
	metrics_count(r, code);
	if (!begin(r, socket)) {
		request_free(r);
		return;
	}
	w = mem_zalloc(sizeof(*w));
	if (r->api->watch_hub == NULL) {
		r->api->watch_hub = mem_zalloc(sizeof(*r->api->watch_hub));
		r->api->watch_hub->api = r->api;
	}
	w->hub = r->api->watch_hub;
	w->request = r;
	w->resource = r->resource;
	w->crd = crd_ref(r->resource->crd);
	w->options = o;
	w->form = form;
	w->gate = r->gate_fault == NULL ? NULL : faults_gate(r, on_close, w);
	watch_index_add(w->hub, w);
	httpd_on_close(r->exchange, on_close, w);
	start(w, asked);
}
