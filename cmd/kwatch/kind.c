#include "kind.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "process/clock.h"
#include "process/log.h"
#include "watch.h"

static const char *const event_names[KIND_EVENTS] = {
    "ADDED", "MODIFIED", "DELETED", "BOOKMARK", "ERROR"};

static void
set_names(
    struct kind *k, const char *group, const char *version, const char *kind)
{
	struct buf b = BUF_INIT;

	k->group = mem_strdup(group);
	k->kind = mem_strdup(kind);
	buf_addf(&b, "%s%s%s", group, *group != '\0' ? "/" : "", version);
	k->api_version = buf_take(&b);
	buf_addf(&b, "%s%s%s", kind, *group != '\0' ? "." : "", group);
	k->name = buf_take(&b);
	k->index.api_version = k->api_version;
	k->index.kind = k->kind;
}

struct kind *
kind_new(struct kwatch *app, struct watchspec *spec)
{
	struct kind *k = mem_zalloc(sizeof(*k));

	k->app = app;
	k->spec = spec;
	if (spec->kind != NULL)
		set_names(k, spec->group, spec->version, spec->kind);
	app->unsettled++;
	return k;
}

static void
stop_watches(struct kind *k)
{
	for (size_t i = 0; i < k->watch_count; i++)
		watch_free(k->watches[i]);
	free(k->watches);
	k->watches = NULL;
	k->watch_count = 0;
}

void
kind_free(struct kind *k)
{
	stop_watches(k);
	deltafifo_index_release(&k->index);
	free(k->group);
	free(k->api_version);
	free(k->kind);
	free(k->name);
	loop_cancel(k->app->loop, &k->trouble_timer);
	app_trouble_clear(&k->trouble);
	free(k);
}

void
kind_announce(struct kind *k)
{
	if (k->kind == NULL || (k->state == KIND_OPEN && !k->partial))
		return;
	k->state = KIND_OPEN;
	k->partial = false;
	deltafifo_bookmark(
	    k->app->deltafifo, &k->index, DELTAFIFO_BEGIN, "true");
}

/* ---- its troubles ---- */

/* A trouble that counts by now; *due is when the next one will count. */
static const struct trouble *
worst(const struct trouble *a, const struct trouble *b, uint64_t *due)
{
	uint64_t at = app_trouble_due(b);

	if (at == 0 || a != NULL)
		return a;
	if (at <= clock_ms())
		return b;
	if (*due == 0 || at < *due)
		*due = at;
	return NULL;
}

static void on_trouble_due(void *arg);

void
kind_say_undecided(struct kind *k)
{
	const struct textlist *of = &k->spec->deciders;
	struct buf b = BUF_INIT;

	if (k->said_undecided || k->state == KIND_COMPLETE || k->app->once ||
	    of->count == 0)
		return;
	k->said_undecided = true;
	for (size_t i = 0; i < of->count; i++)
		buf_addf(&b, "%s%s", i > 0 ? ", " : "", of->items[i]);
	log_warning("nothing is decided for %s until this works%s: all of %s "
		    "must be known",
	    buf_str(&b),
	    k->watch_count > 1 ? ", but for those that see nothing there" : "",
	    k->name);
	buf_release(&b);
}

/* Tells the reader which namespaces were listed, while others cannot be. */
static void
tell_listed(struct kind *k)
{
	struct buf names = BUF_INIT;

	if (k->state != KIND_OPEN || !k->unready || k->app->once)
		return;
	for (size_t i = 0; i < k->watch_count; i++) {
		struct watch *w = k->watches[i];

		if (!w->ever_synced || w->told || w->ns == NULL)
			continue;
		w->told = k->partial = true;
		buf_addf(&names, "%s%s", names.len > 0 ? "," : "", w->ns);
	}
	if (names.len > 0)
		deltafifo_bookmark(k->app->deltafifo, &k->index,
		    DELTAFIFO_LISTED, buf_str(&names));
	buf_release(&names);
}

/* Missing rights in a selected namespace are for its owner to mend. They hold up
 * what is there, and nothing else. */
static bool
is_of_room(const struct watch *w)
{
	return w->room != NULL && w->trouble.kind == TROUBLE_LASTING;
}

