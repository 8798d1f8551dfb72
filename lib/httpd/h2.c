/*
 * Part of httpd/conn.h: HTTP/2 by nghttp2. The callbacks of nghttp2 only note
 * what happened; handlers are called when nghttp2 is not on the stack.
 */
#include <nghttp2/nghttp2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/array.h"
#include "base/mem.h"
#include "httpd/conn.h"
#include "process/clock.h"

enum {
	OUT_AHEAD = 256 * 1024, /* bytes of frames made before they are sent */
	WINDOW = 1 << 20	/* bytes that a client may send unasked */
};

struct h2 {
	nghttp2_session *session;
	TAILQ_HEAD(, exchange) ready; /* whole requests */
	SLIST_HEAD(, exchange) gone;  /* closed streams */
	size_t reading;		      /* requests not yet whole */
};

static struct exchange *
exchange_of(nghttp2_session *s, int32_t stream)
{
	return nghttp2_session_get_stream_user_data(s, stream);
}

static int
on_begin(nghttp2_session *s, const nghttp2_frame *f, void *arg)
{
	struct conn *c = arg;
	const struct httpd_limits *l = &c->h->limits;
	struct exchange *x;

	if (f->hd.type != NGHTTP2_HEADERS ||
	    f->headers.cat != NGHTTP2_HCAT_REQUEST)
		return 0;
	x = exchange_new(c);
	x->stream = f->hd.stream_id;
	nghttp2_session_set_stream_user_data(s, x->stream, x);
	if (c->h2->reading++ == 0)
		conn_deadline(
		    c, l->header_ms < l->body_ms ? l->header_ms : l->body_ms);
	return 0;
}

/* :method and :path are kept as fields until the head is whole. */
static int
on_header(nghttp2_session *s, const nghttp2_frame *f, const uint8_t *name,
    size_t name_n, const uint8_t *value, size_t value_n, uint8_t flags,
    void *arg)
{
	struct conn *c = arg;
	struct exchange *x = exchange_of(s, f->hd.stream_id);
	struct span key = span_make((const char *)name, name_n);

	(void)flags;
	if (x == NULL || x->headers != NULL || span_is(key, ":scheme"))
		return 0;
	if (x->head.len + name_n + value_n + sizeof(struct head_field) >
	    c->h->limits.header_bytes) {
		x->head_too_large = true;
		return 0;
	}
	if (span_is(key, ":authority"))
		key = span_str("host");
	exchange_field(x);
	exchange_name(x, key.p, key.n);
	exchange_value(x, (const char *)value, value_n);
	return 0;
}

static void
take_field(struct exchange *x, size_t i)
{
	memmove(&x->fields[i], &x->fields[i + 1],
	    (x->field_count - i - 1) * sizeof(*x->fields));
	x->field_count--;
}

static void
seal(struct exchange *x)
{
	const char *p = buf_str(&x->head);
	struct span method = SPAN_NONE;

	for (size_t i = 0; i < x->field_count;) {
		const struct head_field *f = &x->fields[i];
		struct span name = span_make(p + f->name, f->name_n);

		if (span_is(name, ":method")) {
			method = span_make(p + f->value, f->value_n);
		} else if (span_is(name, ":path")) {
			x->target = f->value;
			x->target_n = f->value_n;
		} else if (name.n == 0 || name.p[0] != ':') {
			i++;
			continue;
		}
		take_field(x, i);
	}
	exchange_seal(x, method, 2);
}

static void
no_longer_reading(struct exchange *x)
{
	struct conn *c = x->conn;

	if (x->state == X_READING && --c->h2->reading == 0)
		conn_no_deadline(c);
}

static void
make_ready(struct exchange *x)
{
	struct h2 *h = x->conn->h2;

	if (x->state != X_READING)
		return;
	no_longer_reading(x);
	x->state = X_READY;
	TAILQ_INSERT_TAIL(&h->ready, x, ready);
}

