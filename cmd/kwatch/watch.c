#include "watch.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "buf.h"
#include "clock.h"
#include "frames.h"
#include "list.h"
#include "log.h"
#include "mem.h"

enum state {
	LISTING, /* a paged LIST */
	INITIAL, /* a watch-list, before its end marker */
	WATCHING
};

/* What an event of the stream asks for, instead of going on. */
enum verdict { GO_ON, RELIST, USE_LIST, TRY_LATER };

struct watch {
	struct kind *kind;
	const char *ns;	   /* NULL: all */
	const void *owner; /* of its entries; outlives this watch */
	enum state state;
	int verdict; /* enum verdict */
	struct kube_call *call;
	bool opening; /* call has no answer yet */
	struct timer timer;
	struct kube_backoff backoff;
	struct frames frames;
	struct list list;
	struct buf version;
	uint32_t mark; /* of the entries that this listing has */
	bool synced;   /* the listing is complete: version holds */
	bool ever_synced;
	uint64_t started_ms;
	uint64_t failed_ms;
	uint64_t expired_ms; /* the last 410 in a stream; 0: none */
	uint64_t events;     /* of this request */
	char *said;	     /* the last complaint */
};

enum {
	FIRST_MS = 800,
	MAX_MS = 30000,
	REFUSED_MAX_MS = 4000, /* nobody listens: asking costs little */
	SLOW_MS = 8000,	       /* rights may be granted later */
	QUIET_MS = 120000      /* after that the back-off starts anew */
};

static void start(void *arg);

/*
 * A server takes 100 streams a connection or so, and libcurl then opens one
 * connection for each further request at a time. If they come one by one
 * they find the newest connection, and share it.
 */
enum { CROWD = 90, ONE_BY_ONE_MS = 500 };

static bool
must_wait(const struct app *app)
{
	return app->open >= CROWD && app->opening > 0 &&
	    clock_ms() - app->opened_ms < ONE_BY_ONE_MS;
}

static void
answered(struct watch *w)
{
	if (w->opening)
		w->kind->app->opening--;
	w->opening = false;
}

static void
open_call(struct watch *w, const struct kube_request *r, kube_done_fn *done)
{
	struct app *app = w->kind->app;

	app->open++;
	app->opening++;
	app->opened_ms = clock_ms();
	w->opening = true;
	w->call = kube_start(app->kube, r, done, w);
}

/* It has ended, or is cancelled now. */
static void
close_call(struct watch *w)
{
	answered(w);
	w->kind->app->open--;
	w->call = NULL;
}

static void
again(struct watch *w, uint64_t ms)
{
	timer_after(w->kind->app->loop, &w->timer, ms, start, w);
}

static void
describe(const struct watch *w, struct buf *b)
{
	const struct resource *r = w->kind->resource;

	buf_addf(b, "%s%s%s%s%s", r->plural, *r->group != '\0' ? "." : "",
	    r->group, w->ns != NULL ? " in namespace " : "",
	    w->ns != NULL ? w->ns : "");
}

/* Each complaint once, until something else happens. */
static void
complain(struct watch *w, enum log_level level, const struct kube_error *e)
{
	struct buf b = BUF_INIT;

	buf_addf(&b, "cannot %s ", w->state == LISTING ? "list" : "watch");
	describe(w, &b);
	buf_adds(&b, ": ");
	/* Errors of these requests speak of no object, and echo no value. */
	kube_error_public(&b, e, SPAN_NONE);
	if (w->said == NULL || strcmp(w->said, buf_str(&b)) != 0) {
		log_write(level, NULL, "%s", buf_str(&b));
		free(w->said);
		w->said = buf_take(&b);
	}
	buf_release(&b);
}

static void
works(struct watch *w)
{
	struct buf b = BUF_INIT;

	app_reached(w->kind->app);
	if (w->said == NULL)
		return;
	describe(w, &b);
	log_info("watching %s now", buf_str(&b));
	buf_release(&b);
	free(w->said);
	w->said = NULL;
}

