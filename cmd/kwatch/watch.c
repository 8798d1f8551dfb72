#include "watch.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "kube/kubepath.h"
#include "process/clock.h"
#include "arrival.h"
#include "process/log.h"
#include "value/bookmarks.h"

enum {
	CUT_SHORT_MAX = 2,     /* cuts before a watch tries another way */
	NO_ANSWER_MS = 120000, /* no answer to a watch-list, not even headers */
	LOOK_MS = 40000
};

static void start(void *arg);

static void
again(struct watch *w, uint64_t ms)
{
	loop_after(w->kind->app->loop, &w->timer, ms, start, w);
}

static void
again_later(struct watch *w, enum recovery_why why, int64_t told_ms)
{
	again(w, recovery_wait(&w->recovery, why, told_ms, clock_ms()));
}

/* ---- requests ---- */

static const char accept_metadata_list[] =
    "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,"
    "application/json";

/* Appends the path of the objects that are watched. */
static void
add_path(struct buf *path, const struct watch *w)
{
	discovery_path(
	    path, w->kind->resource, span_str(w->ns), SPAN_NONE, NULL);
}

/* Sends r to path, which is released. object: a field selector besides that of the
 * kind, or none. */
static void
open_call(struct watch *w, struct buf *path, struct kube_request *r,
    struct span object, kube_done_fn *done)
{
	struct kwatch *app = w->kind->app;
	const struct watchspec *spec = w->kind->spec;
	struct buf fields = BUF_INIT;

	if (watchspec_selects(spec->selector))
		kube_query_add(path, "labelSelector", span_str(spec->selector));
	buf_addspan(&fields, object);
	if (spec->field_selector != NULL)
		buf_addf(&fields, "%s%s", fields.len > 0 ? "," : "",
		    spec->field_selector);
	if (fields.len > 0)
		kube_query_add(path, "fieldSelector", buf_span(&fields));
	buf_release(&fields);
	r->path = buf_str(path);
	app->open++;
	app->opening++;
	app->opened_ms = clock_ms();
	w->opening = true;
	w->call = kube_start(app->kube, r, done, w);
	buf_release(path);
}

static void
answered(struct watch *w)
{
	if (w->opening)
		w->kind->app->opening--;
	w->opening = false;
}

/* The request has ended, or is cancelled now. */
static void
close_call(struct watch *w)
{
	answered(w);
	w->kind->app->open--;
	w->call = NULL;
}

static void
cancel_call(struct watch *w)
{
	if (w->call == NULL)
		return;
	kube_cancel(w->call);
	close_call(w);
}

/* ---- its troubles ---- */

/* Why the watch does not work; each sentence is logged once until it works. */
static void
complain(struct watch *w, enum trouble_kind kind, const struct kube_error *e)
{
	struct buf b = BUF_INIT;

	buf_addf(&b, "cannot %s ", w->state == LISTING ? "list" : "watch");
	kind_describe_refused(w->kind, w->ns, e->code, &b);
	buf_adds(&b, ": ");
	/* Errors of these requests name no object, and echo no value. */
	kube_error_public(&b, e, SPAN_NONE);
	if (app_trouble_set(&w->trouble, kind, buf_take(&b), clock_ms()))
		log_write(kind == TROUBLE_LASTING ? LOG_ERROR : LOG_WARNING,
		    NULL, "%s", w->trouble.text);
	kind_trouble_changed(w->kind);
	if (kind == TROUBLE_LASTING && w->room == NULL)
		kind_say_undecided(w->kind);
}

static void
complain_in_words(struct watch *w, const char *text)
{
	struct kube_error e = {0};

	kube_error_parse(&e, 500, span_str(text));
	complain(w, TROUBLE_PASSING, &e);
	kube_error_release(&e);
}

static void
works(struct watch *w)
{
	struct buf b = BUF_INIT;

	if (!app_trouble_clear(&w->trouble))
		return;
	kind_describe(w->kind, w->ns, &b);
	log_info("watching %s now", buf_str(&b));
	buf_release(&b);
	kind_trouble_changed(w->kind);
}

