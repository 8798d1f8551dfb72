#include "app.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "kind.h"
#include "process/clock.h"
#include "process/log.h"

enum {
	FIRST_MS = 500,
	MAX_MS = 4000,
	LOOK_AGAIN_MS = 5000 /* for kinds that are not there; mostly a 304 */
};

/* ---- troubles ---- */

bool
app_trouble_set(
    struct trouble *t, enum trouble_kind kind, char *text, uint64_t now_ms)
{
	bool known = t->text != NULL && strcmp(t->text, text) == 0;

	if (t->text == NULL)
		t->since_ms = now_ms;
	t->kind = kind;
	free(t->text);
	t->text = text;
	return !known;
}

bool
app_trouble_clear(struct trouble *t)
{
	bool some = t->text != NULL;

	free(t->text);
	*t = (struct trouble){0};
	return some;
}

uint64_t
app_trouble_due(const struct trouble *t)
{
	if (t->text == NULL)
		return 0;
	return t->kind == TROUBLE_LASTING ? t->since_ms
					  : t->since_ms + TROUBLE_PATIENCE_MS;
}

void
app_reached(struct kwatch *app)
{
	if (!app_trouble_clear(&app->down))
		return;
	loop_cancel(app->loop, &app->down_timer);
	reportfd_unready(&app->report, "api", NULL);
	log_info("the API server answers again");
}

static void
still_down(void *arg)
{
	struct kwatch *app = arg;
	struct buf b = BUF_INIT;

	buf_addf(&b, "the API server does not answer: %s", app->down.text);
	reportfd_unready(&app->report, "api", buf_str(&b));
	buf_release(&b);
}

void
app_unreachable(struct kwatch *app, const char *message)
{
	bool known = app->down.text != NULL;

	app_trouble_set(
	    &app->down, TROUBLE_PASSING, mem_strdup(message), clock_ms());
	if (known)
		return;
	log_warning("%s: waiting for the API server", message);
	loop_at(app->loop, &app->down_timer, app_trouble_due(&app->down),
	    still_down, app);
}

void
app_release(struct kwatch *app)
{
	loop_cancel(app->loop, &app->down_timer);
	loop_cancel(app->loop, &app->discover_timer);
	app_trouble_clear(&app->down);
	free(app->said);
}

/*
 * A server takes 100 streams a connection or so, and libcurl then opens one
 * connection for each further request at a time. Requests that are sent one by
 * one find the newest connection and share it.
 */
bool
app_is_crowded(const struct kwatch *app)
{
	enum { CROWD = 90, ONE_BY_ONE_MS = 500 };

	return app->open >= CROWD && app->opening > 0 &&
	    clock_ms() - app->opened_ms < ONE_BY_ONE_MS;
}

void
app_went_back(struct kwatch *app, const char *message)
{
	log_warning("the server has gone back, as after a restore of etcd: "
		    "listing all again: %s",
	    message);
	for (size_t i = 0; i < app->kind_count; i++)
		kind_relist(app->kinds[i]);
}

void
app_add_kind(struct kwatch *app, struct watchspec *spec)
{
	app->kinds = mem_grow(app->kinds, app->kind_count, sizeof(*app->kinds));
	app->kinds[app->kind_count++] = kind_new(app, spec);
}

/* ---- what is not there ---- */

/*
 * Objects that are named and that the server does not have, after the initial
 * state. With --once: an error for each operand whose object is not there (the run has
 * failed), and a line if the others found nothing; without it the object may
 * still come. Without it: a line for each list of namespaces in which none of the
 * kinds that are watched there has an object; one that is misspelt would stay
 * silent for ever. (The server answers the same for a namespace that does not
 * exist, and to ask for that takes a right of its own.)
 */

/* The kind whose watches cover the operand. */
static const struct kind *
cover(const struct kind *k)
{
	return k->twin != NULL ? k->twin : k;
}

static bool
is_known(const struct kind *k)
{
	return k->spec->spelling != NULL && k->resource != NULL &&
	    !cover(k)->given_up;
}

static void
add_place(struct buf *b, const struct kind *k)
{
	const struct textlist *ns = &k->spec->namespaces;

	if (!k->resource->namespaced || ns->count == 0)
		return;
	buf_addf(b, " in namespace%s", ns->count > 1 ? "s" : "");
	for (size_t i = 0; i < ns->count; i++)
		buf_addf(b, "%s %s", i > 0 ? "," : "", ns->items[i]);
}

static void
say_object(struct kwatch *app, const struct kind *k)
{
	struct buf b = BUF_INIT;

	if (deltafifo_index_has(&cover(k)->index, k->spec->name))
		return;
	kind_describe(k, NULL, &b);
	buf_addf(&b, " \"%s\" not found", k->spec->name);
	add_place(&b, k);
	log_error("%s", buf_str(&b));
	buf_release(&b);
	app->failed = true;
}