/* Selected namespaces in which the kind cannot be watched are not waited for.
 * With --once the run has failed then. */
static void
excuse(struct kind *k)
{
	for (size_t i = 0; i < k->watch_count; i++) {
		struct watch *w = k->watches[i];
		uint64_t due = app_trouble_due(&w->trouble);

		if (w->room == NULL || w->ever_synced || w->excused ||
		    due == 0 || due > clock_ms() ||
		    (k->app->once && !is_of_room(w)))
			continue;
		w->excused = true;
		k->app->failed = k->app->failed || k->app->once;
		rooms_excuse(w);
		kind_watch_synced(k);
	}
}

void
kind_trouble_changed(struct kind *k)
{
	uint64_t due = 0;
	const struct trouble *t = worst(NULL, &k->trouble, &due);

	excuse(k);
	for (size_t i = 0; i < k->watch_count; i++)
		if (!is_of_room(k->watches[i]))
			t = worst(t, &k->watches[i]->trouble, &due);
	loop_cancel(k->app->loop, &k->trouble_timer);
	if (t == NULL && due != 0)
		loop_at(
		    k->app->loop, &k->trouble_timer, due, on_trouble_due, k);
	if (k->name == NULL || (t == NULL && !k->unready))
		return;
	k->unready = t != NULL;
	reportfd_unready(&k->app->report, k->name, t != NULL ? t->text : NULL);
	tell_listed(k);
}

static void
on_trouble_due(void *arg)
{
	kind_trouble_changed(arg);
}

static void
set_trouble(struct kind *k, enum trouble_kind kind, const char *text)
{
	app_trouble_set(&k->trouble, kind, mem_strdup(text), clock_ms());
	kind_trouble_changed(k);
}

/* ---- its initial state ---- */

static void
settle(struct kind *k)
{
	if (k->settled)
		return;
	k->settled = true;
	app_settled(k->app);
}

static void
complete(struct kind *k)
{
	if (k->state == KIND_OPEN)
		deltafifo_bookmark(
		    k->app->deltafifo, &k->index, DELTAFIFO_END, "true");
	k->state = KIND_COMPLETE;
	k->said_undecided = false;
	k->whole_ms = clock_ms();
	if (app_trouble_clear(&k->trouble))
		kind_trouble_changed(k);
	settle(k);
}

void
kind_watch_given_up(struct kind *k)
{
	k->app->failed = k->given_up = true;
	if (--k->incomplete == 0)
		settle(k);
}

void
kind_watch_synced(struct kind *k)
{
	if (--k->incomplete > 0)
		tell_listed(k);
	else if (k->given_up)
		settle(k);
	else
		complete(k);
}

static void
start_watches(struct kind *k)
{
	const struct textlist *ns = &k->spec->namespaces;
	bool everywhere =
	    watchspec_is_everywhere(k->spec) || !k->resource->namespaced;
	size_t count = everywhere ? 1 : ns->count;

	/* The kind was lost and found again: its watches compare, as after a
	 * 410. */
	if (k->gone || k->state == KIND_NEW)
		kind_announce(k);
	k->gone = false;
	if (rooms_are_of(k))
		rooms_restart(k->app);
	k->watches = mem_array(NULL, count, sizeof(*k->watches));
	k->watch_count = k->incomplete = count;
	for (size_t i = 0; i < count; i++)
		k->watches[i] = watch_new(k, everywhere ? NULL : ns->items[i]);
	if (everywhere || k->spec->room_count == 0)
		return;
	k->waits_for_rooms = true;
	k->incomplete++;
	rooms_enter(k);
	if (k->app->rooms.listed)
		kind_rooms_listed(k);
}

/* ---- selected namespaces ---- */

void
kind_rooms_listed(struct kind *k)
{
	k->waits_for_rooms = false;
	kind_watch_synced(k);
}

void
kind_enter(struct kind *k, struct room *room)
{
	struct watch *w = watch_new(k, room->name);

	w->room = room;
	k->watches =
	    mem_array(k->watches, k->watch_count + 1, sizeof(*k->watches));
	k->watches[k->watch_count++] = w;
	k->incomplete++;
}