static void
go_on(nghttp2_session *s, struct exchange *x)
{
	struct span e = httpd_header(&x->r, "expect");
	nghttp2_nv nv = {.name = (uint8_t *)":status",
	    .namelen = 7,
	    .value = (uint8_t *)"100",
	    .valuelen = 3};

	if (span_is_caseless(e, "100-continue"))
		nghttp2_submit_headers(
		    s, NGHTTP2_FLAG_NONE, x->stream, NULL, &nv, 1, NULL);
}

static int
on_frame(nghttp2_session *s, const nghttp2_frame *f, void *arg)
{
	struct exchange *x;

	(void)arg;
	if (f->hd.type != NGHTTP2_HEADERS && f->hd.type != NGHTTP2_DATA)
		return 0;
	x = exchange_of(s, f->hd.stream_id);
	if (x == NULL)
		return 0;
	if (f->hd.type == NGHTTP2_HEADERS && x->headers == NULL)
		seal(x);
	if (f->hd.flags & NGHTTP2_FLAG_END_STREAM)
		make_ready(x);
	else if (f->hd.type == NGHTTP2_HEADERS)
		go_on(s, x);
	return 0;
}

static int
on_data(nghttp2_session *s, uint8_t flags, int32_t stream, const uint8_t *p,
    size_t n, void *arg)
{
	struct conn *c = arg;
	struct exchange *x = exchange_of(s, stream);

	(void)flags;
	if (x == NULL || x->state != X_READING)
		return 0;
	if (x->body.len + n > c->h->limits.body_bytes) {
		x->body_too_large = true;
		make_ready(x);
	} else
		buf_add(&x->body, p, n);
	return 0;
}

static int
on_stream_close(nghttp2_session *s, int32_t stream, uint32_t code, void *arg)
{
	struct conn *c = arg;
	struct exchange *x = exchange_of(s, stream);

	(void)code;
	if (x == NULL)
		return 0;
	nghttp2_session_set_stream_user_data(s, stream, NULL);
	no_longer_reading(x);
	x->closed = true;
	SLIST_INSERT_HEAD(&c->h2->gone, x, gone);
	return 0;
}

static ssize_t
read_data(nghttp2_session *s, int32_t stream, uint8_t *p, size_t max,
    uint32_t *flags, nghttp2_data_source *source, void *arg)
{
	struct exchange *x = source->ptr;
	size_t n = x->out.bytes < max ? x->out.bytes : max;

	(void)s, (void)stream, (void)p, (void)arg;
	x->deferred = n == 0 && !x->eof;
	if (x->deferred)
		return NGHTTP2_ERR_DEFERRED;
	*flags |= NGHTTP2_DATA_FLAG_NO_COPY;
	if (x->eof && n == x->out.bytes)
		*flags |= NGHTTP2_DATA_FLAG_EOF;
	return (ssize_t)n;
}

static int
send_data(nghttp2_session *s, nghttp2_frame *f, const uint8_t *head, size_t n,
    nghttp2_data_source *source, void *arg)
{
	struct conn *c = arg;
	struct exchange *x = source->ptr;

	(void)s, (void)f;
	if (c->out.bytes >= OUT_AHEAD)
		return NGHTTP2_ERR_WOULDBLOCK;
	sendq_add(&c->out, head, 9);
	sendq_move(&c->out, &x->out, n);
	c->unsent -= n;
	return 0;
}