static uint64_t
delay(struct watch *w, uint64_t max_ms)
{
	uint64_t now = clock_ms();

	if (now - w->failed_ms > QUIET_MS)
		w->backoff = (struct kube_backoff){0};
	w->failed_ms = now;
	return kube_backoff_next(&w->backoff, FIRST_MS, max_ms);
}

static void
forget_version(struct watch *w)
{
	if (w->synced)
		w->kind->app->relists++;
	w->synced = false;
	buf_reset(&w->version);
	list_reset(&w->list);
}

static void
set_version(struct watch *w, struct span version)
{
	if (version.n == 0)
		return;
	buf_reset(&w->version);
	buf_addspan(&w->version, version);
}

static void
synced(struct watch *w, struct span version)
{
	struct app *app = w->kind->app;

	set_version(w, version);
	w->synced = true;
	index_sweep(app->sink, &w->kind->index, w->owner, w->mark);
	if (w->ever_synced)
		return;
	w->ever_synced = true;
	kind_watch_synced(w->kind);
}

static struct entry *
entry(struct watch *w, const struct json_frame *f)
{
	return sink_entry(w->kind->app->sink, &w->kind->index, f->namespace_,
	    f->name, w->owner, w->mark);
}

static void
put(struct watch *w, const struct json_frame *f)
{
	struct entry *e = entry(w, f);
	struct buf body = BUF_INIT;

	if (entry_is(e, f->uid, f->resource_version))
		return;
	kind_body(w->kind, f, &body);
	sink_put(w->kind->app->sink, e, f->uid, f->resource_version,
	    buf_span(&body));
	buf_release(&body);
}

static void
drop(struct watch *w, const struct json_frame *f)
{
	struct buf body = BUF_INIT;

	kind_body(w->kind, f, &body);
	sink_delete(w->kind->app->sink, entry(w, f), f->uid, buf_span(&body));
	buf_release(&body);
}

static void
on_bookmark(struct watch *w, const struct json_frame *f)
{
	struct span end = json_get(f->annotations, "k8s.io/initial-events-end");

	if (w->state == INITIAL && json_is(end, "true")) {
		w->state = WATCHING;
		synced(w, f->resource_version);
	}
}

/* A Status in the stream, which ends it. */
static void
on_error(struct watch *w, struct span status)
{
	struct kube_error e = {0};

	kube_error_parse(&e, 0, status);
	if (e.code == 410)
		w->verdict = RELIST;
	else if (w->state == INITIAL && e.code == 500 && w->events == 1)
		w->verdict = USE_LIST;
	else
		w->verdict = TRY_LATER;
	if (w->verdict == TRY_LATER)
		complain(w, LOG_WARNING, &e);
	kube_error_release(&e);
}

static void
on_nonsense(struct watch *w, const char *what)
{
	struct kube_error e = {0};

	kube_error_parse(&e, 500, span_str(what));
	complain(w, LOG_WARNING, &e);
	kube_error_release(&e);
	w->verdict = TRY_LATER;
}

static void
on_frame(void *arg, struct span line)
{
	struct watch *w = arg;
	struct json_frame f;

	w->events++;
	if (json_frame(line, &f) != 0) {
		on_nonsense(w, "a line that is no event came");
		return;
	}
	if (span_is(f.type, "ERROR")) {
		on_error(w, f.object);
		return;
	}
	if (span_is(f.type, "ADDED") || span_is(f.type, "MODIFIED"))
		put(w, &f);
	else if (span_is(f.type, "DELETED"))
		drop(w, &f);
	else if (span_is(f.type, "BOOKMARK"))
		on_bookmark(w, &f);
	if (w->synced)
		set_version(w, f.resource_version);
}