void
kind_leave(struct kind *k, struct watch *w)
{
	bool counted = !w->ever_synced && !w->excused;
	const struct room *room = w->room;
	size_t i = 0;

	while (k->watches[i] != w)
		i++;
	k->watches[i] = k->watches[--k->watch_count];
	watch_free(w);
	deltafifo_index_leave(k->app->deltafifo, &k->index, room->name);
	kind_trouble_changed(k);
	if (counted)
		kind_watch_synced(k);
}

/*
 * The operand is a category ("all"): becomes the first of its resources; the
 * others are new kinds. NULL: it is not.
 */
static const struct api_resource *
expand(struct kind *k)
{
	struct kwatch *app = k->app;
	const struct api_resource *r, *first = NULL;

	if (k->spec->name != NULL)
		return NULL;
	for (size_t at = 0; (r = discovery_category(app->discovery,
				 k->spec->spelling, &at)) != NULL;) {
		if (!r->can_list || !r->can_watch)
			continue;
		if (first == NULL)
			first = r;
		else
			app_add_kind(app,
			    watchspecs_add_like(
				app->specs, k->spec, r->plural, r->group));
	}
	if (first != NULL)
		watchspec_respell(k->spec, first->plural, first->group);
	return first;
}

/* `pods NAME`, as kubectl would have it, is two resources here. */
static void
hint_name(const struct kind *k, struct err *err)
{
	const struct kwatch *app = k->app;
	const struct kind *type = NULL;
	const struct err plain = *err;

	for (size_t i = 0; i < app->kind_count && app->kinds[i] != k; i++)
		if (app->kinds[i]->spec->spelling != NULL &&
		    app->kinds[i]->resource != NULL)
			type = app->kinds[i];
	if (type != NULL && type->spec->name == NULL)
		err_set(err, plain.kind,
		    "%s; an object of this name is spelled %s/%s",
		    plain.message, type->resource->plural, k->spec->spelling);
}

static const struct api_resource *
find(struct kind *k, struct err *err)
{
	const struct watchspec *w = k->spec;
	const struct api_resource *r;

	if (w->spelling != NULL) {
		r = discovery_resolve(k->app->discovery, w->spelling, err);
		if (r == NULL)
			r = expand(k);
		if (r == NULL)
			hint_name(k, err);
		return r;
	}
	r = discovery_find(k->app->discovery, span_str(w->group),
	    span_str(w->version), span_str(w->kind));
	if (r == NULL)
		err_set(err, ERR_GONE, "the server has no %s in %s", k->kind,
		    k->api_version);
	return r;
}

static void
missing(struct kind *k, const struct err *err)
{
	bool optional = k->spec->missing == WATCHSPEC_OPTIONAL;

	if (k->spec->missing == WATCHSPEC_FATAL && k->kind == NULL) {
		app_fatal(k->app, err->message);
		return;
	}
	if (!k->said_missing && optional)
		log_info(
		    "%s: continuing without it until it exists", err->message);
	else if (!k->said_missing && k->app->once)
		log_error("%s", err->message);
	else if (!k->said_missing)
		log_warning("%s: waiting for it", err->message);
	k->said_missing = true;
	if (!optional)
		set_trouble(k, TROUBLE_LASTING, err->message);
	if (k->app->once && !optional) {
		k->app->failed = k->given_up = true;
		settle(k);
	}
	if (k->gone)
		return;
	k->gone = true;
	deltafifo_index_sweep(k->app->deltafifo, &k->index, NULL, 0);
	if (k->state == KIND_NEW || !optional)
		kind_announce(k); /* incomplete until it is back */
	if (optional) {
		deltafifo_bookmark(
		    k->app->deltafifo, &k->index, DELTAFIFO_ABSENT, "true");
		complete(k);
	}
}

/* A kind that is watched already, if its watch covers this operand, too. */
static struct kind *
find_twin(const struct kind *k, const struct api_resource *r)
{
	struct buf version = BUF_INIT;
	struct kind *found = NULL;

	if (k->kind != NULL)
		return NULL;
	buf_addf(&version, "%s%s%s", r->group, *r->group != '\0' ? "/" : "",
	    r->version);
	for (size_t i = 0; i < k->app->kind_count && found == NULL; i++) {
		struct kind *t = k->app->kinds[i];

		if (t->kind != NULL && strcmp(t->kind, r->kind) == 0 &&
		    strcmp(t->api_version, buf_str(&version)) == 0 &&
		    watchspec_fits(t->spec, k->spec))
			found = t;
	}
	buf_release(&version);
	return found;
}

