#include "traces/courier.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/quote.h"
#include "process/log.h"

enum { FIRST_MS = 1000, AGAIN_MOST_MS = 30000, TOLD_MAX = 200 };
#define PATH "/v1/traces"

struct parcel {
	struct parcel *next;
	struct buf body;
	size_t units;
};

static void try(void *arg);

static void
forget_first(struct courier *c)
{
	struct parcel *p = c->first;

	c->first = p->next;
	if (c->first == NULL)
		c->end = &c->first;
	c->bytes -= p->body.len;
	buf_release(&p->body);
	free(p);
}

/* why is not NULL. */
static void
complain(struct courier *c, const char *why)
{
	if (!c->fails)
		log_warning("traces: %s: %s", c->url, why);
	c->fails = true;
}

static void
go_on(struct courier *c)
{
	if (c->first != NULL)
		try(c);
	else if (c->on_empty != NULL)
		c->on_empty(c->arg);
}

/* ---- answers ---- */

static bool
may_pass(int status)
{
	return status == 0 || status == 429 || status == 502 || status == 503 ||
	    status == 504;
}

static void
describe(const struct http_response *r, struct buf *b)
{
	struct buf text = BUF_INIT;

	if (r->status == 0) {
		buf_adds(b, r->err.message);
		return;
	}
	buf_addf(b, "HTTP %d", r->status);
	quote_text(&text,
	    span_make(r->body.p, r->body.n < TOLD_MAX ? r->body.n : TOLD_MAX));
	if (text.len > 0)
		buf_addf(b, ": %s", buf_str(&text));
	buf_release(&text);
}

static void
try_later(struct courier *c, const struct http_response *r)
{
	uint64_t ms = kube_backoff_next(&c->backoff, FIRST_MS, AGAIN_MOST_MS);

	if (r->retry_after_s > 0 && (uint64_t)r->retry_after_s * 1000 > ms)
		ms = (uint64_t)r->retry_after_s * 1000;
	loop_after(c->loop, &c->timer, ms, try, c);
}

static void
on_answer(void *arg, const struct http_response *r)
{
	struct courier *c = arg;
	struct buf why = BUF_INIT;
	bool good = r->status >= 200 && r->status < 300;

	c->call = NULL;
	describe(r, &why);
	if (good && c->fails)
		log_info("traces: %s takes them again", c->url);
	if (good)
		c->fails = false;
	else
		complain(c, buf_str(&why));
	buf_release(&why);
	if (!good && may_pass(r->status)) {
		try_later(c, r);
		return;
	}
	c->backoff = (struct kube_backoff){0};
	*(good ? &c->sent : &c->dropped) += c->first->units;
	forget_first(c);
	go_on(c);
}

static void
try(void *arg)
{
	static const char *const headers[] = {
	    "Content-Type: application/json", NULL};
	struct courier *c = arg;
	const struct http_request r = {.method = "POST",
	    .url = c->url,
	    .headers = headers,
	    .body = buf_span(&c->first->body),
	    .timeout_ms = COURIER_ANSWER_MS};

	c->call = http_start(c->http, &r, on_answer, c);
}

/* ---- what is to be sent ---- */

/* The oldest that is not under way. */
static void
make_room(struct courier *c)
{
	struct parcel *second;

	while (c->bytes > COURIER_MOST && c->first->next != NULL) {
		complain(
		    c, "too much waits to be sent: the oldest is left out");
		second = c->first->next;
		c->first->next = second->next;
		if (second->next == NULL)
			c->end = &c->first->next;
		c->bytes -= second->body.len;
		c->dropped += second->units;
		buf_release(&second->body);
		free(second);
	}
}

void
courier_send(struct courier *c, struct buf *body, size_t units)
{
	struct parcel *p = mem_zalloc(sizeof(*p));
	bool idle = c->first == NULL;

	*p = (struct parcel){.body = *body, .units = units};
	*body = (struct buf)BUF_INIT;
	c->bytes += p->body.len;
	*c->end = p;
	c->end = &p->next;
	make_room(c);
	if (idle)
		try(c);
}

bool
courier_is_empty(const struct courier *c)
{
	return c->first == NULL;
}

int
courier_init(
    struct courier *c, struct loop *l, const char *endpoint, struct err *err)
{
	const struct http_opts opts = {
	    .user_agent = "kpipe/" KPIPE_VERSION, .max_body = 1024 * 1024};
	struct span host = span_str(endpoint), url = host;
	struct buf b = BUF_INIT;

	*c = (struct courier){.loop = l};
	c->end = &c->first;
	/* It would be in the log. */
	if (strchr(endpoint, '@') != NULL)
		return err_set(err, ERR_PERMANENT,
		    "a URL with a name or password is not supported");
	if ((!span_take(&host, "http://") && !span_take(&host, "https://")) ||
	    host.n == 0 || *host.p == '/' || strpbrk(endpoint, " ?#") != NULL)
		return err_set(err, ERR_PERMANENT,
		    "%s is not a URL like http://collector:4318", endpoint);
	while (url.p[url.n - 1] == '/')
		url.n--;
	buf_addspan(&b, url);
	buf_adds(&b, PATH);
	c->url = buf_take(&b);
	c->http = http_new(l, &opts);
	return 0;
}

void
courier_release(struct courier *c)
{
	if (c->http == NULL)
		return;
	loop_cancel(c->loop, &c->timer);
	if (c->call != NULL)
		http_cancel(c->call);
	while (c->first != NULL) {
		c->dropped += c->first->units;
		forget_first(c);
	}
	http_free(c->http);
	free(c->url);
}
