#include "httpd/httpd.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/mem.h"
#include "httpd/conn.h"
#include "process/clock.h"

enum {
	BACKLOG = 4096,
	ACCEPT_AGAIN_MS = 50, /* no descriptor left: wait for one */
	ACCEPTED_AT_ONCE = 256
};

const struct httpd_limits httpd_default_limits = {
    .header_bytes = 1 << 20, /* net/http's DefaultMaxHeaderBytes */
    .body_bytes = 3 << 20,   /* the API server's MaxRequestBodyBytes */
    .queued_bytes = 64 << 20,
    .header_ms = 32000, /* the API server's ReadHeaderTimeout */
    .body_ms = 60000,
    .write_ms = 60000,
    .connections = 20000,
    .streams = 100, /* the default of the API server, and of Go */
};

static void
accept_some(void *arg, int fd, int events)
{
	struct httpd *h = arg;

	(void)events;
	for (int i = 0; i < ACCEPTED_AT_ONCE; i++) {
		int s = accept4(fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);

		if (s >= 0 && h->conn_count >= h->limits.connections &&
		    !conn_make_room(h))
			close(s);
		else if (s >= 0)
			conn_new(h, s);
		else if (errno == EAGAIN || errno == EWOULDBLOCK)
			return;
		else if (errno == EMFILE || errno == ENFILE) {
			loop_unwatch(h->loop, h->fd);
			loop_after(h->loop, &h->accept_again, ACCEPT_AGAIN_MS,
			    httpd_accept, h);
			return;
		}
	}
}

void
httpd_accept(void *arg)
{
	struct httpd *h = arg;

	loop_watch(h->loop, h->fd, LOOP_READ, accept_some, h);
}

/* "HOST:PORT" cut in two, brackets of IPv6 removed; owned by the caller. */
static int
split_address(const char *address, char **host, char **port, struct err *err)
{
	const char *colon = strrchr(address, ':');
	size_t n;

	if (colon == NULL || colon[1] == '\0')
		return err_set(err, ERR_PERMANENT,
		    "bad address \"%s\": want HOST:PORT", address);
	n = (size_t)(colon - address);
	/* getaddrinfo would cut it to 16 bits. */
	if (colon[1 + strspn(colon + 1, "0123456789")] != '\0' ||
	    strtol(colon + 1, NULL, 10) > 65535)
		return err_set(err, ERR_PERMANENT,
		    "bad address \"%s\": a port is a number up to 65535",
		    address);
	*port = mem_strdup(colon + 1);
	if (n >= 2 && address[0] == '[' && address[n - 1] == ']')
		*host = mem_dup(address + 1, n - 2);
	else
		*host = n == 0 ? NULL : mem_dup(address, n);
	return 0;
}

static int
bind_one(const struct addrinfo *a)
{
	int on = 1, off = 0;
	int fd = socket(a->ai_family,
	    a->ai_socktype | SOCK_NONBLOCK | SOCK_CLOEXEC, a->ai_protocol);

	if (fd < 0)
		return -1;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	/* "::" is IPv4 as well, on any system. */
	if (a->ai_family == AF_INET6)
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off));
	/* Accepted connections inherit it. */
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	if (bind(fd, a->ai_addr, a->ai_addrlen) == 0 &&
	    listen(fd, BACKLOG) == 0)
		return fd;
	on = errno;
	close(fd);
	errno = on;
	return -1;
}

static int
listen_on(const char *address, struct err *err)
{
	struct addrinfo hints = {.ai_family = AF_UNSPEC,
	    .ai_socktype = SOCK_STREAM,
	    .ai_flags = AI_PASSIVE | AI_NUMERICSERV};
	struct addrinfo *found = NULL;
	char *host = NULL, *port = NULL;
	int fd = -1, rc;

	if (split_address(address, &host, &port, err) != 0)
		return -1;
	rc = getaddrinfo(host, port, &hints, &found);
	if (rc != 0)
		err_set(err, ERR_PERMANENT, "bad address \"%s\": %s", address,
		    gai_strerror(rc));
	/* ":PORT" is every address, as in Go: "::" first, which is all. */
	for (struct addrinfo *a = found; a != NULL && fd < 0; a = a->ai_next)
		if (host == NULL && a->ai_family == AF_INET6)
			fd = bind_one(a);
	for (struct addrinfo *a = found; a != NULL && fd < 0; a = a->ai_next)
		fd = bind_one(a);
	if (rc == 0 && fd < 0)
		err_set(err, ERR_PERMANENT, "cannot listen on %s: %s", address,
		    strerror(errno));
	if (found != NULL)
		freeaddrinfo(found);
	free(host);
	free(port);
	return fd;
}

