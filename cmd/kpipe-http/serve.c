#include "serve.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/mem.h"
#include "health.h"
#include "httpd/local.h"

/* Probes and scrapes are small and quick: a client that is not does not hold up
 * the others. */
static const struct httpd_limits limits = {
    .header_bytes = 32 << 10,
    .body_bytes = 4 << 10,
    .queued_bytes = 16 << 20,
    .header_ms = 10000,
    .body_ms = 10000,
    .write_ms = 20000,
    .connections = 200,
    .streams = 20,
};

static void
reply(struct exchange *x, int status, const char *type, struct span body)
{
	const struct httpd_header headers[] = {
	    {span_str("content-type"), span_str(type)},
	    {span_str("x-content-type-options"), span_str("nosniff")},
	};

	httpd_reply(x, status, headers, 2, body);
}

static void
reply_text(struct exchange *x, int status, struct span body)
{
	reply(x, status, "text/plain; charset=utf-8", body);
}

/* ---- the format of metrics (RFC 9110, "Accept") ---- */

/* 0 or 1, and at most three digits behind a point (RFC 9110, section 12.4.2),
 * in thousandths. What is not a weight counts as 0. */
static int
read_weight(struct span text)
{
	int weight = 0;

	if (text.n == 0 || text.n > 5 || (text.n > 1 && text.p[1] != '.'))
		return 0;
	for (size_t i = 0; i < 5; i++) {
		char c = i < text.n ? text.p[i] : '0';

		if (i == 1)
			continue;
		if (c < '0' || c > '9')
			return 0;
		weight = weight * 10 + c - '0';
	}
	return weight > 1000 ? 0 : weight;
}

/* Without one: 1. */
static int
weight_of(struct span parameters)
{
	while (parameters.p != NULL) {
		struct span value =
		    span_trim(span_cut(&parameters, ';'), SPAN_BLANKS);
		struct span name = span_cut(&value, '=');

		if (span_is_caseless(span_trim(name, SPAN_BLANKS), "q"))
			return read_weight(span_trim(value, SPAN_BLANKS));
	}
	return 1000;
}

bool
serve_is_openmetrics(struct span header)
{
	int open = 0, plain = 0;

	while (header.p != NULL) {
		struct span rest = span_cut(&header, ',');
		struct span type = span_trim(span_cut(&rest, ';'), SPAN_BLANKS);
		int weight = weight_of(rest);

		if (span_is_caseless(type, "application/openmetrics-text") &&
		    weight > open)
			open = weight;
		else if (span_is_caseless(type, "text/plain") && weight > plain)
			plain = weight;
	}
	return open > 0 && open >= plain;
}

/* ---- metrics ---- */

static void
reply_metrics(struct serve *s, struct exchange *x, enum series_format format)
{
	static const char *const types[] = {
	    [SERIES_TEXT] = "text/plain; version=0.0.4; charset=utf-8",
	    [SERIES_OPENMETRICS] = "application/openmetrics-text; "
				   "version=1.0.0; charset=utf-8"};
	struct buf page = BUF_INIT, own = BUF_INIT;
	struct metric_lines m;
	struct span rest;

	metric_lines_init(&m, s->state->stages[0].name, &own);
	s->own(s->arg, &m);
	metric_lines_end(&m);
	for (rest = buf_span(&own); rest.n > 0;)
		state_line(s->state, span_cut(&rest, '\n'), NULL);
	buf_release(&own);
	series_write(&s->state->series, format, state_running(s->state), &page);
	reply(x, 200, types[format], span_make(buf_str(&page), page.len));
	buf_release(&page);
}

struct visit {
	struct serve *serve;
	struct exchange *x;
	enum series_format format;
	struct review_call *call;
};

static void
on_gone(void *arg)
{
	struct visit *v = arg;

	review_cancel(v->call);
	free(v);
}

static void
on_review(void *arg, int status, struct span text)
{
	struct visit *v = arg;

	if (status == 200)
		reply_metrics(v->serve, v->x, v->format);
	else
		reply_text(v->x, status, text);
	free(v);
}

static void
serve_metrics(
    struct serve *s, struct exchange *x, const struct httpd_request *r)
{
	enum series_format format =
	    s->openmetrics && serve_is_openmetrics(httpd_header(r, "accept"))
	    ? SERIES_OPENMETRICS
	    : SERIES_TEXT;
	struct review_call *call;
	struct visit *v;

	if (s->review == NULL) {
		reply_metrics(s, x, format);
		return;
	}
	v = mem_zalloc(sizeof(*v));
	v->format = format;
	v->serve = s;
	v->x = x;
	/* Set before the call, which may answer at once. */
	httpd_on_close(x, on_gone, v);
	call = review_start(s->review,
	    review_credential(httpd_header(r, "authorization"), "bearer"),
	    r->method, on_review, v);
	if (call != NULL)
		v->call = call;
}

/* ---- probes ---- */

/* The part of path behind prefix, if prefix is its whole first segment. */
static bool
below(struct span path, const char *prefix, struct span *rest)
{
	*rest = path;
	return span_take(rest, prefix) && (rest->n == 0 || *rest->p == '/');
}

static bool
serve_probe(struct serve *s, struct exchange *x, const struct httpd_request *r)
{
	static const struct {
		const char *path;
		enum health_probe probe;
	} probes[] = {{"/readyz", HEALTH_READY}, {"/healthz", HEALTH_ALIVE},
	    {"/livez", HEALTH_ALIVE}};
	struct buf b = BUF_INIT;
	struct span rest;
	int status;

	for (size_t i = 0; i < COUNT(probes); i++) {
		if (!below(r->path, probes[i].path, &rest))
			continue;
		status = health_answer(
		    s->state, probes[i].probe, rest, r->query, &b);
		reply_text(x, status, buf_span(&b));
		buf_release(&b);
		return true;
	}
	return false;
}

static void
on_request(void *arg, struct exchange *x, const struct httpd_request *r)
{
	struct port *p = arg;
	struct span culprit;

	if (p->local && local_judge(r, SPAN_NONE, &culprit) != LOCAL_MEANT) {
		reply_text(x, 403,
		    span_str("403 the Host or Origin of the request is not "
			     "this machine: use localhost or 127.0.0.1\n"));
		return;
	}
	if (!span_is(r->method, "GET") && !span_is(r->method, "HEAD")) {
		reply_text(x, 405, span_str("405 method not allowed\n"));
		return;
	}
	if ((p->what & SERVE_PROBES) && serve_probe(p->serve, x, r))
		return;
	if ((p->what & SERVE_METRICS) && span_is(r->path, "/metrics"))
		serve_metrics(p->serve, x, r);
	else
		reply_text(x, 404, span_str("404 page not found\n"));
}

static void
on_too_large(void *arg, struct exchange *x, const struct httpd_request *r)
{
	(void)arg;
	(void)r;
	reply_text(x, 413, span_str("413 the body is too large\n"));
}

int
serve_open(struct port *port, struct serve *s, unsigned what,
    const char *address, const struct httpd_tls *tls, struct err *err)
{
	const struct httpd_handler handler = {.on_request = on_request,
	    .on_too_large = on_too_large,
	    .arg = port};

	*port = (struct port){.serve = s,
	    .what = what,
	    .local = local_is_address(address) && tls == NULL};
	port->httpd = httpd_new(s->loop, address, tls, &limits, &handler, err);
	return port->httpd == NULL ? -1 : 0;
}

void
serve_close(struct port *port)
{
	httpd_free(port->httpd);
	port->httpd = NULL;
}
