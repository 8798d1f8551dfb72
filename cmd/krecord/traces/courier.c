#include "traces/courier.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/quote.h"
#include "http/httpurl.h"
#include "json/json.h"
#include "process/log.h"
#include "record/reading.h"

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

/* Logs, after failures, that the server takes bodies again. */
static void
reassure(struct courier *c)
{
	unsigned long long lost = c->dropped - c->told;

	if (c->fails && lost > 0)
		log_warning("traces: %s takes them again; %llu were left out",
		    c->url, lost);
	else if (c->fails)
		log_info("traces: %s takes them again", c->url);
	if (c->fails)
		c->told = c->dropped;
	c->fails = false;
}

/* {"partialSuccess":{"rejectedSpans":"3","errorMessage":"why"}}; also of no
 * span, as advice. Not to be sent again. */
static void
look_for_rejection(struct courier *c, struct span body)
{
	struct span partial = json_check(body, NULL) == 0
	    ? json_get(body, "partialSuccess")
	    : SPAN_NONE;
	struct span why = json_raw_string(json_get(partial, "errorMessage"));
	struct span spans = reading_text(json_get(partial, "rejectedSpans"));

	if (c->partly || (why.n == 0 && (spans.n == 0 || span_is(spans, "0"))))
		return;
	c->partly = true;
	if (why.n > TOLD_MAX)
		why.n = TOLD_MAX;
	log_warning("traces: %s refuses %.*s spans: %.*s; further ones are not "
		    "mentioned",
	    c->url, SPAN_ARG(spans.n > 0 ? spans : span_str("0")),
	    SPAN_ARG(why));
}

/* ---- answers ---- */

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

/* True if the same body is to be sent again: it is armed. An answer that is too
 * large is an answer. */
static bool
try_later(struct courier *c, const struct http_response *r)
{
	uint64_t ms, after;

	if (!(r->status == 0 && !r->too_large) && r->status != 429 &&
	    r->status != 502 && r->status != 503 && r->status != 504)
		return false;
	ms = kube_backoff_next(&c->backoff, FIRST_MS, AGAIN_MOST_MS);
	after = r->retry_after_s > 0 ? (uint64_t)r->retry_after_s * 1000 : 0;
	if (after > COURIER_AFTER_MS)
		after = COURIER_AFTER_MS;
	if (after > ms)
		ms = after;
	loop_after(c->loop, &c->timer, ms, try, c);
	return true;
}

static void
on_answer(void *arg, const struct http_response *r)
{
	struct courier *c = arg;
	struct buf why = BUF_INIT;
	bool good = r->status >= 200 && r->status < 300;

	c->call = NULL;
	describe(r, &why);
	if (good)
		reassure(c);
	else
		complain(c, buf_str(&why));
	buf_release(&why);
	if (good)
		look_for_rejection(c, r->body);
	else if (try_later(c, r))
		return;
	c->backoff = (struct kube_backoff){0};
	*(good ? &c->sent : &c->dropped) += c->first->units;
	forget_first(c);
	if (c->first != NULL) {
		try(c);
		return;
	}
	c->overflows = false;
	if (c->on_empty != NULL)
		c->on_empty(c->arg);
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
		if (!c->overflows)
			log_warning("traces: %s: too much waits to be sent: "
				    "the oldest is left out",
			    c->url);
		c->overflows = true;
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

bool
courier_is_busy(const struct courier *c)
{
	return c->bytes > COURIER_MUCH && !c->fails;
}

int
courier_init(
    struct courier *c, struct loop *l, const char *endpoint, struct err *err)
{
	const struct http_opts opts = {
	    .user_agent = "kpipe/" KPIPE_VERSION, .max_body = 1024 * 1024};
	struct span url = span_str(endpoint);
	struct buf b = BUF_INIT;

	*c = (struct courier){.loop = l};
	c->end = &c->first;
	if (httpurl_check(endpoint, "http://collector:4318", err) != 0)
		return -1;
	url = span_trim_end(url, "/");
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