/* A 410 is a mere gap, but not the second one in a row. */
static uint64_t
gap_delay(struct watch *w)
{
	uint64_t now = clock_ms();
	bool first = w->expired_ms == 0 || now - w->expired_ms > QUIET_MS;

	w->expired_ms = now;
	return first && w->state != INITIAL ? 0 : delay(w, MAX_MS);
}

static void
conclude(struct watch *w)
{
	switch (w->verdict) {
	case GO_ON:
		return;
	case USE_LIST:
		w->kind->no_watch_list = true;
		again(w, 0);
		return;
	case RELIST:
		forget_version(w);
		again(w, gap_delay(w));
		return;
	case TRY_LATER:
		again(w, delay(w, MAX_MS));
		/* Nothing tells what was missed: compare. */
		forget_version(w);
		return;
	}
}

static bool
on_data(void *arg, struct span bytes)
{
	struct watch *w = arg;

	answered(w);
	works(w);
	if (frames_add(&w->frames, bytes, on_frame, w, &w->verdict) != 0)
		on_nonsense(w, "a line of more than 16 MiB came");
	if (w->verdict == GO_ON)
		return true;
	close_call(w); /* by the false that is returned */
	conclude(w);
	return false;
}

/* No answer, or another than asked for. */
static void
failed(struct watch *w, const struct kube_error *e)
{
	struct app *app = w->kind->app;
	uint64_t wait;

	if (e->too_large && list_smaller(&w->list)) {
		again(w, 0);
		return;
	}
	if (e->code == 0) {
		app_unreachable(app, e->message);
		again(w, delay(w, REFUSED_MAX_MS));
		return;
	}
	app_reached(app);
	if (e->code == 404) {
		kind_lost(w->kind); /* frees w */
		return;
	}
	if (e->code == 410) {
		if (w->state == LISTING)
			list_expired(&w->list);
		forget_version(w);
		again(w, delay(w, MAX_MS));
		return;
	}
	if (w->state == INITIAL && e->code >= 400 && e->code < 500 &&
	    e->code != 401 && e->code != 403 && e->code != 429) {
		w->kind->no_watch_list = true;
		again(w, 0);
		return;
	}
	if (e->kind == ERR_PERMANENT) {
		complain(w, LOG_ERROR, e);
		if (app->once)
			kind_watch_given_up(w->kind);
		else
			again(w, SLOW_MS + delay(w, FIRST_MS));
		return;
	}
	if (e->code >= 400)
		complain(w, LOG_WARNING, e);
	wait = delay(w, MAX_MS);
	if (e->retry_after_ms > (int64_t)wait)
		wait = (uint64_t)e->retry_after_ms;
	again(w, wait);
}

/* An answer with 2xx, and its end: normal for a watch. */
static void
ended(struct watch *w)
{
	bool short_lived = clock_ms() - w->started_ms < 1000 && w->events == 0;

	app_reached(w->kind->app);
	w->kind->app->reconnects++;
	again(w, !w->synced || short_lived ? delay(w, MAX_MS) : 0);
}

static void
watch_done(void *arg, const struct kube_answer *a)
{
	struct watch *w = arg;

	close_call(w);
	frames_reset(&w->frames);
	if (a->error.kind == ERR_NONE)
		ended(w);
	else
		failed(w, &a->error);
}

static void
add_selectors(const struct watch *w, struct buf *path)
{
	const struct want *want = w->kind->want;

	if (want->selector != NULL && *want->selector != '\0')
		kube_query_add(path, "labelSelector", span_str(want->selector));
	if (want->field_selector != NULL)
		kube_query_add(
		    path, "fieldSelector", span_str(want->field_selector));
}

static long
watch_seconds(void)
{
	unsigned char byte = 0;

	/* client-go's spread, so that not all watches end together. */
	if (getrandom(&byte, 1, 0) != 1)
		return 300;
	return 300 + byte * 300L / 255;
}

