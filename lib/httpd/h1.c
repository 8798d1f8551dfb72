/*
 * Part of httpd/conn.h: HTTP/1.1, parsed by llhttp or http_parser. A connection
 * has one exchange at a time: requests that a client sends ahead wait in
 * memory, and beyond READ_BYTES in the kernel.
 */
#include <stdlib.h>
#include <strings.h>

#include "base/mem.h"
#include "httpd/conn.h"
#include "httpd/head.h"
#include "httpd/h1_parser.h"

/* Bytes of answers that wait while another request is taken. */
enum { OUT_AHEAD = 256 * 1024 };

struct h1 {
	struct h1_parser parser;
	struct head_lines lines;
	struct exchange *x; /* NULL: between two requests */
	struct buf pending;
	bool in_value, headers_done, broken;
	bool in_chunks;	     /* the body comes in chunks */
	uint64_t chunk_left; /* counts the end of its line; 0: a line is next */
	char chunk_last;     /* see head_chunk_line */
};

static struct h1 *
h1_of(struct h1_parser *p)
{
	return ((struct conn *)p->data)->h1;
}

static int
on_begin(struct h1_parser *p)
{
	struct conn *c = p->data;

	c->h1->x = exchange_new(c);
	c->h1->in_value = true; /* the next name starts a field */
	c->h1->headers_done = false;
	c->h1->in_chunks = false;
	conn_deadline(c, c->h->limits.header_ms);
	return 0;
}

/* An error stops the parser; refuse() says why. */
static int
room_in_head(struct exchange *x, size_t n)
{
	x->head_too_large = x->head.len + n > x->conn->h->limits.header_bytes;
	return x->head_too_large ? -1 : 0;
}

static int
on_url(struct h1_parser *p, const char *at, size_t n)
{
	struct exchange *x = h1_of(p)->x;

	if (room_in_head(x, n) != 0)
		return -1;
	buf_add(&x->head, at, n);
	x->target_n += n;
	return 0;
}

static int
on_name(struct h1_parser *p, const char *at, size_t n)
{
	struct h1 *h = h1_of(p);

	if (h->headers_done) /* trailers are of no use here */
		return 0;
	if (!head_is_token(at, n))
		return -1;
	/* A field costs more than its bytes. */
	if (room_in_head(h->x, n + sizeof(struct head_field)) != 0)
		return -1;
	if (h->in_value)
		exchange_field(h->x);
	h->in_value = false;
	exchange_name(h->x, at, n);
	return 0;
}

static int
on_value(struct h1_parser *p, const char *at, size_t n)
{
	struct h1 *h = h1_of(p);

	if (h->headers_done)
		return 0;
	if (room_in_head(h->x, n) != 0)
		return -1;
	h->in_value = true;
	exchange_value(h->x, at, n);
	return 0;
}

static bool
expects_continue(const struct exchange *x)
{
	struct span e = httpd_header(&x->r, "expect");

	return span_is_caseless(e, "100-continue");
}

/* HTTP/1.0 needs no Host: the server that the target names takes its place. */
static void
host_of_target(struct exchange *x)
{
	struct span host = head_authority(span_make(x->head.data, x->target_n));

	if (host.p != NULL && httpd_header(&x->r, "host").p == NULL)
		x->headers[x->r.header_count++] =
		    (struct httpd_header){span_str("host"), host};
}

static int
on_headers(struct h1_parser *p)
{
	static const char go_on[] = "HTTP/1.1 100 Continue\r\n\r\n";
	struct h1 *h = h1_of(p);
	struct conn *c = p->data;
	struct exchange *x = h->x;

	h->headers_done = true;
	p->upgrade = 0; /* no other protocol is spoken here */
	x->close = !h1_parser_keeps_alive(p);
	x->chunked = p->http_major == 1 && p->http_minor >= 1;
	exchange_seal(x, span_str(h1_parser_method(p)), 1);
	if (!x->chunked)
		host_of_target(x);
	if (p->http_major != 1 || p->http_minor > 1 ||
	    !head_is_addressed(span_make(x->head.data, x->target_n),
		x->r.headers, x->r.header_count) ||
	    !head_is_framed(x->r.headers, x->r.header_count))
		return -1;
	h->in_chunks = httpd_header(&x->r, "transfer-encoding").p != NULL;
	h->chunk_left = 0;
	h->chunk_last = '\0';
	if (p->content_length != UINT64_MAX &&
	    p->content_length > c->h->limits.body_bytes) {
		x->body_too_large = true;
		return -1;
	}
	if (x->chunked && expects_continue(x)) {
		sendq_add(&c->out, go_on, sizeof(go_on) - 1);
		conn_dirty(c);
	}
	conn_deadline(c, c->h->limits.body_ms);
	return 0;
}

/* The last one is empty: lines follow it. */
static int
on_chunk(struct h1_parser *p)
{
	if (p->content_length > 0)
		h1_of(p)->chunk_left = p->content_length + 2;
	return 0;
}