/* ---- what it knows ---- */

static void
forget_version(struct watch *w)
{
	if (w->synced)
		w->kind->app->relists++;
	w->synced = false;
	buf_reset(&w->version);
	pages_reset(&w->list);
}

static void
set_version(struct watch *w, struct span version)
{
	if (version.n == 0)
		return;
	buf_reset(&w->version);
	buf_addspan(&w->version, version);
}

/* The initial state is complete. */
static void
synced(struct watch *w, struct span version)
{
	struct kwatch *app = w->kind->app;

	set_version(w, version);
	w->synced = true;
	w->every = w->unsure = false;
	app->listed = true;
	if (w->state != LISTING || app->once) { /* after a list, the watch has
						 * to show that it works */
		w->cut_short = 0;
		works(w);
	}
	deltafifo_index_sweep(
	    app->deltafifo, &w->kind->index, w->owner, w->mark);
	if (rooms_are_of(w->kind))
		rooms_listed(app);
	if (w->ever_synced)
		return;
	w->ever_synced = true;
	if (!w->excused)
		kind_watch_synced(w->kind);
	if (w->room != NULL)
		rooms_synced(w);
}

/* ---- after a request ---- */

static enum watch_state
state_now(const struct watch *w)
{
	return w->state == WATCHING && w->recovery.began_ms != 0 &&
		!recovery_is_short(&w->recovery, clock_ms())
	    ? LASTING
	    : w->state;
}

/* Goes on after a request that ended so; e: of those without an answer, and of
 * an answer that says no. */
static void
recover(struct watch *w, enum recovery_end end, const struct kube_error *e)
{
	struct kwatch *app = w->kind->app;

	if (end == END_DENIED && w->ever_synced && !w->doubted)
		end = END_DENIED_FIRST;
	switch (recovery_step(state_now(w), end)) {
	case STEP_RESUME:
		app->reconnects++;
		/* Some aggregated servers have no versions. */
		if (w->version.len == 0)
			forget_version(w);
		again(w, 0);
		return;
	case STEP_CUT_SHORT:
		app->reconnects++;
		if (++w->cut_short >= CUT_SHORT_MAX) {
			complain_in_words(w,
			    w->synced ? "the server ends the stream at once"
				      : "the stream ends before the initial "
					"state is there");
			/* A list may work, or at least give an error that says
			 * why. */
			forget_version(w);
		}
		again_later(w, RECOVERY_FAILED, -1);
		return;
	case STEP_UNPAGED:
		pages_expired(&w->list);
		forget_version(w);
		again_later(w, RECOVERY_FAILED, -1);
		return;
	case STEP_SPOILED:
		w->cut_short++;
		/* fallthrough */
	case STEP_COMPARE:
		forget_version(w);
		again_later(w, RECOVERY_FAILED, -1);
		return;
	case STEP_RELIST:
		forget_version(w);
		again(w, recovery_wait_expired(&w->recovery, clock_ms()));
		return;
	case STEP_LIST:
		w->kind->no_watch_list = true;
		again(w, 0);
		return;
	case STEP_UNREACHABLE:
		app_unreachable(app, e->message);
		again_later(w, RECOVERY_CHEAP, -1);
		return;
	case STEP_LOST:
		kind_lost(w->kind, e); /* frees w */
		return;
	case STEP_DOUBT:
		w->doubted = true;
		again_later(w, RECOVERY_DENIED, -1);
		return;
	case STEP_SMALLER:
		if (pages_smaller(&w->list)) {
			again(w, 0);
			return;
		}
		break;
	case STEP_MISTRUST:
		forget_version(w);
		break;
	default:
		break;
	}
	complain(
	    w, e->kind == ERR_PERMANENT ? TROUBLE_LASTING : TROUBLE_PASSING, e);
	if (app->once && e->kind == ERR_PERMANENT) {
		if (!w->excused)
			kind_watch_given_up(w->kind);
	} else {
		again_later(w,
		    end == END_DENIED ? RECOVERY_DENIED : RECOVERY_FAILED,
		    e->retry_after_ms);
	}
}

/* ---- a stream ---- */

