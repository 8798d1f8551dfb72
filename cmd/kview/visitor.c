#include "visitor.h"

#include <stdlib.h>

#include "base/buf.h"
#include "base/mem.h"
#include "value/base64.h"

struct visitor {
	struct exchange *x;
	struct review_call *call;
	bool events;
	char *last_id; /* owned; or NULL */
	visitor_fn *fn;
	void *arg;
};

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

/* A browser asks its user when it is told to. */
static void
refuse(struct exchange *x, int status, struct span text)
{
	const struct httpd_header headers[] = {
	    {span_str("content-type"), span_str("text/plain; charset=utf-8")},
	    {span_str("x-content-type-options"), span_str("nosniff")},
	    {span_str("www-authenticate"),
		span_str("Basic realm=\"the password is a token\"")}};

	httpd_reply(x, status, headers, status == 401 ? 3 : 2, text);
}

static void
on_review(void *arg, int status, struct span text)
{
	struct visitor *v = arg;

	if (status == 200)
		v->fn(v->arg, v->x, v->events, span_str(v->last_id));
	else
		refuse(v->x, status, text);
	visitor_free(v);
}

/* Appends the token. */
static void
add_token(struct span authorization, struct buf *token)
{
	struct span basic = review_credential(authorization, "basic");
	struct buf pair = BUF_INIT;
	struct span rest;

	buf_addspan(token, review_credential(authorization, "bearer"));
	if (basic.n > 0 && base64_decode(basic, "", &pair, NULL) == 0) {
		rest = buf_span(&pair);
		span_cut(&rest, ':');
		buf_addspan(token, rest);
	}
	buf_wipe(&pair);
}

void
visitor_ask(struct review *review, struct exchange *x,
    const struct httpd_request *r, bool events, visitor_fn *fn, void *arg)
{
	struct span id = httpd_header(r, "last-event-id");
	struct visitor *v = mem_zalloc(sizeof(*v));
	struct buf token = BUF_INIT;
	struct review_call *call;

	*v = (struct visitor){.x = x, .events = events, .fn = fn, .arg = arg};
	if (id.n > 0)
		v->last_id = mem_dup(id.p, id.n);
	add_token(httpd_header(r, "authorization"), &token);
	/* Set before the call, which may answer at once. */
	httpd_on_close(x, on_gone, v);
	call = review_start(review, buf_span(&token), r->method, on_review, v);
	if (call != NULL)
		v->call = call;
	buf_wipe(&token);
}