static int
on_body(struct h1_parser *p, const char *at, size_t n)
{
	struct h1 *h = h1_of(p);
	struct exchange *x = h->x;

	if (x->body.len + n > x->conn->h->limits.body_bytes) {
		x->body_too_large = true;
		return -1;
	}
	buf_add(&x->body, at, n);
	return 0;
}

static int
on_complete(struct h1_parser *p)
{
	h1_of(p)->x->state = X_READY;
	return h1_parser_stop(p);
}

static const struct h1_callbacks callbacks = {
    .on_message_begin = on_begin,
    .on_url = on_url,
    .on_header_field = on_name,
    .on_header_value = on_value,
    .on_headers_complete = on_headers,
    .on_chunk_header = on_chunk,
    .on_body = on_body,
    .on_message_complete = on_complete,
};

void
h1_done(struct exchange *x)
{
	struct conn *c = x->conn;

	if (x->close)
		conn_close_gently(c);
	exchange_free(x);
	c->h1->x = NULL;
	conn_dirty(c);
}

/* A request that is refused before a handler sees it. */
static void
refuse(struct conn *c, int status, const char *why)
{
	struct buf *b = &c->h->scratch;

	buf_reset(b);
	buf_addf(b,
	    "HTTP/1.1 %d %s\r\ncontent-type: text/plain; charset=utf-8\r\n"
	    "connection: close\r\n\r\n%d %s",
	    status, head_status(status), status, head_status(status));
	if (why != NULL)
		buf_addf(b, ": %s", why);
	sendq_add(&c->out, b->data, b->len);
	c->h1->broken = true;
	if (c->h1->x != NULL) {
		c->h1->x->state = X_ENDED;
		c->h1->x->close = true;
		h1_done(c->h1->x);
	} else
		conn_close_gently(c);
}

static void
hand_over(struct conn *c)
{
	struct exchange *x = c->h1->x;

	conn_no_deadline(c);
	if (x->chunked && httpd_header(&x->r, "host").p == NULL)
		refuse(c, 400, "missing required Host header");
	else
		exchange_hand_over(x);
}

/* Why the parser stopped. */
static void
stopped(struct conn *c, enum h1_parsed why)
{
	struct h1 *h = c->h1;

	if (why == H1_WHOLE) {
		hand_over(c);
	} else if (h->x != NULL && h->x->body_too_large) {
		h->broken = true;
		h->x->close = true;
		hand_over(c);
	} else if (why == H1_LONG || (h->x != NULL && h->x->head_too_large)) {
		conn_no_deadline(c);
		refuse(c, 431, NULL);
	} else {
		conn_no_deadline(c);
		refuse(c, 400, NULL);
	}
}

/* An answer is due, or the client does not read what it got. */
static bool
must_wait(const struct conn *c)
{
	const struct exchange *x = c->h1->x;

	return (x != NULL && x->state != X_READING && x->upgraded == NULL) ||
	    c->out.bytes >= OUT_AHEAD;
}

/* How much of the input goes to the parser next, so that what it does not look
 * at is looked at here. False: it breaks a rule. */
static bool
next_piece(struct h1 *h, const char *p, size_t n, size_t *k)
{
	bool whole;

	*k = n;
	if (h->x == NULL || !h->headers_done)
		return head_lines(&h->lines, p, n, k, &whole);
	if (!h->in_chunks)
		return true;
	if (h->chunk_left == 0)
		return head_chunk_line(&h->chunk_last, p, n, k);
	if (*k > h->chunk_left)
		*k = (size_t)h->chunk_left;
	h->chunk_left -= *k;
	return true;
}

/* Gives the head to the parser line by line, then the rest. Returns the bytes
 * that were taken. */
static size_t
parse(struct conn *c, const char *p, size_t n)
{
	struct h1 *h = c->h1;
	enum h1_parsed parsed = H1_BAD;
	size_t k;

	if (next_piece(h, p, n, &k))
		parsed = h1_parse(&h->parser, &callbacks, p, k, &k);
	if (parsed != H1_TAKEN)
		stopped(c, parsed);
	return k;
}

static void
run(struct conn *c, const char *p, size_t n)
{
	struct h1 *h = c->h1;

	while (n > 0 && !c->dead && !c->frozen && !c->closing && !h->broken) {
		size_t k;

		if (must_wait(c)) {
			buf_add(&h->pending, p, n);
			c->holds_input = h->pending.len >= READ_BYTES;
			return;
		}
		if (h->x != NULL && h->x->upgraded != NULL)
			k = upgrade_input(h->x, p, n);
		else
			k = parse(c, p, n);
		p += k;
		n -= k;
	}
}

void
h1_input(struct conn *c, const char *p, size_t n)
{
	if (c->h1 == NULL) {
		c->h1 = mem_zalloc(sizeof(*c->h1));
		h1_parser_init(&c->h1->parser, &callbacks);
		c->h1->parser.data = c;
	}
	run(c, p, n);
	if (c->holds_input)
		conn_dirty(c);
}