static nghttp2_session *
session_new(struct conn *c)
{
	nghttp2_session_callbacks *cb;
	nghttp2_option *option;
	nghttp2_session *s = NULL;
	const struct httpd_limits *l = &c->h->limits;
	nghttp2_settings_entry settings[] = {
	    {NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, (uint32_t)l->streams},
	    {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, WINDOW},
	    {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, (uint32_t)l->header_bytes},
	};

	if (nghttp2_session_callbacks_new(&cb) != 0)
		return NULL;
	nghttp2_session_callbacks_set_on_begin_headers_callback(cb, on_begin);
	nghttp2_session_callbacks_set_on_header_callback(cb, on_header);
	nghttp2_session_callbacks_set_on_frame_recv_callback(cb, on_frame);
	nghttp2_session_callbacks_set_on_data_chunk_recv_callback(cb, on_data);
	nghttp2_session_callbacks_set_on_stream_close_callback(
	    cb, on_stream_close);
	nghttp2_session_callbacks_set_send_data_callback(cb, send_data);
	if (nghttp2_option_new(&option) == 0) {
		nghttp2_option_set_no_closed_streams(option, 1);
		nghttp2_session_server_new2(&s, cb, c, option);
		nghttp2_option_del(option);
	}
	nghttp2_session_callbacks_del(cb);
	if (s == NULL)
		return NULL;
	nghttp2_submit_settings(
	    s, NGHTTP2_FLAG_NONE, settings, COUNT(settings));
	nghttp2_session_set_local_window_size(s, NGHTTP2_FLAG_NONE, 0, WINDOW);
	return s;
}

static void
refuse(struct exchange *x, int status)
{
	x->state = X_HANDED;
	httpd_reply(x, status, NULL, 0, SPAN_NONE);
}

/* While a client does not read answers, no more are made. */
void
h2_settle(struct conn *c)
{
	struct h2 *h = c->h2;
	struct exchange *x;

	while ((x = SLIST_FIRST(&h->gone)) != NULL) {
		SLIST_REMOVE_HEAD(&h->gone, gone);
		if (x->state == X_READY)
			TAILQ_REMOVE(&h->ready, x, ready);
		exchange_closed(x);
		exchange_free(x);
	}
	while ((x = TAILQ_FIRST(&h->ready)) != NULL && !c->dead && !c->frozen &&
	    c->unsent < c->h->limits.queued_bytes) {
		TAILQ_REMOVE(&h->ready, x, ready);
		if (x->head_too_large)
			refuse(x, 431);
		else
			exchange_hand_over(x);
	}
}

void
h2_input(struct conn *c, const char *p, size_t n)
{
	struct h2 *h = c->h2;

	if (h == NULL) {
		h = c->h2 = mem_zalloc(sizeof(*h));
		TAILQ_INIT(&h->ready);
		h->session = session_new(c);
		if (h->session == NULL) {
			conn_kill(c);
			return;
		}
	}
	if (c->dead || c->frozen)
		return;
	if (nghttp2_session_mem_recv(h->session, (const uint8_t *)p, n) < 0)
		conn_kill(c);
	h2_settle(c);
	conn_dirty(c);
}

bool
h2_wants_pump(const struct conn *c)
{
	return c->h2->session != NULL &&
	    nghttp2_session_want_write(c->h2->session) != 0 &&
	    c->out.bytes < OUT_AHEAD;
}

void
h2_pump(struct conn *c)
{
	struct h2 *h = c->h2;

	while (!c->dead && c->out.bytes < OUT_AHEAD) {
		const uint8_t *p;
		ssize_t n = nghttp2_session_mem_send(h->session, &p);
		size_t before = c->out.bytes;

		if (n < 0) {
			conn_kill(c);
			return;
		}
		sendq_add(&c->out, p, (size_t)n);
		/* 0 with data: send_data has put it there. */
		if (n == 0 && c->out.bytes == before)
			break;
	}
	if (!nghttp2_session_want_read(h->session) &&
	    !nghttp2_session_want_write(h->session))
		conn_close_gently(c);
}

void
h2_free(struct conn *c)
{
	if (c->h2 == NULL)
		return;
	nghttp2_session_del(c->h2->session);
	free(c->h2);
	c->h2 = NULL;
}

static nghttp2_nv
nv(struct span name, struct span value)
{
	return (nghttp2_nv){.name = (uint8_t *)name.p,
	    .namelen = name.n,
	    .value = (uint8_t *)value.p,
	    .valuelen = value.n};
}

