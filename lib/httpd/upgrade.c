/*
 * Part of httpd/httpd.h: an exchange of HTTP/1.1 that goes on as a WebSocket or
 * in a protocol of the handler's.
 * The conditions, their order and the answers are those of kube-apiserver:
 * streaming/pkg/httpstream/wsstream, golang.org/x/net/websocket (hybi.go,
 * server.go).
 */
#include <stdlib.h>

#include "base/mem.h"
#include "httpd/conn.h"
#include "httpd/websocket.h"

bool
httpd_wants_websocket(const struct httpd_request *r)
{
	if (r->version != 1 || !span_is(r->method, "GET") ||
	    !span_is_caseless(httpd_header(r, "upgrade"), "websocket"))
		return false;
	for (size_t i = 0; i < r->header_count; i++)
		if (span_is(r->headers[i].name, "connection") &&
		    span_has_caseless(r->headers[i].value, "upgrade"))
			return true;
	return false;
}

/* The host and port after "//": the port is digits. */
static bool
is_authority(struct span s)
{
	struct span host = span_cut(&s, '/');
	const char *colon = span_find_last(host, ':');
	const char *bracket = span_find_last(host, ']');

	if (colon == NULL || (bracket != NULL && bracket > colon))
		return true;
	host = span_skip(host, (size_t)(colon + 1 - host.p));
	return span_digits(host) == host.n;
}

/* Whether url.ParseRequestURI accepts the text: a path or an absolute URI. Any
 * such origin will do; only browsers are bound to tell the truth. */
static bool
is_origin(struct span s)
{
	size_t n = 0;

	for (size_t i = 0; i < s.n; i++)
		if ((unsigned char)s.p[i] <= ' ' || s.p[i] == 0x7f)
			return false;
	if (s.n == 0 || *s.p == '/' || span_is(s, "*"))
		return s.n > 0;
	while (
	    n < s.n && (span_is_alnum(s.p[n]) || span_is_among(s.p[n], "+-.")))
		n++;
	if (n == 0 || n == s.n || s.p[n] != ':' || span_is_digit(*s.p))
		return false;
	s = span_skip(s, n + 1);
	return !span_take(&s, "//") || is_authority(s);
}

/* NULL, or the answer, whole, to a handshake that is refused. */
static const char *
bad_handshake(const struct httpd_request *r)
{
	if (!span_has_caseless(httpd_header(r, "connection"), "upgrade"))
		return "HTTP/1.1 400 Bad Request\r\n\r\n"
		       "not websocket protocol";
	if (httpd_header(r, "sec-websocket-key").n == 0)
		return "HTTP/1.1 400 Bad Request\r\n\r\n"
		       "mismatch challenge/response";
	if (!span_is(httpd_header(r, "sec-websocket-version"), "13"))
		return "HTTP/1.1 400 Bad Request\r\n"
		       "Sec-WebSocket-Version: 13\r\n\r\n"
		       "missing or bad WebSocket Version";
	return NULL;
}

/* bad_handshake for a stream of events, where no handler chooses the
 * protocol. */
static const char *
bad_for_events(const struct httpd_request *r)
{
	const char *answer = bad_handshake(r);

	if (answer != NULL)
		return answer;
	if (!is_origin(httpd_header(r, "origin")))
		return "HTTP/1.1 403 Forbidden\r\n\r\n";
	/* A single protocol is chosen, whichever it is; among several there is
	 * no choice. */
	if (span_find(httpd_header(r, "sec-websocket-protocol"), ',') != NULL)
		return "HTTP/1.1 400 Bad Request\r\n\r\n";
	return NULL;
}

static void
refuse(struct exchange *x, const char *answer)
{
	sendq_add(&x->conn->out, answer, strlen(answer));
	x->state = X_ENDED;
	h1_done(x);
}

static void
accept_it(struct exchange *x, struct span protocol)
{
	struct buf *b = &x->conn->h->scratch;

	buf_reset(b);
	buf_adds(b,
	    "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n"
	    "Connection: Upgrade\r\nSec-WebSocket-Accept: ");
	websocket_add_accept(b, httpd_header(&x->r, "sec-websocket-key"));
	if (protocol.n > 0) {
		buf_adds(b, "\r\nSec-WebSocket-Protocol: ");
		buf_addspan(b, protocol);
	}
	buf_adds(b, "\r\n\r\n");
	sendq_add(&x->conn->out, b->data, b->len);
}