/* A Status in the stream, which ends it. */
static void
on_error(struct watch *w, struct span status)
{
	struct kube_error e = {0};

	kube_error_parse(&e, 0, status);
	if (e.code == 410) {
		w->end = END_EVENT_EXPIRED;
	} else if (w->state == INITIAL && e.code == 500 && w->events == 1) {
		w->end = END_EVENT_FIRST;
	} else {
		w->end = END_EVENT;
		complain(w, TROUBLE_PASSING, &e);
	}
	kube_error_release(&e);
}

static void
on_nonsense(struct watch *w, const char *what)
{
	w->end = END_EVENT;
	complain_in_words(w, what);
}

static void
on_frame(void *arg, struct span line, uint64_t length)
{
	struct watch *w = arg;
	struct json_frame f;

	w->events++;
	if (json_frame(line, &f) != 0) {
		on_nonsense(w, "a line that is not an event came");
		return;
	}
	kind_count(w->kind, f.type);
	if (span_is(f.type, "ERROR")) {
		on_error(w, f.object);
		return;
	}
	if (span_is(f.type, "ADDED") || span_is(f.type, "MODIFIED")) {
		arrival_put(w, &f, length);
		witness_take(&w->witness, &f, false);
	} else if (span_is(f.type, "DELETED")) {
		arrival_delete(w, &f, length);
		witness_take(&w->witness, &f, true);
	} else if (span_is(f.type, "BOOKMARK") && w->state == INITIAL &&
	    json_is(json_get(f.annotations, BOOKMARKS_END), "true")) {
		w->state = WATCHING;
		synced(w, f.resource_version);
	}
	if (w->synced)
		set_version(w, f.resource_version);
}

static bool
on_data(void *arg, struct span bytes)
{
	struct watch *w = arg;

	if (frames_add(&w->frames, bytes, on_frame, w, &w->end) != 0)
		on_nonsense(w, "an event that is too long names no object");
	if (w->end == END_NOT_YET) {
		if (w->state == WATCHING && w->events > 0)
			works(w);
		return true;
	}
	close_call(w); /* returning false ends the call as well */
	recover(w, (enum recovery_end)w->end, NULL);
	return false;
}

/* The stream has lived for a while. */
static void
is_fine(void *arg)
{
	struct watch *w = arg;

	w->doubted = false;
	if (w->state == WATCHING) {
		w->cut_short = 0;
		works(w);
	}
}

/* No event may come for a minute, so the begin of the answer must be enough. */
static void
on_begin(void *arg)
{
	struct watch *w = arg;

	answered(w);
	app_reached(w->kind->app);
	w->recovery.began_ms = clock_ms();
	loop_after(
	    w->kind->app->loop, &w->timer, RECOVERY_SHORT_MS, is_fine, w);
}

static void
on_no_answer(void *arg)
{
	struct watch *w = arg;

	cancel_call(w);
	complain_in_words(w, "the server does not answer");
	again_later(w, RECOVERY_FAILED, -1);
}

/* It may have gone back. */
static void
doubt_server(struct watch *w)
{
	w->unsure = true;
	w->asks = witness_first(&w->witness);
}

static void
watch_done(void *arg, const struct kube_answer *a)
{
	struct watch *w = arg;

	loop_cancel(w->kind->app->loop, &w->timer);
	close_call(w);
	frames_reset(&w->frames);
	/* However short it was: a server may come, and go to be restored. */
	if (a->error.kind == ERR_NONE ? clock_ms() < w->ends_ms
				      : kube_error_of_outage(&a->error))
		doubt_server(w);
	if (a->code != 0)
		app_reached(w->kind->app);
	if (a->error.kind != ERR_NONE)
		recover(w, recovery_end_of(&a->error), &a->error);
	else
		recover(w, w->events > 0 ? END_CLOSED : END_EMPTY, NULL);
}

