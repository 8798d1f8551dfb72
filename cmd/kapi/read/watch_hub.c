#include "read/watch_hub.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/mem.h"
#include "crd/crd.h"
#include "process/clock.h"
#include "read/watch_index.h"
#include "reply/faults.h"
#include "reply/journal.h"
#include "reply/metrics.h"
#include "reply/reply.h"

enum {
	/* No timeoutSeconds: between this and twice as long. Source:
	 * --min-request-timeout. */
	TIMEOUT_S = 1800,
	TIMEOUT_MAX_S = 1000000000,
	BEFORE_END_MS = 2000,
	/* So much may wait unsent before the rest of the initial events. */
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

void
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
	watch_hub_close(w, watch_event_error(w, p) == 0);
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
			: TIMEOUT_S + clock_jitter() % TIMEOUT_S);
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

static struct watcher *
watch_new(struct request *r, const struct table_form *form,
    const struct list_options *o)
{
	struct watcher *w = mem_zalloc(sizeof(*w));

	if (r->api->watch_hub == NULL) {
		struct api *api = r->api;
		struct watch_hub *h = mem_zalloc(sizeof(*h));

		h->api = api;
		r->api->watch_hub = h;
	}
	w->hub = r->api->watch_hub;
	w->request = r;
	w->resource = r->resource;
	w->crd = crd_ref(r->resource->crd);
	w->options = *o;
	w->form = *form;
	w->gate = r->gate_fault == NULL ? NULL : faults_gate(r, on_close, w);
	watch_index_add(w->hub, w);
	return w;
}

/* As a WebSocket, if that was asked for. False: its handshake was refused. */
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
	w = watch_new(r, &form, &o);
	httpd_on_close(r->exchange, on_close, w);
	start(w, asked);
}