static void
start_watch(struct watch *w)
{
	struct kube_request r = {.verb = KUBE_WATCH, .on_data = on_data};
	struct buf path = BUF_INIT, n = BUF_INIT;
	long seconds = watch_seconds();

	w->state = w->synced ? WATCHING : INITIAL;
	w->verdict = GO_ON;
	w->events = 0;
	w->started_ms = clock_ms();
	frames_reset(&w->frames);
	resource_path(
	    &path, w->kind->resource, span_str(w->ns), SPAN_NONE, NULL);
	kube_query_add(&path, "watch", span_str("1"));
	kube_query_add(&path, "allowWatchBookmarks", span_str("true"));
	if (w->synced) {
		kube_query_add(&path, "resourceVersion", buf_span(&w->version));
	} else {
		w->mark++;
		kube_query_add(&path, "sendInitialEvents", span_str("true"));
		kube_query_add(
		    &path, "resourceVersionMatch", span_str("NotOlderThan"));
	}
	buf_addf(&n, "%ld", seconds);
	kube_query_add(&path, "timeoutSeconds", buf_span(&n));
	add_selectors(w, &path);
	r.path = buf_str(&path);
	r.timeout_ms = ((uint64_t)seconds + 30) * 1000;
	if (w->kind->want->metadata_only)
		r.accept = "application/json;as=PartialObjectMetadata;"
			   "g=meta.k8s.io;v=v1,application/json";
	open_call(w, &r, watch_done);
	buf_release(&path);
	buf_release(&n);
}

static void
on_item(void *arg, const struct json_frame *f)
{
	put(arg, f);
}

static void
list_done(void *arg, const struct kube_answer *a)
{
	struct watch *w = arg;
	struct kube_error e = {0};

	close_call(w);
	if (a->error.kind != ERR_NONE) {
		failed(w, &a->error);
		return;
	}
	works(w);
	switch (list_page(&w->list, a->body, on_item, w)) {
	case LIST_MORE:
		again(w, 0);
		break;
	case LIST_WHOLE:
		synced(w, list_version(&w->list));
		list_reset(&w->list);
		if (!w->kind->app->once)
			again(w, 0);
		break;
	case LIST_BAD:
		kube_error_parse(&e, 500, span_str("no list came back"));
		failed(w, &e);
		kube_error_release(&e);
		break;
	}
}

static void
start_list(struct watch *w)
{
	struct kube_request r = {.verb = KUBE_LIST};
	struct buf path = BUF_INIT;

	w->state = LISTING;
	if (list_at_start(&w->list))
		w->mark++;
	resource_path(
	    &path, w->kind->resource, span_str(w->ns), SPAN_NONE, NULL);
	list_query(&w->list, &path);
	add_selectors(w, &path);
	r.path = buf_str(&path);
	if (w->kind->want->metadata_only)
		r.accept = "application/json;as=PartialObjectMetadataList;"
			   "g=meta.k8s.io;v=v1,application/json";
	open_call(w, &r, list_done);
	buf_release(&path);
}

static void
start(void *arg)
{
	struct watch *w = arg;

	if (must_wait(w->kind->app))
		again(w, 5);
	else if (!w->synced && (w->kind->app->once || w->kind->no_watch_list))
		start_list(w);
	else
		start_watch(w);
}

struct watch *
watch_new(struct kind *k, const char *ns)
{
	struct watch *w = mem_zalloc(sizeof(*w));

	w->kind = k;
	w->ns = ns;
	w->owner = ns != NULL ? (const void *)ns : k;
	/* Marks of a predecessor in the same kind must not be met again. */
	w->mark = ++k->marks * 65536;
	again(w, 0);
	return w;
}

void
watch_free(struct watch *w)
{
	if (w->call != NULL) {
		kube_cancel(w->call);
		close_call(w);
	}
	timer_clear(w->kind->app->loop, &w->timer);
	frames_release(&w->frames);
	list_release(&w->list);
	buf_release(&w->version);
	free(w->said);
	free(w);
}