static void
start_watch(struct watch *w)
{
	/* A random time, as in client-go, keeps watches from ending
	 * together. */
	uint64_t seconds = 300 + clock_jitter() % 301;
	struct buf path = BUF_INIT, n = BUF_INIT;
	struct kube_request r = {.verb = KUBE_WATCH,
	    .timeout_ms = (seconds + 30) * 1000,
	    .on_begin = on_begin,
	    .on_data = on_data};

	w->state = w->synced ? WATCHING : INITIAL;
	w->end = END_NOT_YET;
	w->events = 0;
	recovery_sent(&w->recovery, clock_ms());
	w->ends_ms = clock_ms() + seconds * 1000;
	frames_reset(&w->frames);
	add_path(&path, w);
	kube_query_add(&path, "watch", span_str("1"));
	kube_query_add(&path, "allowWatchBookmarks", span_str("true"));
	if (w->synced) {
		kube_query_add(
		    &path, "resourceVersion", span_str(buf_str(&w->version)));
	} else {
		w->mark++;
		witness_forget(&w->witness);
		kube_query_add(&path, "sendInitialEvents", span_str("true"));
		kube_query_add(
		    &path, "resourceVersionMatch", span_str("NotOlderThan"));
	}
	buf_addf(&n, "%" PRIu64, seconds);
	kube_query_add(&path, "timeoutSeconds", buf_span(&n));
	buf_release(&n);
	if (w->kind->spec->metadata_only)
		r.accept = "application/json;as=PartialObjectMetadata;"
			   "g=meta.k8s.io;v=v1,application/json";
	open_call(w, &path, &r, SPAN_NONE, watch_done);
	/* Some proxies hold back the headers until data follows, which in a
	 * watch may take a minute or more. */
	if (w->state == INITIAL)
		loop_after(w->kind->app->loop, &w->timer, NO_ANSWER_MS,
		    on_no_answer, w);
}

/* ---- a list ---- */

static void
put(void *arg, const struct json_frame *f)
{
	struct watch *w = arg;

	arrival_put(w, f, 0);
	witness_take(&w->witness, f, false);
}

static void
list_done(void *arg, const struct kube_answer *a)
{
	struct watch *w = arg;
	struct kube_error e = {0};

	close_call(w);
	if (a->code != 0)
		app_reached(w->kind->app);
	if (a->error.kind != ERR_NONE) {
		recover(w, recovery_end_of(&a->error), &a->error);
		return;
	}
	switch (pages_page(&w->list, a->body, put, w)) {
	case LIST_MORE:
		again(w, 0);
		break;
	case LIST_WHOLE:
		synced(w, buf_span(&w->list.version));
		pages_reset(&w->list);
		if (!w->kind->app->once)
			again(w, 0);
		break;
	case LIST_BAD:
		kube_error_parse(&e, 500, span_str(w->list.bad));
		recover(w, END_FAILED, &e);
		kube_error_release(&e);
		break;
	}
}

static void
start_list(struct watch *w)
{
	struct buf path = BUF_INIT;
	struct kube_request r = {.verb = KUBE_LIST};

	w->state = LISTING;
	if (pages_at_start(&w->list)) {
		w->mark++;
		witness_forget(&w->witness);
	}
	add_path(&path, w);
	pages_query(&w->list, &path);
	if (w->kind->spec->metadata_only)
		r.accept = accept_metadata_list;
	open_call(w, &path, &r, SPAN_NONE, list_done);
}

/* ---- has the server gone back? ---- */

void
watch_relist(struct watch *w)
{
	w->every = true;
	if (!w->synced)
		return;
	cancel_call(w);
	forget_version(w);
	again(w, 0);
}

/* The path and the version to ask for. */
static void
add_question(struct watch *w, struct buf *path, struct buf *version)
{
	struct span ns = buf_span(&w->witness.namespace_);

	if (w->asks == WITNESS_NONE) {
		add_path(path, w);
		buf_addspan(version, buf_span(&w->version));
	} else {
		discovery_path(path, w->kind->resource,
		    ns.n > 0 ? ns : SPAN_NONE, SPAN_NONE, NULL);
		witness_version(
		    &w->witness, w->asks, buf_span(&w->version), version);
	}
}

