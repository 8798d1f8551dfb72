#include "serving.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "access/access_calls.h"
#include "access/gate.h"
#include "base/array.h"
#include "base/mem.h"
#include "history.h"
#include "httpd/httpd.h"
#include "httpd/local.h"
#include "pagefile.h"
#include "process/clock.h"
#include "process/log.h"
#include "process/loop.h"
#include "process/opt.h"
#include "record/intake.h"
#include "report/reportfd.h"
#include "story.h"
#include "value/base64.h"

enum {
	REVIEW_MS = 300000,
	ALIVE_MS = 15000,
	SWEEP_LEAST = 1024,
	STATE_MAX = 16 * 1024
};

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

/* A client that gets events. */
struct client {
	struct client *next;
	struct serving *serving;
	struct exchange *x;
	uint64_t since_ms;
};

/* A request whose user is being looked up. */
struct visitor {
	struct serving *serving;
	struct exchange *x;
	struct review_call *call;
	bool events;
	char *last_id; /* owned; or NULL */
};

struct serving {
	const struct serving_opts *o;
	struct loop *loop;
	struct story story;
	struct intake intake;
	struct gate gate; /* without a review: only for this machine */
	struct reportfd report;
	bool begun; /* a segment was seen, or none is needed */
	bool complained;
	struct history history;
	struct httpd *httpd;
	struct buf page, policy; /* the answer to GET /, and its header */
	struct client *clients;
	struct timer alive;
	struct buf line;       /* the line in the making */
	struct buf state;      /* the last that was told */
	struct track *touched; /* borrowed: of the row before; or NULL */
	size_t swept;	       /* tracks that were left after the last sweep */
};

int
serving_check(const struct serving_opts *o, struct err *err)
{
	if (o->cert_path != NULL && !o->secure)
		return err_set(
		    err, ERR_PERMANENT, "option --cert-path needs --secure");
	if (!o->secure && !local_is_address(o->address))
		return err_set(err, ERR_PERMANENT,
		    "option --serve=%s: without --secure the page is for this "
		    "machine only: 127.0.0.1:PORT, [::1]:PORT or "
		    "localhost:PORT, which kubectl port-forward and ssh -L "
		    "reach from elsewhere",
		    o->address);
	return opt_check_fd("report-fd", o->report_fd, err);
}

/* ---- clients ---- */

static void
forget_client(struct client *c)
{
	struct client **at = &c->serving->clients;

	while (*at != c)
		at = &(*at)->next;
	*at = c->next;
	free(c);
}

/* False: it does not read, and is gone. */
static bool
send_text(struct client *c, struct text *t)
{
	if (httpd_send(c->x, t) == 0)
		return true;
	log_info("a client that does not read was cut");
	forget_client(c);
	return false;
}

static void
send_all(struct serving *s, struct text *t)
{
	struct client *c, *next;

	for (c = s->clients; c != NULL; c = next) {
		next = c->next;
		send_text(c, t);
	}
}

static void
keep_alive(void *arg)
{
	struct serving *s = arg;
	struct client *c, *next;
	struct text *t = text_make(span_str(": alive\n\n"));

	/* A client whose right was asked for long ago comes again. */
	for (c = s->clients; c != NULL; c = next) {
		next = c->next;
		if (s->gate.review == NULL ||
		    clock_ms() - c->since_ms < REVIEW_MS)
			continue;
		httpd_end(c->x);
		forget_client(c);
	}
	send_all(s, t);
	text_unref(t);
	loop_after(s->loop, &s->alive, ALIVE_MS, keep_alive, s);
}

/* ---- lines for them ---- */

/* The line that was made: for all that look, and those to come. */
static void
tell(struct serving *s, struct track *row)
{
	send_all(s, history_add(&s->history, buf_span(&s->line), row));
	buf_reset(&s->line);
}

static void
tell_line(void *arg)
{
	tell(arg, NULL);
}

