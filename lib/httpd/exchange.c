/* Part of httpd/conn.h: a request as it comes in, and the call of its
 * handler. */
#include "httpd/conn.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "httpd/head.h"
#include "process/clock.h"

struct exchange *
exchange_new(struct conn *c)
{
	struct exchange *x = mem_zalloc(sizeof(*x));

	x->conn = c;
	x->began_ms = clock_ms();
	LIST_INSERT_HEAD(&c->exchanges, x, among_all);
	return x;
}

void
exchange_free(struct exchange *x)
{
	LIST_REMOVE(x, among_all);
	x->conn->unsent -= x->out.bytes;
	buf_release(&x->head);
	buf_release(&x->body);
	sendq_release(&x->out);
	free(x->fields);
	free(x->headers);
	free(x->upgraded);
	free(x);
}

void
exchange_closed(struct exchange *x)
{
	bool knows = x->state != X_HANDED && x->state != X_STARTED;

	x->state = X_ENDED;
	if (!knows && x->on_close != NULL && !x->conn->frozen)
		x->on_close(x->close_arg);
}

/* Names in lower case, as HTTP/2 has them. */
static void
add_lower(struct buf *b, const char *p, size_t n)
{
	char *to = buf_reserve(b, n);

	for (size_t i = 0; i < n; i++)
		to[i] = (char)tolower((unsigned char)p[i]);
	b->len += n;
}

struct head_field *
exchange_field(struct exchange *x)
{
	struct head_field *f;

	x->fields = mem_grow(x->fields, x->field_count, sizeof(*x->fields));
	f = &x->fields[x->field_count++];
	*f = (struct head_field){.name = x->head.len};
	return f;
}

void
exchange_name(struct exchange *x, const char *p, size_t n)
{
	add_lower(&x->head, p, n);
	x->fields[x->field_count - 1].name_n += n;
	x->fields[x->field_count - 1].value = x->head.len;
}

void
exchange_value(struct exchange *x, const char *p, size_t n)
{
	buf_add(&x->head, p, n);
	x->fields[x->field_count - 1].value_n += n;
}

/* RFC 9112, section 3.2.2: a proxy's form of the target names the server,
 * too. */
static struct span
target_path(struct span t)
{
	struct span host = head_authority(t);

	if (host.p == NULL)
		return t;
	return span_skip(t, (size_t)(host.p + host.n - t.p));
}

static void
set_target(struct httpd_request *r, struct span t)
{
	const char *q;

	t = target_path(t);
	q = span_find(t, '?');
	r->path = t;
	r->query = SPAN_NONE;
	if (q != NULL) {
		r->path.n = (size_t)(q - t.p);
		r->query = span_make(q + 1, t.n - r->path.n - 1);
	}
	if (r->path.n == 0)
		r->path = span_str("/");
}

void
exchange_seal(struct exchange *x, struct span method, int version)
{
	const char *p = buf_str(&x->head);
	struct httpd_request *r = &x->r;

	/* Room for one more, see h1.c. */
	x->headers = mem_array(NULL, x->field_count + 1, sizeof(*x->headers));
	for (size_t i = 0; i < x->field_count; i++) {
		const struct head_field *f = &x->fields[i];

		x->headers[i].name = span_make(p + f->name, f->name_n);
		x->headers[i].value =
		    span_trim_end(span_make(p + f->value, f->value_n), " \t");
	}
	free(x->fields);
	x->fields = NULL;
	r->headers = x->headers;
	r->header_count = x->field_count;
	r->method = method;
	set_target(r, span_make(p + x->target, x->target_n));
	r->version = version;
	r->connection = x->conn->number;
	x->head_only = span_is(method, "HEAD");
}

void
exchange_hand_over(struct exchange *x)
{
	const struct httpd_handler *h = &x->conn->h->handler;

	x->r.body = span_make(buf_str(&x->body), x->body.len);
	x->state = X_HANDED;
	if (!x->body_too_large)
		h->on_request(h->arg, x, &x->r);
	else if (h->on_too_large != NULL)
		h->on_too_large(h->arg, x, &x->r);
	else
		httpd_reply(x, 413, NULL, 0, SPAN_NONE);
}