/* Leaves an operand to another kind that covers it: the operand is announced
 * and printed once. */
static void
leave_to(struct kind *k, struct kind *twin)
{
	struct err err = ERR_INIT;

	if (watchspec_unite(twin->spec, k->spec, &err) != 0) {
		app_fatal(k->app, err.message);
		return;
	}
	k->twin = twin;
	if (twin->watch_count > 0) {
		stop_watches(twin);
		start_watches(twin);
	}
	settle(k);
}

void
kind_discovered(struct kind *k)
{
	const struct watchspec *w = k->spec;
	struct err err = ERR_INIT;
	const struct api_resource *r;
	struct kind *twin;

	if (k->resource != NULL)
		return;
	r = find(k, &err);
	if (r != NULL && !(r->can_list && r->can_watch)) {
		err_set(&err, ERR_PERMANENT, "%s cannot be watched", r->plural);
		r = NULL;
	}
	if (r == NULL) {
		/* An answer that is not complete says nothing. */
		if (w->spelling != NULL ||
		    !discovery_stale(k->app->discovery, span_str(w->group),
			span_str(w->version)))
			missing(k, &err);
		return;
	}
	if (k->said_missing)
		log_info("%s is there now", r->plural);
	k->said_missing = false;
	k->resource = r;
	twin = find_twin(k, r);
	if (twin != NULL) {
		leave_to(k, twin);
		return;
	}
	if (k->kind == NULL)
		set_names(k, r->group, r->version, r->kind);
	start_watches(k);
}

void
kind_relist(struct kind *k)
{
	for (size_t i = 0; i < k->watch_count; i++)
		watch_relist(k->watches[i]);
}

void
kind_lost(struct kind *k, const struct kube_error *e)
{
	enum { FIRST_MS = 500, MAX_MS = 15000, STEADY_MS = 30000 };
	struct buf b = BUF_INIT;

	if (k->whole_ms != 0 && clock_ms() - k->whole_ms >= STEADY_MS)
		k->backoff = (struct kube_backoff){0};
	k->whole_ms = 0;
	stop_watches(k);
	buf_adds(&b, "cannot watch ");
	kind_describe(k, NULL, &b);
	buf_adds(&b, ": ");
	kube_error_public(&b, e, SPAN_NONE);
	k->resource = NULL;
	rooms_look(k->app);
	set_trouble(k, TROUBLE_PASSING, buf_str(&b));
	buf_release(&b);
	app_discover(k->app, kube_backoff_next(&k->backoff, FIRST_MS, MAX_MS));
}

void
kind_describe(const struct kind *k, const char *ns, struct buf *out)
{
	const struct api_resource *r = k->resource;

	buf_addf(
	    out, "%s%s%s", r->plural, *r->group != '\0' ? "." : "", r->group);
	if (ns != NULL)
		buf_addf(out, " in namespace %s", ns);
}

void
kind_describe_refused(
    const struct kind *k, const char *ns, int code, struct buf *out)
{
	const struct watchspec *w = k->spec;

	kind_describe(k, ns, out);
	if (code != 400)
		return;
	if (watchspec_selects(w->selector))
		buf_addf(out, " with the selector \"%s\"", w->selector);
	if (w->field_selector != NULL)
		buf_addf(
		    out, " with the field selector \"%s\"", w->field_selector);
}

void
kind_count(struct kind *k, struct span type)
{
	for (int i = 0; i < KIND_EVENTS; i++)
		if (span_is(type, event_names[i]))
			k->events[i]++;
}

void
kind_metrics(const struct kind *k, struct metric_lines *m)
{
	for (int i = 0; k->kind != NULL && i < KIND_EVENTS; i++)
		metric_add(m, METRIC_WATCH_EVENTS,
		    METRIC_LABELS(k->name, event_names[i]),
		    (double)k->events[i]);
}
