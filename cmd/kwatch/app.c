#include "app.h"

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

void
app_reached(struct kwatch *app)
{
	if (!trouble_clear(&app->down))
		return;
	loop_cancel(app->loop, &app->down_timer);
	app->on_unready(app, "api", NULL);
	log_info("the API server answers again");
}

static void
still_down(void *arg)
{
	struct kwatch *app = arg;
	struct buf b = BUF_INIT;

	buf_addf(&b, "the API server does not answer: %s", app->down.text);
	app->on_unready(app, "api", buf_str(&b));
	buf_release(&b);
}

void
app_unreachable(struct kwatch *app, const char *message)
{
	bool known = app->down.text != NULL;

	trouble_set(
	    &app->down, TROUBLE_PASSING, mem_strdup(message), clock_ms());
	if (known)
		return;
	log_warning("%s: waiting for the API server", message);
	loop_at(app->loop, &app->down_timer, trouble_due(&app->down),
	    still_down, app);
}

void
app_release(struct kwatch *app)
{
	loop_cancel(app->loop, &app->down_timer);
	loop_cancel(app->loop, &app->discover_timer);
	trouble_clear(&app->down);
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
app_add_kind(struct kwatch *app, struct want *want)
{
	app->kinds = mem_grow(app->kinds, app->kind_count, sizeof(*app->kinds));
	app->kinds[app->kind_count++] = kind_new(app, want);
}

void
app_settled(struct kwatch *app)
{
	if (--app->unsettled > 0 || app->ready)
		return;
	app->ready = true;
	app->on_ready(app);
}

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
look_again(struct kwatch *app)
{
	for (size_t i = 0; i < app->kind_count; i++) {
		if (kind_missing(app->kinds[i])) {
			app_discover(app, LOOK_AGAIN_MS);
			return;
		}
	}
}

static void
discovered(void *arg, const struct kube_error *e)
{
	struct kwatch *app = arg;

	if (e != NULL) {
		uint64_t ms =
		    kube_backoff_next(&app->discover_backoff, FIRST_MS, MAX_MS);

		/* No trust, no login: this is permanent. */
		if (e->kind == ERR_PERMANENT && !app->discovered &&
		    (e->code == 0 || app->once)) {
			app->on_fatal(app, e->message);
			return;
		}
		if (e->code == 0) {
			app_unreachable(app, e->message);
		} else {
			app_reached(app);
			complain(app, e);
		}
		app_discover(app, ms);
		return;
	}
	app->discovered = true;
	app_reached(app);
	free(app->said);
	app->said = NULL;
	app->discover_backoff = (struct kube_backoff){0};
	for (size_t i = 0; i < app->kind_count; i++)
		kind_discovered(app->kinds[i]);
	look_again(app);
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
