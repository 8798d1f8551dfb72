#include "serve.h"

#include <stdlib.h>
#include <string.h>

#include "negotiate.h"
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

/* ---- metrics ---- */

static void
take_own(struct serve *s)
{
	struct buf b = BUF_INIT;
	struct metric_lines m;
	struct span rest;

	metric_lines_init(&m, s->state->stages[0].name, &b);
	s->own(s->arg, &m);
	metric_lines_end(&m);
	rest = buf_span(&b);
	while (rest.n > 0)
		state_line(s->state, span_cut(&rest, '\n'), NULL);
	buf_release(&b);
}

static void
reply_metrics(struct serve *s, struct exchange *x, enum series_format format)
{
	static const char *const types[] = {
	    [SERIES_TEXT] = "text/plain; version=0.0.4; charset=utf-8",
	    [SERIES_OPENMETRICS] = "application/openmetrics-text; "
				   "version=1.0.0; charset=utf-8"};
	struct buf page = BUF_INIT;

	if (s->own != NULL)
		take_own(s);
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
	    s->openmetrics && negotiate_openmetrics(httpd_header(r, "accept"))
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
	enum health_probe probe = HEALTH_ALIVE;
	struct buf b = BUF_INIT;
	struct span rest;
	int status;

	if (below(r->path, "/readyz", &rest))
		probe = HEALTH_READY;
	else if (!below(r->path, "/healthz", &rest) &&
	    !below(r->path, "/livez", &rest))
		return false;
	status = health_answer(s->state, probe, rest, r->query, &b);
	reply_text(x, status, buf_span(&b));
	buf_release(&b);
	return true;
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