enum body_kind { BODY_NONE, BODY_FOLLOWS };

static void
submit(struct exchange *x, int status, const struct httpd_header *headers,
    size_t count, enum body_kind kind, const char *length)
{
	struct conn *c = x->conn;
	nghttp2_data_provider data = {
	    .source.ptr = x, .read_callback = read_data};
	nghttp2_nv *all = mem_array(NULL, count + 3, sizeof(*all));
	char text[16];
	size_t n = 0;

	snprintf(text, sizeof(text), "%d", status);
	all[n++] = nv(span_str(":status"), span_str(text));
	for (size_t i = 0; i < count; i++)
		all[n++] = nv(headers[i].name, headers[i].value);
	all[n++] = nv(span_str("date"), span_str(httpd_date(c->h)));
	if (length != NULL)
		all[n++] = nv(span_str("content-length"), span_str(length));
	if (nghttp2_submit_response(c->h2->session, x->stream, all, n,
		kind == BODY_NONE ? NULL : &data) != 0)
		nghttp2_submit_rst_stream(c->h2->session, NGHTTP2_FLAG_NONE,
		    x->stream, NGHTTP2_INTERNAL_ERROR);
	free(all);
}

void
h2_reply(struct exchange *x, int status, const struct httpd_header *headers,
    size_t count, struct text *text, struct span body)
{
	size_t n = text != NULL ? text->n : body.n;
	char length[24];

	x->state = X_ENDED;
	x->eof = true;
	snprintf(length, sizeof(length), "%zu", n);
	if (x->head_only || n == 0) {
		submit(x, status, headers, count, BODY_NONE,
		    status == 204 ? NULL : length);
		return;
	}
	if (text != NULL)
		sendq_text(&x->out, text);
	else
		sendq_add(&x->out, body.p, body.n);
	x->conn->unsent += n;
	submit(x, status, headers, count, BODY_FOLLOWS, length);
}

void
h2_start(struct exchange *x, int status, const struct httpd_header *headers,
    size_t count)
{
	submit(x, status, headers, count,
	    x->head_only ? BODY_NONE : BODY_FOLLOWS, NULL);
}

static void
resume(struct exchange *x)
{
	if (x->deferred)
		nghttp2_session_resume_data(x->conn->h2->session, x->stream);
	x->deferred = false;
}

void
h2_send(struct exchange *x, struct text *t)
{
	sendq_text(&x->out, t);
	x->conn->unsent += t->n;
	resume(x);
}

void
h2_end(struct exchange *x)
{
	x->eof = true;
	resume(x);
}

void
h2_reset(struct exchange *x)
{
	nghttp2_submit_rst_stream(x->conn->h2->session, NGHTTP2_FLAG_NONE,
	    x->stream, NGHTTP2_INTERNAL_ERROR);
	conn_dirty(x->conn);
}

void
h2_goaway(struct conn *c)
{
	nghttp2_session *s = c->h2->session;

	nghttp2_submit_goaway(s, NGHTTP2_FLAG_NONE,
	    nghttp2_session_get_last_proc_stream_id(s), NGHTTP2_NO_ERROR, NULL,
	    0);
}

void
h2_expire(struct conn *c)
{
	struct h2 *h = c->h2;
	uint64_t now = clock_ms(), next = UINT64_MAX;
	struct exchange *x;

	LIST_FOREACH (x, &c->exchanges, among_all) {
		uint64_t due = x->began_ms +
		    (x->headers == NULL ? c->h->limits.header_ms
					: c->h->limits.body_ms);

		if (x->state != X_READING)
			continue;
		if (due <= now)
			nghttp2_submit_rst_stream(h->session, NGHTTP2_FLAG_NONE,
			    x->stream, NGHTTP2_CANCEL);
		else if (due < next)
			next = due;
	}
	if (next != UINT64_MAX)
		conn_deadline(c, next - now);
}