bool
upgrade_start(
    struct exchange *x, struct span protocol, const struct httpd_input *in)
{
	const char *answer =
	    in == NULL ? bad_for_events(&x->r) : bad_handshake(&x->r);

	x->close = true;
	if (answer != NULL) {
		refuse(x, answer);
		return false;
	}
	if (in == NULL)
		protocol = span_trim_start(
		    httpd_header(&x->r, "sec-websocket-protocol"), " \t");
	accept_it(x, protocol);
	x->upgraded = mem_zalloc(sizeof(*x->upgraded));
	if (in != NULL) {
		x->upgraded->to = UPGRADED_MESSAGES;
		x->upgraded->reader.wants_data = true;
		x->upgraded->in = *in;
	}
	return true;
}

void
upgrade_start_bytes(struct exchange *x, const struct httpd_header *headers,
    size_t count, const struct httpd_input *in)
{
	struct buf *b = &x->conn->h->scratch;

	x->close = true;
	buf_reset(b);
	buf_adds(b, "HTTP/1.1 101 Switching Protocols\r\n");
	for (size_t i = 0; i < count; i++) {
		buf_addspan(b, headers[i].name);
		buf_adds(b, ": ");
		buf_addspan(b, headers[i].value);
		buf_adds(b, "\r\n");
	}
	buf_adds(b, "\r\n");
	sendq_add(&x->conn->out, b->data, b->len);
	x->upgraded = mem_zalloc(sizeof(*x->upgraded));
	x->upgraded->to = UPGRADED_BYTES;
	x->upgraded->in = *in;
}

void
upgrade_send(struct exchange *x, struct span head, struct span data)
{
	struct buf *b = &x->conn->h->scratch;

	buf_reset(b);
	if (x->upgraded->to != UPGRADED_BYTES)
		websocket_add_head(b, WEBSOCKET_BINARY, head.n + data.n);
	buf_addspan(b, head);
	buf_addspan(b, data);
	sendq_add(&x->conn->out, b->data, b->len);
}

void
upgrade_end(struct exchange *x, enum websocket_code code)
{
	struct buf *b = &x->conn->h->scratch;

	if (x->upgraded->to != UPGRADED_BYTES) {
		buf_reset(b);
		websocket_add_close(b, code);
		sendq_add(&x->conn->out, b->data, b->len);
	}
	h1_done(x);
}

void
upgrade_broken(struct exchange *x, enum websocket_code code)
{
	exchange_closed(x);
	upgrade_end(x, code);
}

static void
pong(struct exchange *x)
{
	const struct websocket_reader *r = &x->upgraded->reader;
	struct buf *b = &x->conn->h->scratch;

	buf_reset(b);
	websocket_add_head(b, WEBSOCKET_PONG, (size_t)r->n);
	buf_add(b, r->control, (size_t)r->n);
	sendq_add(&x->conn->out, b->data, b->len);
	conn_dirty(x->conn);
}

/* The handler may end x. */
static void
hand_on(struct exchange *x)
{
	const struct websocket_reader *r = &x->upgraded->reader;
	const struct httpd_input in = x->upgraded->in;
	size_t n = r->piece.n;
	char *bytes = mem_array(NULL, n, 1);

	websocket_unmask(r, bytes);
	in.on_input(in.arg, span_make(bytes, n), r->first);
	free(bytes);
}

size_t
upgrade_input(struct exchange *x, const char *p, size_t n)
{
	size_t taken;

	if (x->upgraded->to == UPGRADED_BYTES) {
		x->upgraded->in.on_input(
		    x->upgraded->in.arg, span_make(p, n), false);
		return n;
	}
	switch (websocket_read(&x->upgraded->reader, p, n, &taken)) {
	case WEBSOCKET_MORE:
		break;
	case WEBSOCKET_DATA:
		hand_on(x);
		break;
	case WEBSOCKET_PINGED:
		pong(x);
		break;
	case WEBSOCKET_CLOSED:
	case WEBSOCKET_TOO_LONG:
		upgrade_broken(x, WEBSOCKET_NORMAL);
		break;
	case WEBSOCKET_BAD:
		upgrade_broken(x, WEBSOCKET_PROTOCOL_ERROR);
		break;
	}
	return taken;
}
