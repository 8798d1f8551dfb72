#include "showing.h"

#include <stdlib.h>
#include <sys/random.h>

#include "base/array.h"
#include "base/mem.h"
#include "httpd/local.h"
#include "json/json.h"
#include "pageline.h"
#include "pageparts.h"
#include "process/clock.h"
#include "process/log.h"
#include "standing.h"
#include "visitor.h"

enum { ALIVE_MS = 15000, SWEEP_LEAST = 1024, STATE_MAX = 16 * 1024 };

/* The whole history may wait for one client, and as much again. */
static const struct httpd_limits limits = {
    .header_bytes = 32 << 10,
    .body_bytes = 4 << 10,
    .queued_bytes = 2 * HISTORY_BYTES,
    .header_ms = 10000,
    .body_ms = 10000,
    .write_ms = 20000,
    .connections = 32,
    .streams = 4,
};

/* ---- clients ---- */

static void
forget_client(struct showing_client *c)
{
	struct showing_client **at = &c->showing->clients;

	while (*at != c)
		at = &(*at)->next;
	*at = c->next;
	free(c);
}

/* False: it does not read, and is gone. */
static bool
send_text(struct showing_client *c, struct text *t)
{
	if (httpd_send(c->x, t) == 0)
		return true;
	log_info("a client that does not read was cut");
	forget_client(c);
	return false;
}

static void
send_all(struct showing *s, struct text *t)
{
	struct showing_client *c, *next;

	for (c = s->clients; c != NULL; c = next) {
		next = c->next;
		send_text(c, t);
	}
}

/* Whose right was asked for long ago: it comes again. */
static void
end_old(struct showing *s)
{
	struct showing_client *c, *next;

	for (c = s->clients; c != NULL; c = next) {
		next = c->next;
		if (clock_ms() - c->since_ms < SHOWING_REVIEW_MS)
			continue;
		httpd_end(c->x);
		forget_client(c);
	}
}

static void
keep_alive(void *arg)
{
	struct showing *s = arg;
	struct text *t = text_make(span_str(": alive\n\n"));

	if (s->review != NULL)
		end_old(s);
	send_all(s, t);
	text_unref(t);
	loop_after(s->loop, &s->alive, ALIVE_MS, keep_alive, s);
}

/* ---- lines ---- */

/* The line that was made: for all that look, and those to come. */
static void
tell(struct showing *s, struct track *row)
{
	send_all(s, history_add(&s->history, buf_span(&s->line), row));
	buf_reset(&s->line);
}

static void
tell_track(struct showing *s, struct track *t)
{
	if (t->told)
		return;
	t->told = t->live = true;
	pageline_add_track(&s->line, t);
	tell(s, NULL);
}

/* And those above: a loop, for there may be very many. */
static void
tell_parents(struct showing *s, struct track *t)
{
	for (; t->parent != t->told_parent; t = t->parent) {
		tell_track(s, t->parent);
		t->told_parent = t->parent;
		pageline_add_parent(&s->line, t);
		tell(s, NULL);
	}
}

static void
add_standing(struct buf *b, const struct track *t)
{
	buf_addf(b, "{\"track\":%zu,\"standing\":%s}", t->index,
	    t->standing != NULL ? t->standing : "null");
}

static void
tell_standing(struct showing *s, struct track *t)
{
	struct buf now = BUF_INIT;

	if (t->object != NULL)
		standing_add(&now, text_span(t->object));
	if (span_eq(buf_span(&now), span_str(t->standing))) {
		buf_release(&now);
		return;
	}
	free(t->standing);
	t->standing = now.len > 0 ? buf_take(&now) : NULL;
	buf_release(&now);
	add_standing(&s->line, t);
	tell(s, NULL);
}

void
showing_row(struct showing *s, const struct viewrow *row)
{
	struct viewrow timed = *row;

	/* Here it is known at least when it came. */
	if (!timed.has_time)
		timed.us = (int64_t)clock_real_us();
	timed.has_time = true;
	tell_track(s, row->track);
	tell_parents(s, row->track);
	pageline_add_row(&s->line, &timed);
	tell(s, row->track);
	s->touched = row->track;
}

