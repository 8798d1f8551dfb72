#include "watch.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "news.h"
#include "path.h"
#include "process/clock.h"
#include "process/log.h"

enum {
	CUT_SHORT_MAX = 2,     /* then it tries another way */
	NO_ANSWER_MS = 120000, /* to a watch-list: not even headers */
	LOOK_MS = 40000
};

static void start(void *arg);

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
	struct kwatch *app = w->kind->app;

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
	loop_after(w->kind->app->loop, &w->timer, ms, start, w);
}

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
	if (trouble_set(&w->trouble, kind, buf_take(&b), clock_ms()))
		log_write(kind == TROUBLE_LASTING ? LOG_ERROR : LOG_WARNING,
		    NULL, "%s", w->trouble.text);
	kind_trouble_changed(w->kind);
	if (kind == TROUBLE_LASTING)
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

	if (!trouble_clear(&w->trouble))
		return;
	kind_describe(w->kind, w->ns, &b);
	log_info("watching %s now", buf_str(&b));
	buf_release(&b);
	kind_trouble_changed(w->kind);
}

static void
again_later(struct watch *w, enum pace_why why, int64_t told_ms)
{
	again(w, pace_wait(&w->pace, why, told_ms, clock_ms()));
}

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

static void
synced(struct watch *w, struct span version)
{
	struct kwatch *app = w->kind->app;

	set_version(w, version);
	w->synced = true;
	w->every = w->unsure = false;
	app->listed = true;
	if (w->state != LISTING || app->once) { /* else it has to show that */
		w->cut_short = 0;
		works(w);
	}
	sink_index_sweep(app->sink, &w->kind->index, w->owner, w->mark);
	if (w->ever_synced)
		return;
	w->ever_synced = true;
	kind_watch_synced(w->kind);
}

static struct news_from
from(const struct watch *w)
{
	return (struct news_from){w->kind, w->owner, w->mark, w->every,
	    w->state == WATCHING ? KIND_CHANGE : KIND_STATE, 0};
}

static void
put(void *arg, const struct json_frame *f)
{
	struct news_from of = from(arg);

	news_put(&of, f);
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
		complain(w, TROUBLE_PASSING, &e);
	kube_error_release(&e);
}

static void
on_nonsense(struct watch *w, const char *what)
{
	complain_in_words(w, what);
	w->verdict = TRY_LATER;
}

static void
on_frame(void *arg, struct span line, uint64_t length)
{
	struct watch *w = arg;
	struct news_from of = from(w);
	struct json_frame f;

	w->events++;
	of.length = length;
	if (json_frame(line, &f) != 0) {
		on_nonsense(w, "a line that is not an event came");
		return;
	}
	kind_count(w->kind, f.type);
	if (span_is(f.type, "ERROR"))
		on_error(w, f.object);
	else if (span_is(f.type, "ADDED") || span_is(f.type, "MODIFIED"))
		news_put(&of, &f);
	else if (span_is(f.type, "DELETED"))
		news_drop(&of, &f);
	else if (span_is(f.type, "BOOKMARK"))
		on_bookmark(w, &f);
	if (w->synced && !span_is(f.type, "ERROR"))
		set_version(w, f.resource_version);
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
		if (w->state == INITIAL)
			again_later(w, PACE_FAILED, -1);
		else
			again(w, pace_wait_expired(&w->pace, clock_ms()));
		return;
	case TRY_LATER:
		w->cut_short++;
		again_later(w, PACE_FAILED, -1);
		/* The missed events are not known: compare. */
		forget_version(w);
		return;
	}
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

/* For a minute there may be no event: that it began must be enough. */
static void
on_begin(void *arg)
{
	struct watch *w = arg;

	answered(w);
	app_reached(w->kind->app);
	pace_began(&w->pace, clock_ms());
	loop_after(w->kind->app->loop, &w->timer, PACE_SHORT_MS, is_fine, w);
}

static void
on_no_answer(void *arg)
{
	struct watch *w = arg;

	kube_cancel(w->call);
	close_call(w);
	complain_in_words(w, "the server does not answer");
	again_later(w, PACE_FAILED, -1);
}