bool
h1_resume(struct conn *c)
{
	struct h1 *h = c->h1;
	struct buf b;

	if (h == NULL || h->pending.len == 0 || must_wait(c))
		return false;
	b = h->pending;
	h->pending = (struct buf)BUF_INIT;
	c->holds_input = false;
	run(c, b.data, b.len);
	buf_release(&b);
	return true;
}

bool
h1_is_idle(const struct conn *c)
{
	const struct h1 *h = c->h1;

	return h == NULL ||
	    ((h->x == NULL || h->x->state == X_READING) && h->pending.len == 0);
}

void
h1_eof(struct conn *c)
{
	struct exchange *x = c->h1 == NULL ? NULL : c->h1->x;

	/* A client that closes its side waits for no more answers, as in
	 * net/http. But its earlier requests are answered. */
	if (x != NULL && x->upgraded != NULL)
		upgrade_broken(x, WEBSOCKET_NORMAL);
	else if (x != NULL && x->state != X_READING)
		conn_kill(c);
}

void
h1_expire(struct conn *c)
{
	if (c->h1->headers_done)
		refuse(c, 408, NULL);
	else
		conn_kill(c);
}

void
h1_free(struct conn *c)
{
	if (c->h1 == NULL)
		return;
	buf_release(&c->h1->pending);
	free(c->h1);
	c->h1 = NULL;
}

enum body_kind { BODY_SIZED, BODY_STREAM };

static void
add_head(struct exchange *x, int status, const struct httpd_header *headers,
    size_t count, enum body_kind kind, size_t length)
{
	struct httpd *h = x->conn->h;
	struct buf *b = &h->scratch;

	buf_reset(b);
	buf_addf(b, "HTTP/1.1 %d %s\r\n", status, head_status(status));
	for (size_t i = 0; i < count; i++) {
		buf_addspan(b, headers[i].name);
		buf_adds(b, ": ");
		buf_addspan(b, headers[i].value);
		buf_adds(b, "\r\n");
	}
	buf_adds(b, "date: ");
	buf_adds(b, httpd_date(h));
	/* RFC 9110, section 8.6: none with 204. */
	if (kind == BODY_SIZED && status != 204)
		buf_addf(b, "\r\ncontent-length: %zu", length);
	else if (kind == BODY_STREAM && x->chunked)
		buf_adds(b, "\r\ntransfer-encoding: chunked");
	if (x->close)
		buf_adds(b, "\r\nconnection: close");
	else if (!x->chunked)
		buf_adds(b, "\r\nconnection: keep-alive");
	buf_adds(b, "\r\n\r\n");
	sendq_add(&x->conn->out, b->data, b->len);
}

void
h1_reply(struct exchange *x, int status, const struct httpd_header *headers,
    size_t count, struct text *text, struct span body)
{
	struct sendq *q = &x->conn->out;

	add_head(x, status, headers, count, BODY_SIZED,
	    text != NULL ? text->n : body.n);
	if (!x->head_only && text != NULL)
		sendq_text(q, text);
	else if (!x->head_only)
		sendq_add(q, body.p, body.n);
	h1_done(x);
}

void
h1_start(struct exchange *x, int status, const struct httpd_header *headers,
    size_t count)
{
	/* HTTP/1.0 has no chunks: the end of the connection ends the body. */
	if (!x->chunked)
		x->close = true;
	add_head(x, status, headers, count, BODY_STREAM, 0);
}

static void
forget(struct framed *f)
{
	text_unref(f->of);
	text_unref(f->text);
	*f = (struct framed){NULL, NULL};
}

/* A text as a chunk or a message. An event goes to all watchers before the next
 * does: each of them gets the same one. */
static struct text *
frame_of(struct httpd *h, struct text *t, bool message)
{
	struct framed *f = message ? &h->message : &h->chunk;
	struct buf *b = &h->scratch;

	if (f->of == t)
		return f->text;
	buf_reset(b);
	if (message)
		websocket_add_head(b, WEBSOCKET_TEXT, t->n);
	else
		buf_addf(b, "%zx\r\n", t->n);
	buf_add(b, t->p, t->n);
	if (!message)
		buf_adds(b, "\r\n");
	forget(f);
	f->of = text_ref(t);
	f->text = text_make(buf_span(b));
	return f->text;
}

void
h1_forget_frames(struct httpd *h)
{
	forget(&h->chunk);
	forget(&h->message);
}

void
h1_send(struct exchange *x, struct text *t)
{
	struct conn *c = x->conn;

	if (x->upgraded != NULL || x->chunked)
		t = frame_of(c->h, t, x->upgraded != NULL);
	sendq_text(&c->out, t);
}

void
h1_end(struct exchange *x)
{
	if (x->upgraded != NULL) {
		upgrade_end(x, WEBSOCKET_NORMAL);
		return;
	}
	if (x->chunked && !x->head_only)
		sendq_add(&x->conn->out, "0\r\n\r\n", 5);
	h1_done(x);
}