static void
tell_forgotten(void *arg, const struct track *t)
{
	struct showing *s = arg;

	if (!t->told)
		return;
	buf_addf(&s->line, "{\"forget\":%zu}", t->index);
	tell(s, NULL);
}

static void
add_state(struct buf *b, struct span state)
{
	buf_adds(b, "{\"state\":");
	buf_addspan(b, state);
	buf_addc(b, '}');
}

void
showing_line(struct showing *s)
{
	struct span state = buf_span(&s->story->state);

	if (s->touched != NULL)
		tell_standing(s, s->touched);
	s->touched = NULL;
	if (state.n > 0 && state.n < STATE_MAX &&
	    !span_eq(state, buf_span(&s->state))) {
		buf_reset(&s->state);
		buf_addspan(&s->state, state);
		add_state(&s->line, state);
		tell(s, NULL);
	}
	if (tracks_known(&s->story->tracks) < 2 * s->swept + SWEEP_LEAST)
		return;
	tracks_sweep(&s->story->tracks, tell_forgotten, s);
	s->swept = tracks_known(&s->story->tracks);
}

void
showing_end(struct showing *s)
{
	s->ended = true;
	buf_adds(&s->line, "{\"ended\":true}");
	tell(s, NULL);
}

/* ---- all that is known ---- */

static void
add_data(struct buf *b, struct buf *line)
{
	buf_adds(b, "data: ");
	pageline_add_escaped(b, buf_span(line));
	buf_addc(b, '\n');
	buf_reset(line);
}

static void
add_tracks(const struct tracks *all, struct buf *b)
{
	struct buf line = BUF_INIT;

	for (size_t i = 0; i < all->count; i++) {
		const struct track *t = all->list[i];

		if (t == NULL || !t->told)
			continue;
		pageline_add_track(&line, t);
		add_data(b, &line);
		if (t->standing != NULL) {
			add_standing(&line, t);
			add_data(b, &line);
		}
	}
	for (size_t i = 0; i < all->count; i++) {
		const struct track *t = all->list[i];

		if (t == NULL || !t->told || t->told_parent == NULL)
			continue;
		pageline_add_parent(&line, t);
		add_data(b, &line);
	}
	buf_release(&line);
}

/* Its number is that of the line before the oldest row: from there on a client
 * may go on. */
static struct text *
make_known(const struct showing *s)
{
	struct buf b = BUF_INIT, line = BUF_INIT;
	struct text *t;

	buf_adds(&b, "event: reset\ndata: {}\n\n");
	buf_addf(&line, "{\"now\":%llu}", (unsigned long long)clock_real_us());
	add_data(&b, &line);
	add_tracks(&s->story->tracks, &b);
	if (s->state.len > 0) {
		add_state(&line, buf_span(&s->state));
		add_data(&b, &line);
	}
	buf_addc(&b, '\n');
	t = text_make(buf_span(&b));
	buf_release(&b);
	buf_release(&line);
	return t;
}

/* The lines of the history from n on. All that is known has said of tracks what
 * lines without a row say. */
static void
send_history(struct showing_client *c, uint64_t n, bool rows_only)
{
	const struct showing *s = c->showing;

	for (; n < s->history.next; n++) {
		const struct history_line *l = history_get(&s->history, n);

		if (rows_only && l->row == NULL && n + 1 < s->history.next)
			continue;
		if (!send_text(c, l->event))
			return;
	}
}

static void
send_known(struct showing_client *c)
{
	struct text *known = make_known(c->showing);
	bool sent = send_text(c, known);

	text_unref(known);
	if (sent)
		send_history(c, c->showing->history.first, true);
}

/* ---- requests ---- */

static void
reply_str(struct exchange *x, int status, const char *text)
{
	const struct httpd_header headers[] = {
	    {span_str("content-type"), span_str("text/plain; charset=utf-8")},
	    {span_str("x-content-type-options"), span_str("nosniff")},
	    {span_str("allow"), span_str("GET")}};

	httpd_reply(x, status, headers, status == 405 ? 3 : 2, span_str(text));
}