/* Another history: the version is passed, and means something else. */
static void
tell_passed(struct watch *w)
{
	struct buf b = BUF_INIT;

	kind_describe(w->kind, w->ns, &b);
	buf_addf(&b, " had another version %" PRIu64, w->witness.version);
	app_went_back(w->kind->app, buf_str(&b));
	buf_release(&b);
}

/* The server has answered what was asked of the witness. */
static void
hear(struct watch *w, const struct kube_answer *a)
{
	struct buf version = BUF_INIT;
	enum witness_question asked = w->asks;
	enum witness_word word = WITNESS_UNKNOWN;

	witness_version(&w->witness, asked, buf_span(&w->version), &version);
	if (a->error.kind == ERR_NONE)
		word = witness_hear(
		    &w->witness, asked, buf_str(&version), a->body);
	else if (a->error.code == 410 && asked == WITNESS_BEFORE)
		word = WITNESS_SAME; /* an old deletion */
	buf_release(&version);
	if (word == WITNESS_OTHER) {
		tell_passed(w);
		return;
	}
	if (a->error.code == 410 && asked == WITNESS_NOW) {
		/* A long time ago: nothing shows what was missed. */
		recover(w, END_EVENT_EXPIRED, NULL);
		return;
	}
	w->asks = word == WITNESS_SAME && asked == WITNESS_BEFORE
	    ? WITNESS_NOW
	    : WITNESS_NONE;
	w->unsure = word == WITNESS_UNKNOWN || asked == WITNESS_BEFORE;
	again(w, 0);
}

static void
looked(void *arg, const struct kube_answer *a)
{
	struct watch *w = arg;

	close_call(w);
	if (kube_error_of_future(&a->error)) {
		app_went_back(w->kind->app, a->error.message);
		return;
	}
	if (kube_error_of_denial(&a->error) && !w->doubted) {
		recover(w, END_DENIED, &a->error);
		return;
	}
	if (kube_error_of_outage(&a->error)) {
		if (a->code != 0)
			app_reached(w->kind->app);
		/* However it failed: there is no stream to go on with. */
		recover(
		    w, a->code != 0 ? END_FAILED : END_TIMED_OUT, &a->error);
	} else if (w->asks != WITNESS_NONE) {
		hear(w, a);
	} else {
		/* Without the right to list, for one, it is not known. */
		w->unsure = false;
		again(w, 0);
	}
}

/* Asks for the witness; without one for any object, in a state that is not older
 * than the last version. */
static void
look_back(struct watch *w)
{
	struct buf path = BUF_INIT, version = BUF_INIT, object = BUF_INIT;
	struct kube_request r = {.verb = KUBE_LIST,
	    .timeout_ms = LOOK_MS,
	    .accept = accept_metadata_list};

	add_question(w, &path, &version);
	kube_query_add(&path, "limit", span_str("1"));
	kube_query_add(&path, "resourceVersion", buf_span(&version));
	kube_query_add(&path, "resourceVersionMatch",
	    span_str(w->asks == WITNESS_NONE ? "NotOlderThan" : "Exact"));
	if (w->asks != WITNESS_NONE)
		witness_selector(&w->witness, &object);
	open_call(w, &path, &r, buf_span(&object), looked);
	buf_release(&version);
	buf_release(&object);
}

/* ---- the watch ---- */

static void
start(void *arg)
{
	struct watch *w = arg;
	const struct kind *k = w->kind;
	bool lists =
	    k->app->once || k->no_watch_list || w->cut_short >= CUT_SHORT_MAX;

	if (app_is_crowded(k->app))
		again(w, 5);
	else if (w->synced && w->unsure && w->version.len > 0)
		look_back(w);
	else if (!w->synced && lists)
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
	/* Marks of an earlier watch of the kind must not come again. */
	w->mark = ++k->marks * 65536;
	again(w, 0);
	return w;
}

void
watch_free(struct watch *w)
{
	cancel_call(w);
	loop_cancel(w->kind->app->loop, &w->timer);
	frames_release(&w->frames);
	pages_release(&w->list);
	witness_release(&w->witness);
	buf_release(&w->version);
	app_trouble_clear(&w->trouble);
	free(w);
}