static bool
on_data(void *arg, struct span bytes)
{
	struct watch *w = arg;

	if (frames_add(&w->frames, bytes, on_frame, w, &w->verdict) != 0)
		on_nonsense(w, "an event that is too long names no object");
	if (w->verdict == GO_ON) {
		if (w->state == WATCHING && w->events > 0)
			works(w);
		return true;
	}
	close_call(w); /* because this returns false */
	conclude(w);
	return false;
}

/* From the last version of the stream; some aggregated servers have none. */
static void
go_on(struct watch *w)
{
	w->kind->app->reconnects++;
	if (w->version.len == 0)
		forget_version(w);
	again(w, 0);
}

/* A stream that had worked lost its connection: that is not a failure yet. */
static bool
broke_off(const struct watch *w)
{
	return w->state == WATCHING && w->pace.began_ms != 0 &&
	    !pace_is_short(&w->pace, clock_ms());
}

/* A server that has just started does not know the rules yet: once more. */
static bool
doubts(struct watch *w, const struct kube_error *e)
{
	if (!kube_error_of_denial(e) || w->doubted)
		return false;
	w->doubted = true;
	again_later(w, PACE_DENIED, -1);
	return true;
}

/* No answer, or not the one that was asked for. */
static void
failed(struct watch *w, const struct kube_error *e)
{
	struct kwatch *app = w->kind->app;
	bool refused;

	if (e->too_large && pages_smaller(&w->list)) {
		again(w, 0);
		return;
	}
	if (e->code == 0 && !e->timed_out && broke_off(w)) {
		go_on(w);
		return;
	}
	if (e->code == 0 && !e->too_large) {
		app_unreachable(app, e->message);
		again_later(w, PACE_CHEAP, -1);
		return;
	}
	if (e->code != 0)
		app_reached(app);
	if (e->code == 404) {
		kind_lost(w->kind, e); /* frees w */
		return;
	}
	if (e->code == 410) {
		if (w->state == LISTING)
			pages_expired(&w->list);
		forget_version(w);
		again_later(w, PACE_FAILED, -1);
		return;
	}
	refused = e->code >= 400 && e->code < 500 && e->code != 429 &&
	    !kube_error_of_denial(e);
	if (w->state == INITIAL && refused) {
		w->kind->no_watch_list = true;
		again(w, 0);
		return;
	}
	if (w->ever_synced && doubts(w, e))
		return;
	if (w->state == WATCHING && refused)
		forget_version(w); /* perhaps the version is bad */
	complain(
	    w, e->kind == ERR_PERMANENT ? TROUBLE_LASTING : TROUBLE_PASSING, e);
	if (app->once && e->kind == ERR_PERMANENT) {
		kind_watch_given_up(w->kind);
		return;
	}
	again_later(w, kube_error_of_denial(e) ? PACE_DENIED : PACE_FAILED,
	    e->retry_after_ms);
}

/* An answer with 2xx, and its end: normal for a watch. */
static void
ended(struct watch *w)
{
	app_reached(w->kind->app);
	if (w->synced &&
	    (w->events > 0 || !pace_is_short(&w->pace, clock_ms()))) {
		go_on(w);
		return;
	}
	w->kind->app->reconnects++;
	if (++w->cut_short >= CUT_SHORT_MAX) {
		complain_in_words(w,
		    w->synced
			? "the server ends the stream at once"
			: "the stream ends before the initial state is there");
		/* A list may work, or at least give an error that says why. */
		forget_version(w);
	}
	again_later(w, PACE_FAILED, -1);
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
		w->unsure = true;
	if (a->error.kind == ERR_NONE)
		ended(w);
	else
		failed(w, &a->error);
}