static void
reply_page(struct showing *s, struct exchange *x)
{
	const struct httpd_header headers[] = {
	    {span_str("content-type"), span_str("text/html; charset=utf-8")},
	    {span_str("x-content-type-options"), span_str("nosniff")},
	    {span_str("content-security-policy"), buf_span(&s->policy)},
	    {span_str("referrer-policy"), span_str("no-referrer")},
	    {span_str("cache-control"), span_str("no-store")}};

	httpd_reply(x, 200, headers, COUNT(headers), buf_span(&s->page));
}

static void
on_close(void *arg)
{
	forget_client(arg);
}

static void
start_events(struct showing *s, struct exchange *x, struct span last_id)
{
	const struct httpd_header headers[] = {
	    {span_str("content-type"), span_str("text/event-stream")},
	    {span_str("x-content-type-options"), span_str("nosniff")},
	    {span_str("cache-control"), span_str("no-store")}};
	struct showing_client *c = mem_zalloc(sizeof(*c));
	uint64_t n;
	bool goes_on = history_after(&s->history, last_id, &n);

	*c = (struct showing_client){s->clients, s, x, clock_ms()};
	s->clients = c;
	httpd_on_close(x, on_close, c);
	httpd_start(x, 200, headers, COUNT(headers));
	if (goes_on)
		send_history(c, n, false);
	else
		send_known(c);
}

static void
serve(void *arg, struct exchange *x, bool events, struct span last_id)
{
	struct showing *s = arg;

	if (events)
		start_events(s, x, last_id);
	else
		reply_page(s, x);
}

static void
on_request(void *arg, struct exchange *x, const struct httpd_request *r)
{
	struct showing *s = arg;
	bool events = span_is(r->path, "/events");

	if (s->review == NULL && !local_is_host(httpd_header(r, "host")))
		reply_str(x, 403,
		    "403 the host of the request is not this machine: use "
		    "localhost or 127.0.0.1\n");
	else if (!span_is(r->method, "GET"))
		reply_str(x, 405, "405 method not allowed\n");
	else if (!events && !span_is(r->path, "/"))
		reply_str(x, 404, "404 page not found\n");
	else if (s->review != NULL)
		visitor_ask(s->review, x, r, events, serve, s);
	else
		serve(s, x, events, httpd_header(r, "last-event-id"));
}

static void
on_too_large(void *arg, struct exchange *x, const struct httpd_request *r)
{
	(void)arg;
	(void)r;
	reply_str(x, 413, "413 the body is too large\n");
}

/* ---- open and close ---- */

int
showing_open(struct showing *s, struct loop *l, struct story *story,
    const char *address, struct gate *gate, struct err *err)
{
	const struct httpd_tls *tls = gate != NULL ? &gate->tls : NULL;
	const struct httpd_handler handler = {
	    .on_request = on_request, .on_too_large = on_too_large, .arg = s};

	*s = (struct showing){.loop = l, .story = story};
	s->httpd = httpd_new(l, address, tls, &limits, &handler, err);
	if (s->httpd == NULL)
		return -1;
	if (gate != NULL) {
		s->review = gate->review;
		gate_watch(gate, s->httpd);
	}
	history_init(&s->history, HISTORY_LINES, HISTORY_BYTES);
	if (getrandom(&s->history.letters, sizeof(s->history.letters), 0) < 0)
		s->history.letters = (uint32_t)clock_real_us();
	pageparts_add_live(&s->page, &s->policy);
	tracks_pipeline(&story->tracks)->live = true;
	loop_after(l, &s->alive, ALIVE_MS, keep_alive, s);
	return 0;
}

void
showing_close(struct showing *s)
{
	if (s->httpd == NULL)
		return;
	loop_cancel(s->loop, &s->alive);
	httpd_free(s->httpd);
	history_release(&s->history);
	buf_release(&s->page);
	buf_release(&s->policy);
	buf_release(&s->line);
	buf_release(&s->state);
}