static int
port_of(int fd)
{
	union {
		struct sockaddr any;
		struct sockaddr_in in;
		struct sockaddr_in6 in6;
	} a;
	socklen_t n = sizeof(a);

	if (getsockname(fd, &a.any, &n) != 0)
		return 0;
	return ntohs(
	    a.any.sa_family == AF_INET6 ? a.in6.sin6_port : a.in.sin_port);
}

struct httpd *
httpd_new(struct loop *l, const char *address, const struct httpd_tls *tls,
    const struct httpd_limits *limits, const struct httpd_handler *handler,
    struct err *err)
{
	struct httpd *h = mem_zalloc(sizeof(*h));

	h->loop = l;
	h->limits = *limits;
	h->handler = *handler;
	h->fd = -1;
	if (tls != NULL && (h->tls = tls_server_new(tls, err)) == NULL)
		goto fail;
	h->fd = listen_on(address, err);
	if (h->fd < 0)
		goto fail;
	h->port = port_of(h->fd);
	httpd_accept(h);
	return h;
fail:
	httpd_free(h);
	return NULL;
}

int
httpd_check_tls(const struct httpd_tls *tls, struct err *err)
{
	struct tls_server *s = tls_server_new(tls, err);

	tls_server_free(s);
	return s == NULL ? -1 : 0;
}

int
httpd_use_tls(struct httpd *h, const struct httpd_tls *tls, struct err *err)
{
	struct tls_server *s = tls_server_new(tls, err);

	if (s == NULL)
		return -1;
	/* Connections keep the old one as long as they need it. */
	tls_server_free(h->tls);
	h->tls = s;
	return 0;
}

void
httpd_free(struct httpd *h)
{
	if (h == NULL)
		return;
	if (h->fd >= 0) {
		loop_unwatch(h->loop, h->fd);
		close(h->fd);
	}
	loop_cancel(h->loop, &h->accept_again);
	conn_free_all(h);
	loop_cancel(h->loop, &h->flush);
	loop_cancel(h->loop, &h->flush_events);
	tls_server_free(h->tls);
	buf_release(&h->scratch);
	h1_forget_frames(h);
	free(h);
}

int
httpd_port(const struct httpd *h)
{
	return h->port;
}

size_t
httpd_connections(const struct httpd *h)
{
	return h->conn_count;
}

void
httpd_close_others(struct exchange *x)
{
	struct conn *c;
	struct exchange *e;

	LIST_FOREACH (c, &x->conn->h->conns, among_all) {
		c->frozen = false;
		LIST_FOREACH (e, &c->exchanges, among_all) {
			bool ends = e != x &&
			    (e->state == X_HANDED || e->state == X_STARTED);

			if (ends)
				exchange_closed(e);
			if (ends && c == x->conn && c->protocol == PROTOCOL_2)
				h2_reset(e);
		}
		if (c != x->conn)
			conn_kill(c);
	}
}

struct span
httpd_header(const struct httpd_request *r, const char *name)
{
	for (size_t i = 0; i < r->header_count; i++)
		if (span_is(r->headers[i].name, name))
			return r->headers[i].value;
	return SPAN_NONE;
}

void
httpd_set_header(struct exchange *x, const char *name, struct span value)
{
	size_t n = 0;
	bool set = false;

	for (size_t i = 0; i < x->r.header_count; i++) {
		struct httpd_header h = x->headers[i];
		if (span_is(h.name, name)) {
			if (set)
				continue;
			h.value = value;
			set = true;
		}
		x->headers[n++] = h;
	}
	x->r.header_count = n;
}

const struct httpd_peer *
httpd_peer(const struct exchange *x)
{
	return x->conn->tls == NULL ? NULL : tls_peer(x->conn->tls);
}

void
httpd_on_close(struct exchange *x, loop_fn *fn, void *arg)
{
	x->on_close = fn;
	x->close_arg = arg;
}

/* Whether an answer may still go out; if not, it is dropped silently and the
 * exchange is gone as after an answer. */
static bool
answerable(struct exchange *x, enum exchange_state state)
{
	struct conn *c = x->conn;

	if (x->state != state)
		return false;
	return !c->dead && !c->frozen && !x->closed;
}

/* Whether the head of a stream may still go out; if not, x has begun all the
 * same. */