static void
start_watch(struct watch *w)
{
	struct kwatch *app = w->kind->app;
	long seconds = path_watch_seconds();
	struct buf path = BUF_INIT;
	struct kube_request r = {.verb = KUBE_WATCH,
	    .accept = path_accept_watch(w->kind),
	    .timeout_ms = ((uint64_t)seconds + 30) * 1000,
	    .on_begin = on_begin,
	    .on_data = on_data};

	w->state = w->synced ? WATCHING : INITIAL;
	w->verdict = GO_ON;
	w->events = 0;
	pace_sent(&w->pace, clock_ms());
	w->ends_ms = clock_ms() + (uint64_t)seconds * 1000;
	if (!w->synced)
		w->mark++;
	frames_reset(&w->frames);
	path_watch(&path, w->kind, w->ns,
	    w->synced ? span_str(buf_str(&w->version)) : SPAN_NONE, seconds);
	r.path = buf_str(&path);
	open_call(w, &r, watch_done);
	/* Some proxies hold back the headers until data follows, which in a
	 * watch may take a minute or more. */
	if (w->state == INITIAL)
		loop_after(app->loop, &w->timer, NO_ANSWER_MS, on_no_answer, w);
	buf_release(&path);
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
	app_reached(w->kind->app);
	switch (pages_page(&w->list, a->body, put, w)) {
	case LIST_MORE:
		again(w, 0);
		break;
	case LIST_WHOLE:
		synced(w, pages_version(&w->list));
		pages_reset(&w->list);
		if (!w->kind->app->once)
			again(w, 0);
		break;
	case LIST_BAD:
		kube_error_parse(&e, 500, span_str(w->list.bad));
		failed(w, &e);
		kube_error_release(&e);
		break;
	}
}

static void
start_list(struct watch *w)
{
	struct buf path = BUF_INIT;
	struct kube_request r = {
	    .verb = KUBE_LIST, .accept = path_accept_list(w->kind)};

	w->state = LISTING;
	if (pages_at_start(&w->list))
		w->mark++;
	path_list(&path, w->kind, w->ns, &w->list);
	r.path = buf_str(&path);
	open_call(w, &r, list_done);
	buf_release(&path);
}

/* Instead of a watch-list. */
static bool
lists(const struct watch *w)
{
	return w->kind->app->once || w->kind->no_watch_list ||
	    w->cut_short >= CUT_SHORT_MAX;
}

void
watch_relist(struct watch *w)
{
	w->every = true;
	if (!w->synced)
		return;
	if (w->call != NULL) {
		kube_cancel(w->call);
		close_call(w);
	}
	forget_version(w);
	again(w, 0);
}

static void
looked(void *arg, const struct kube_answer *a)
{
	struct watch *w = arg;
	struct kwatch *app = w->kind->app;

	close_call(w);
	if (kube_error_of_future(&a->error)) {
		app_went_back(app, a->error.message);
		return;
	}
	if (doubts(w, &a->error))
		return;
	/* Without the right to list, for one, it is not known. */
	w->unsure = kube_error_of_outage(&a->error);
	if (!w->unsure) {
		again(w, 0);
	} else if (a->code != 0) {
		failed(w, &a->error);
	} else {
		app_unreachable(app, a->error.message);
		again_later(w, PACE_CHEAP, -1);
	}
}

static void
look_back(struct watch *w)
{
	struct buf path = BUF_INIT;
	struct kube_request r = {.verb = KUBE_LIST, .timeout_ms = LOOK_MS};

	path_not_older(&path, w->kind, w->ns, buf_span(&w->version));
	r.path = buf_str(&path);
	open_call(w, &r, looked);
	buf_release(&path);
}

static void
start(void *arg)
{
	struct watch *w = arg;

	if (app_is_crowded(w->kind->app))
		again(w, 5);
	else if (w->synced && w->unsure && w->version.len > 0)
		look_back(w);
	else if (!w->synced && lists(w))
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
	if (w->call != NULL) {
		kube_cancel(w->call);
		close_call(w);
	}
	loop_cancel(w->kind->app->loop, &w->timer);
	frames_release(&w->frames);
	pages_release(&w->list);
	buf_release(&w->version);
	trouble_clear(&w->trouble);
	free(w);
}