static void
add_standing(struct buf *b, const struct track *t)
{
	buf_addf(b, "{\"track\":%zu,\"standing\":%s}", t->index,
	    t->standing != NULL ? t->standing : "null");
}

static void
tell_standing(struct serving *s, struct track *t)
{
	struct buf now = BUF_INIT;

	if (t->object != NULL)
		track_add_standing(&now, text_span(t->object));
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

static void
take_row(void *arg, const struct viewrow *row)
{
	struct serving *s = arg;
	struct viewrow timed = *row;

	/* A row without a time has at least that when it came. */
	if (!timed.has_time)
		timed.us = (int64_t)clock_real_us();
	timed.has_time = true;
	viewrow_tell_track(row->track, VIEWROW_LIVE, &s->line, tell_line, s);
	viewrow_add_json(&s->line, &timed);
	tell(s, row->track);
	s->touched = row->track;
}

static void
tell_forgotten(void *arg, const struct track *t)
{
	struct serving *s = arg;

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

/* Tells everything that a line has changed besides its rows. */
static void
tell_changes(struct serving *s)
{
	struct span state = buf_span(&s->story.state);

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
	if (tracks_known(&s->story.tracks) < 2 * s->swept + SWEEP_LEAST)
		return;
	tracks_sweep(&s->story.tracks, tell_forgotten, s);
	s->swept = tracks_known(&s->story.tracks);
}

/* ---- input ---- */

static void
take_line(void *arg, const struct reading_line *line, bool bad)
{
	struct serving *s = arg;
	struct reading_line shown = *line;

	if (!bad && line->kind == READING_SEGMENT)
		s->begun = true;
	if (!s->begun)
		return;
	if (!bad) {
		story_line(&s->story, line);
		tell_changes(s);
		return;
	}
	/* Logged once: it is in the page, too. */
	if (!s->complained)
		log_warning(
		    "%s; further ones are not mentioned", line->err.message);
	s->complained = true;
	/* The process that wrote it was killed. */
	shown.cut = line->cut || s->o->attached;
	story_bad(&s->story, &shown);
	tell_changes(s);
}

static void
on_input(void *arg, int fd, int events)
{
	struct serving *s = arg;

	(void)events;
	if (intake_read(&s->intake))
		return;
	if (s->intake.err.kind != ERR_NONE)
		log_warning("%s", s->intake.err.message);
	loop_unwatch(s->loop, fd);
	if (s->o->attached) {
		loop_stop(s->loop);
		return;
	}
	log_info("the input has ended; the page stays");
	buf_adds(&s->line, "{\"ended\":true}");
	tell(s, NULL);
}

/* ---- all that is known, for a client ---- */

static void
add_data(struct buf *b, struct buf *line)
{
	buf_adds(b, "data: ");
	viewrow_add_escaped(b, buf_span(line));
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
		viewrow_add_track(&line, t, VIEWROW_LIVE);
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
		viewrow_add_parent(&line, t);
		add_data(b, &line);
	}
	buf_release(&line);
}

/* Without a number: a client goes on from that of the first line behind it. */
static struct text *
make_known(const struct serving *s)
{
	struct buf b = BUF_INIT, line = BUF_INIT;
	struct text *t;

	buf_adds(&b, "event: reset\ndata: {}\n\n");
	buf_addf(&line, "{\"now\":%llu}", (unsigned long long)clock_real_us());
	add_data(&b, &line);
	add_tracks(&s->story.tracks, &b);
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
send_history(struct client *c, uint64_t n, bool rows_only)
{
	const struct serving *s = c->serving;

	for (; n < s->history.next; n++) {
		const struct history_line *l = history_get(&s->history, n);

		if (rows_only && l->row == NULL && n + 1 < s->history.next)
			continue;
		if (!send_text(c, l->event))
			return;
	}
}

static void
send_known(struct client *c)
{
	struct text *known = make_known(c->serving);
	bool sent = send_text(c, known);

	text_unref(known);
	if (sent)
		send_history(c, c->serving->history.first, true);
}

/* ---- requests ---- */

static void
reply_text(struct exchange *x, int status, struct span text)
{
	struct httpd_header headers[] = {
	    {span_str("content-type"), span_str("text/plain; charset=utf-8")},
	    {span_str("x-content-type-options"), span_str("nosniff")},
	    {span_str("allow"), span_str("GET")}};

	/* A browser asks its user when it is told to. */
	if (status == 401)
		headers[2] = (struct httpd_header){span_str("www-authenticate"),
		    span_str("Basic realm=\"the password is a token\"")};
	httpd_reply(
	    x, status, headers, status == 401 || status == 405 ? 3 : 2, text);
}

static void
reply_page(struct serving *s, struct exchange *x)
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
start_events(struct serving *s, struct exchange *x, struct span last_id)
{
	const struct httpd_header headers[] = {
	    {span_str("content-type"), span_str("text/event-stream")},
	    {span_str("x-content-type-options"), span_str("nosniff")},
	    {span_str("cache-control"), span_str("no-store")}};
	struct client *c = mem_zalloc(sizeof(*c));
	uint64_t n;
	bool goes_on = history_after(&s->history, last_id, &n);

	*c = (struct client){s->clients, s, x, clock_ms()};
	s->clients = c;
	httpd_on_close(x, on_close, c);
	httpd_start(x, 200, headers, COUNT(headers));
	if (goes_on)
		send_history(c, n, false);
	else
		send_known(c);
}

static void
serve(struct serving *s, struct exchange *x, bool events, struct span last_id)
{
	if (events)
		start_events(s, x, last_id);
	else
		reply_page(s, x);
}

static void
visitor_free(struct visitor *v)
{
	free(v->last_id);
	free(v);
}

static void
on_gone(void *arg)
{
	struct visitor *v = arg;

	review_cancel(v->call);
	visitor_free(v);
}

static void
on_review(void *arg, int status, struct span text)
{
	struct visitor *v = arg;

	if (status == 200)
		serve(v->serving, v->x, v->events, span_str(v->last_id));
	else
		reply_text(v->x, status, text);
	visitor_free(v);
}

/*
 * Answers if the user of the request has the right. The token comes as a bearer
 * token, or as the password of basic authentication (RFC 7617), with any name:
 * that is what a browser can ask its user for.
 */
static void
ask_visitor(struct serving *s, struct exchange *x,
    const struct httpd_request *r, bool events)
{
	struct span id = httpd_header(r, "last-event-id");
	struct span authorization = httpd_header(r, "authorization");
	struct span basic = review_credential(authorization, "basic");
	struct buf token = BUF_INIT, pair = BUF_INIT;
	struct visitor *v = mem_zalloc(sizeof(*v));
	struct review_call *call;
	struct span rest;

	*v = (struct visitor){.serving = s, .x = x, .events = events};
	if (id.n > 0)
		v->last_id = mem_dup(id.p, id.n);
	buf_addspan(&token, review_credential(authorization, "bearer"));
	if (basic.n > 0 && base64_decode(basic, "", &pair, NULL) == 0) {
		rest = buf_span(&pair);
		span_cut(&rest, ':');
		buf_addspan(&token, rest);
	}
	/* Set before the call, which may answer at once. */
	httpd_on_close(x, on_gone, v);
	call = review_start(
	    s->gate.review, buf_span(&token), r->method, on_review, v);
	if (call != NULL)
		v->call = call;
	buf_wipe(&pair);
	buf_wipe(&token);
}

static void
on_request(void *arg, struct exchange *x, const struct httpd_request *r)
{
	struct serving *s = arg;
	bool events = span_is(r->path, "/events");

	if (s->gate.review == NULL && !local_is_host(httpd_header(r, "host")))
		reply_text(x, 403,
		    span_str("403 the host of the request is not this machine: "
			     "use localhost or 127.0.0.1\n"));
	else if (!span_is(r->method, "GET"))
		reply_text(x, 405, span_str("405 method not allowed\n"));
	else if (!events && !span_is(r->path, "/"))
		reply_text(x, 404, span_str("404 page not found\n"));
	else if (s->gate.review != NULL)
		ask_visitor(s, x, r, events);
	else
		serve(s, x, events, httpd_header(r, "last-event-id"));
}

static void
on_too_large(void *arg, struct exchange *x, const struct httpd_request *r)
{
	(void)arg;
	(void)r;
	reply_text(x, 413, span_str("413 the body is too large\n"));
}

/* ---- start and end ---- */

static void
stop(void *arg, int signo)
{
	(void)signo;
	loop_stop(arg);
}

static int
listen_for_clients(struct serving *s, struct err *err)
{
	const struct gate_opts gate = {.tool = "kview",
	    .path = "/view",
	    .cert_path = s->o->cert_path,
	    .cert_option = "cert-path"};
	const struct httpd_handler handler = {
	    .on_request = on_request, .on_too_large = on_too_large, .arg = s};

	if (s->o->secure && gate_open(&s->gate, s->loop, &gate, err) != 0)
		return -1;
	s->httpd = httpd_new(s->loop, s->o->address,
	    s->o->secure ? &s->gate.tls : NULL, &limits, &handler, err);
	if (s->httpd == NULL)
		return err_prefix(err, "option --serve");
	if (s->o->secure)
		gate_watch(&s->gate, s->httpd);
	history_init(&s->history, HISTORY_LINES, HISTORY_BYTES);
	if (getrandom(&s->history.letters, sizeof(s->history.letters), 0) < 0)
		s->history.letters = (uint32_t)clock_real_us();
	pagefile_add_live(&s->page, &s->policy);
	loop_after(s->loop, &s->alive, ALIVE_MS, keep_alive, s);
	return 0;
}

/*
 * The system calls that are left: it reads objects and requests of others, and
 * an attacker who takes it over can open no file, start no program and make no
 * connection. With --secure it opens files to read them (certificate, token),
 * and connections to the API server.
 */
static int
start(struct serving *s, struct err *err)
{
	const char *colon = strrchr(s->o->address, ':');

	loop_signal(s->loop, SIGTERM, stop, s->loop);
	loop_signal(s->loop, SIGINT, stop, s->loop);
	if (listen_for_clients(s, err) != 0)
		return -1;
	loop_watch(s->loop, STDIN_FILENO, LOOP_READ, on_input, s);
	reportfd_init(
	    &s->report, s->loop, "kview", (int)s->o->report_fd, NULL, NULL);
	if (gate_sandbox(&s->gate, access_serves, err) != 0)
		return -1;
	log_info("the page is at http%s://%.*s:%d/", s->o->secure ? "s" : "",
	    (int)(colon - s->o->address), s->o->address, httpd_port(s->httpd));
	reportfd_ready(&s->report);
	return 0;
}

int
serving_run(const struct serving_opts *o, struct err *err)
{
	struct serving s = {.o = o,
	    .loop = loop_new(),
	    .intake = {.fd = STDIN_FILENO, .fn = take_line, .arg = &s},
	    .report.fd = -1,
	    .begun = !o->attached};
	int rc;

	story_init(&s.story, take_row, &s);
	rc = start(&s, err);
	if (rc == 0)
		loop_run(s.loop);
	reportfd_release(&s.report);
	if (s.httpd != NULL) {
		loop_cancel(s.loop, &s.alive);
		httpd_free(s.httpd);
		history_release(&s.history);
	}
	buf_release(&s.page);
	buf_release(&s.policy);
	buf_release(&s.line);
	buf_release(&s.state);
	gate_release(&s.gate);
	story_release(&s.story);
	intake_release(&s.intake);
	loop_free(s.loop);
	return rc;
}