static void
say_absent(struct kwatch *app)
{
	const struct kind *last = NULL;
	struct buf b = BUF_INIT;
	size_t found = 0;

	for (size_t i = 0; i < app->kind_count; i++) {
		const struct kind *k = app->kinds[i];

		if (!is_known(k))
			continue;
		if (k->spec->name != NULL) {
			say_object(app, k);
			continue;
		}
		found += deltafifo_index_count(&cover(k)->index);
		buf_adds(&b, last != NULL ? ", " : "no ");
		kind_describe(k, NULL, &b);
		if (last == NULL || k->resource->namespaced)
			last = k;
	}
	if (last != NULL && found == 0 && !app->failed) {
		buf_adds(&b, " found");
		add_place(&b, last);
		log_info("%s", buf_str(&b));
	}
	buf_release(&b);
}

static bool
has_places(const struct kind *k)
{
	return k->resource != NULL && k->resource->namespaced &&
	    !cover(k)->given_up && k->spec->name == NULL &&
	    k->spec->namespaces.count > 0;
}

static bool
same_places(const struct kind *a, const struct kind *b)
{
	const struct textlist *x = &a->spec->namespaces;
	const struct textlist *y = &b->spec->namespaces;

	if (!has_places(b) || x->count != y->count)
		return false;
	for (size_t i = 0; i < x->count; i++)
		if (strcmp(x->items[i], y->items[i]) != 0)
			return false;
	return true;
}

/* Appends the kinds that are watched where app->kinds[at] is. False: one of
 * them has an object, or an earlier kind is among them. */
static bool
list_empty(const struct kwatch *app, size_t at, struct buf *b)
{
	const struct kind *first = app->kinds[at];
	size_t found = 0;

	for (size_t i = 0; i < app->kind_count; i++) {
		const struct kind *k = app->kinds[i];

		if (!same_places(first, k))
			continue;
		if (i < at)
			return false;
		found += deltafifo_index_count(&cover(k)->index);
		buf_adds(b, i > at ? ", " : "no ");
		kind_describe(k, NULL, b);
	}
	return found == 0;
}

static void
say_empty(const struct kwatch *app)
{
	for (size_t i = 0; i < app->kind_count; i++) {
		const struct kind *k = app->kinds[i];
		struct buf b = BUF_INIT;

		if (has_places(k) && list_empty(app, i, &b)) {
			buf_adds(&b, " found");
			add_place(&b, k);
			log_info("%s", buf_str(&b));
		}
		buf_release(&b);
	}
}

/* ---- ready, or at an end ---- */

void
app_finish(struct kwatch *app, int exit_code)
{
	if (!app->ending)
		app->exit_code = exit_code;
	app->ending = true;
	loop_stop(app->loop);
}

void
app_fatal(struct kwatch *app, const char *message)
{
	log_fatal("%s", message);
	app_finish(app, EXIT_PERMANENT);
}

/* All kinds are settled, for the first time. */
void
app_settled(struct kwatch *app)
{
	if (--app->unsettled > 0 || app->ready)
		return;
	app->ready = true;
	if (app->once) {
		say_absent(app);
		app_finish(app, app->failed ? 1 : 0);
		return;
	}
	log_debug("all kinds are listed");
	say_empty(app);
	malloc_trim(0); /* pages of lists, long lines */
	reportfd_ready(&app->report);
	reportfd_send(&app->report);
}

/* ---- which kinds there are ---- */

static void
complain(struct kwatch *app, const struct kube_error *e)
{
	struct buf b = BUF_INIT;

	kube_error_public(&b, e, SPAN_NONE);
	if (app->said == NULL || strcmp(app->said, buf_str(&b)) != 0) {
		log_error(
		    "cannot read which kinds the server has: %s", buf_str(&b));
		free(app->said);
		app->said = buf_take(&b);
	}
	buf_release(&b);
}

static void
undiscovered(struct kwatch *app, const struct kube_error *e)
{
	uint64_t ms =
	    kube_backoff_next(&app->discover_backoff, FIRST_MS, MAX_MS);

	/* No trust, no login: this is permanent. */
	if (e->kind == ERR_PERMANENT && !app->discovered &&
	    (e->code == 0 || app->once)) {
		app_fatal(app, e->message);
		return;
	}
	if (e->code == 0) {
		app_unreachable(app, e->message);
	} else {
		app_reached(app);
		complain(app, e);
	}
	app_discover(app, ms);
}

static void
discovered(void *arg, const struct kube_error *e)
{
	struct kwatch *app = arg;
	bool missing = false;

	if (e != NULL) {
		undiscovered(app, e);
		return;
	}
	app->discovered = true;
	app_reached(app);
	free(app->said);
	app->said = NULL;
	app->discover_backoff = (struct kube_backoff){0};
	for (size_t i = 0; i < app->kind_count; i++)
		kind_discovered(app->kinds[i]);
	for (size_t i = 0; i < app->kind_count; i++)
		missing = missing || app->kinds[i]->resource == NULL;
	if (missing)
		app_discover(app, LOOK_AGAIN_MS);
}

static void
ask(void *arg)
{
	struct kwatch *app = arg;

	discovery_refresh(app->discovery, discovered, app);
}

void
app_discover(struct kwatch *app, uint64_t after_ms)
{
	struct timer *t = &app->discover_timer;

	/* The earlier of the two. */
	if (loop_timer_armed(t) && t->due_ms <= clock_ms() + after_ms)
		return;
	loop_after(app->loop, t, after_ms, ask, app);
}