static bool
begin_stream(struct exchange *x)
{
	bool sends = answerable(x, X_HANDED);

	x->state = X_STARTED;
	if (sends)
		conn_dirty(x->conn);
	return sends;
}

static void
reply(struct exchange *x, int status, const struct httpd_header *headers,
    size_t count, struct text *text, struct span body)
{
	struct conn *c = x->conn;

	if (!answerable(x, X_HANDED)) {
		x->state = X_ENDED;
		return;
	}
	conn_dirty(c);
	if (c->protocol == PROTOCOL_2)
		h2_reply(x, status, headers, count, text, body);
	else
		h1_reply(x, status, headers, count, text, body);
}

void
httpd_reply(struct exchange *x, int status, const struct httpd_header *headers,
    size_t count, struct span body)
{
	reply(x, status, headers, count, NULL, body);
}

void
httpd_reply_text(struct exchange *x, int status,
    const struct httpd_header *headers, size_t count, struct text *body)
{
	reply(x, status, headers, count, body, SPAN_NONE);
}

void
httpd_start(struct exchange *x, int status, const struct httpd_header *headers,
    size_t count)
{
	if (!begin_stream(x))
		return;
	if (x->conn->protocol == PROTOCOL_2)
		h2_start(x, status, headers, count);
	else
		h1_start(x, status, headers, count);
}

bool
httpd_start_websocket(struct exchange *x)
{
	return httpd_start_messages(x, SPAN_NONE, NULL);
}

bool
httpd_start_messages(
    struct exchange *x, struct span protocol, const struct httpd_input *in)
{
	return !begin_stream(x) || upgrade_start(x, protocol, in);
}

void
httpd_start_bytes(struct exchange *x, const struct httpd_header *headers,
    size_t count, const struct httpd_input *in)
{
	if (begin_stream(x))
		upgrade_start_bytes(x, headers, count, in);
}

size_t
httpd_queued(const struct exchange *x)
{
	return x->out.bytes +
	    (x->conn->protocol == PROTOCOL_2 ? 0 : x->conn->out.bytes);
}

static bool
too_much(const struct exchange *x, size_t n)
{
	size_t queued = httpd_queued(x);

	return queued > 0 && queued + n > x->conn->h->limits.queued_bytes;
}

/* Whether n more bytes may be sent now; -1: they were too many, and x ends. */
static int
make_room(struct exchange *x, size_t n)
{
	struct conn *c = x->conn;

	if (!answerable(x, X_STARTED) || x->head_only)
		return 0;
	if (too_much(x, n))
		conn_push(c);
	if (c->dead)
		return 0;
	if (!too_much(x, n))
		return 1;
	x->state = X_ENDED;
	if (c->protocol == PROTOCOL_2)
		h2_reset(x);
	else
		conn_kill(c);
	return -1;
}

int
httpd_send(struct exchange *x, struct text *t)
{
	struct conn *c = x->conn;
	int room = t->n == 0 ? 0 : make_room(x, t->n);

	if (room <= 0)
		return room;
	conn_event(c);
	if (c->protocol == PROTOCOL_2)
		h2_send(x, t);
	else
		h1_send(x, t);
	return 0;
}

int
httpd_send_parts(struct exchange *x, struct span head, struct span data)
{
	int room = make_room(x, head.n + data.n);

	if (room <= 0)
		return room;
	conn_dirty(x->conn);
	upgrade_send(x, head, data);
	return 0;
}

void
httpd_end(struct exchange *x)
{
	bool sends = answerable(x, X_STARTED);

	x->state = X_ENDED;
	if (!sends)
		return;
	conn_dirty(x->conn);
	if (x->conn->protocol == PROTOCOL_2)
		h2_end(x);
	else
		h1_end(x);
}

void
httpd_cut(struct exchange *x)
{
	x->state = X_ENDED;
	if (x->conn->frozen)
		return;
	conn_push(x->conn); /* bytes that were sent before arrive */
	conn_kill(x->conn);
}

void
httpd_cut_after(struct exchange *x, size_t n)
{
	conn_push(x->conn); /* bytes that were sent before do not count */
	x->conn->cut = true;
	x->conn->cut_at = n;
}

void
httpd_freeze(struct exchange *x)
{
	x->state = X_ENDED;
	conn_freeze(x->conn);
}

void
httpd_goaway(struct exchange *x)
{
	if (!answerable(x, X_HANDED) && !answerable(x, X_STARTED))
		return;
	conn_dirty(x->conn);
	if (x->conn->protocol == PROTOCOL_2)
		h2_goaway(x->conn);
	else
		x->close = true;
}
