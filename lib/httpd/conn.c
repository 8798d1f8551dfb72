#include "httpd/conn.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "process/clock.h"

enum {
	IOV_AT_ONCE = 128,
	TLS_AT_ONCE = 16384, /* the longest record */
	LINGER_MS = 1000,
	EVENTS_WAIT_MS = 20 /* the longest wait for more events */
};

/* RFC 9113, section 3.4. */
static const char preface[] = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
enum { PREFACE_BYTES = sizeof(preface) - 1 };

static void readable(void *arg, int fd, int events);
static void flush_all(void *arg);
static void flush_events(void *arg);

const char *
httpd_date(struct httpd *h)
{
	time_t now = clock_real_us() / 1000000;
	struct tm tm;

	if ((uint64_t)now != h->date_at && gmtime_r(&now, &tm) != NULL) {
		strftime(
		    h->date, sizeof(h->date), "%a, %d %b %Y %H:%M:%S GMT", &tm);
		h->date_at = (uint64_t)now;
	}
	return h->date;
}

static void
conn_watch(struct conn *c, int events)
{
	if (c->events == events)
		return;
	c->events = events;
	loop_watch(c->h->loop, c->fd, events, readable, c);
}

void
conn_new(struct httpd *h, int fd)
{
	struct conn *c = mem_zalloc(sizeof(*c));

	c->h = h;
	c->fd = fd;
	c->events = -1;
	c->number = ++h->conn_number;
	LIST_INSERT_HEAD(&h->conns, c, among_all);
	h->conn_count++;
	conn_watch(c, LOOP_READ);
}

static bool
owes_an_answer(const struct conn *c)
{
	const struct exchange *x;

	LIST_FOREACH (x, &c->exchanges, among_all)
		if (x->state != X_READING && x->state != X_ENDED)
			return true;
	return false;
}

bool
conn_make_room(struct httpd *h)
{
	struct conn *oldest = NULL, *c;

	LIST_FOREACH (c, &h->conns, among_all)
		if (!c->dead && !c->frozen && !owes_an_answer(c))
			oldest = c;
	if (oldest != NULL)
		conn_kill(oldest);
	return oldest != NULL;
}

static void
not_eventful(struct conn *c)
{
	if (c->is_eventful)
		LIST_REMOVE(c, among_eventful);
	c->is_eventful = false;
}

static void
conn_free(struct conn *c)
{
	struct httpd *h = c->h;
	struct exchange *x;

	c->dead = true;
	while ((x = LIST_FIRST(&c->exchanges)) != NULL) {
		exchange_closed(x);
		exchange_free(x);
	}
	not_eventful(c);
	loop_unwatch(h->loop, c->fd);
	loop_cancel(h->loop, &c->read_timer);
	loop_cancel(h->loop, &c->write_timer);
	tls_conn_free(c->tls);
	h1_free(c);
	h2_free(c);
	sendq_release(&c->out);
	close(c->fd);
	LIST_REMOVE(c, among_all);
	h->conn_count--;
	free(c);
}

void
conn_dirty(struct conn *c)
{
	struct httpd *h = c->h;

	if (c->is_dirty)
		return;
	c->is_dirty = true;
	SLIST_INSERT_HEAD(&h->dirty, c, among_dirty);
	/* Timers run last in a round: this one is due then. */
	if (!loop_timer_armed(&h->flush))
		loop_at(h->loop, &h->flush, 0, flush_all, h);
}

void
conn_event(struct conn *c)
{
	struct httpd *h = c->h;

	if (c->is_dirty || c->is_eventful)
		return;
	c->is_eventful = true;
	LIST_INSERT_HEAD(&h->eventful, c, among_eventful);
	if (!loop_timer_armed(&h->flush_events))
		loop_at(h->loop, &h->flush_events, h->events_due_ms,
		    flush_events, h);
}

void
conn_kill(struct conn *c)
{
	c->dead = true;
	conn_dirty(c);
}

void
conn_freeze(struct conn *c)
{
	c->frozen = true;
	loop_unwatch(c->h->loop, c->fd);
	loop_cancel(c->h->loop, &c->read_timer);
	loop_cancel(c->h->loop, &c->write_timer);
}

void
conn_close_gently(struct conn *c)
{
	if (c->closing)
		return;
	c->closing = true;
	conn_dirty(c);
}

static void
expired(void *arg)
{
	struct conn *c = arg;

	if (c->protocol == PROTOCOL_1 && !c->closing)
		h1_expire(c);
	else if (c->protocol == PROTOCOL_2 && !c->closing)
		h2_expire(c);
	else
		conn_kill(c);
	conn_dirty(c);
}

void
conn_deadline(struct conn *c, uint64_t ms)
{
	loop_after(c->h->loop, &c->read_timer, ms, expired, c);
}

void
conn_no_deadline(struct conn *c)
{
	loop_cancel(c->h->loop, &c->read_timer);
}

/* Tells HTTP/2 by its preface, the first bytes. */
static void
first_bytes(struct conn *c, const char *p, size_t n)
{
	size_t k = 0;

	if (c->matched == 0 && n > 0)
		conn_deadline(c, c->h->limits.header_ms);
	while (k < n && c->matched < PREFACE_BYTES &&
	    p[k] == preface[c->matched]) {
		k++;
		c->matched++;
	}
	if (c->matched == PREFACE_BYTES) {
		c->protocol = PROTOCOL_2;
		conn_no_deadline(c);
		h2_input(c, preface, PREFACE_BYTES);
	} else if (k < n) {
		c->protocol = PROTOCOL_1;
		conn_no_deadline(c);
		h1_input(c, preface, c->matched);
	} else
		return;
	p += k;
	n -= k;
	if (n == 0)
		return;
	if (c->protocol == PROTOCOL_2)
		h2_input(c, p, n);
	else
		h1_input(c, p, n);
}

static void
input(struct conn *c, const char *p, size_t n)
{
	if (c->lingers || c->closing)
		return;
	if (c->protocol == PROTOCOL_UNKNOWN && c->tls != NULL) {
		c->protocol = tls_is_h2(c->tls) ? PROTOCOL_2 : PROTOCOL_1;
		conn_no_deadline(c);
	}
	if (c->protocol == PROTOCOL_2)
		h2_input(c, p, n);
	else if (c->protocol == PROTOCOL_1)
		h1_input(c, p, n);
	else
		first_bytes(c, p, n);
}

static void
end_of_input(struct conn *c)
{
	c->eof = true;
	if (c->lingers || c->protocol == PROTOCOL_UNKNOWN)
		conn_kill(c);
	else if (c->protocol == PROTOCOL_1)
		h1_eof(c);
	else
		conn_close_gently(c);
	conn_dirty(c);
}

/* Answers like net/http. */
static void
refuse_clear_text(struct conn *c)
{
	static const char text[] =
	    "HTTP/1.0 400 Bad Request\r\n\r\n"
	    "Client sent an HTTP request to an HTTPS server.\n";

	tls_conn_free(c->tls);
	c->tls = NULL;
	sendq_add(&c->out, text, sizeof(text) - 1);
	conn_close_gently(c);
}

/* Bytes, 0 at the end, -1: no more for now, -2: broken; or as tls_read. */
static long
read_some(struct conn *c, char *p, size_t n)
{
	ssize_t got;

	if (c->tls != NULL)
		return tls_read(c->tls, p, n);
	do
		got = recv(c->fd, p, n, 0);
	while (got < 0 && errno == EINTR);
	if (got >= 0)
		return got;
	return errno == EAGAIN || errno == EWOULDBLOCK ? -1 : -2;
}

static void
read_all(struct conn *c)
{
	struct httpd *h = c->h;
	long n;

	if (h->tls != NULL && c->tls == NULL && !c->closing) {
		c->tls = tls_conn_new(h->tls, c->fd);
		conn_deadline(c, h->limits.header_ms);
	}
	/* TLS keeps what it has decrypted: take all of it. */
	do {
		n = read_some(c, h->in, sizeof(h->in));
		if (n > 0)
			input(c, h->in, (size_t)n);
		else if (n == 0)
			end_of_input(c);
		else if (n == -2)
			conn_kill(c);
		else if (n == -3)
			refuse_clear_text(c);
	} while (n > 0 && c->tls != NULL && !c->dead && !c->frozen);
	/* A handshake that waits to send, too. */
	if (c->tls != NULL && n == -1)
		conn_dirty(c);
}

static void
readable(void *arg, int fd, int events)
{
	struct conn *c = arg;

	(void)fd;
	if (c->frozen || c->dead)
		return;
	if (events & LOOP_WRITE) {
		c->blocked = false;
		conn_dirty(c);
	}
	if (events & LOOP_READ)
		read_all(c);
	else if (events & LOOP_HUP)
		conn_kill(c);
}

static ssize_t
write_plain(struct conn *c)
{
	struct iovec iov[IOV_AT_ONCE];
	struct msghdr m = {.msg_iov = iov};
	ssize_t n;

	m.msg_iovlen = sendq_iov(&c->out, iov, IOV_AT_ONCE);
	for (size_t i = 0, left = c->cut_at; c->cut && i < m.msg_iovlen; i++) {
		if (iov[i].iov_len > left)
			iov[i].iov_len = left;
		left -= iov[i].iov_len;
	}
	do
		n = sendmsg(c->fd, &m, MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return errno == EAGAIN || errno == EWOULDBLOCK ? -1 : -2;
	return n;
}

/* Bytes that TLS has not taken are offered again, unchanged. */
static ssize_t
write_tls(struct conn *c)
{
	char record[TLS_AT_ONCE];
	size_t n = sendq_copy(&c->out, record,
	    c->cut && c->cut_at < sizeof(record) ? c->cut_at : sizeof(record));

	return tls_write(c->tls, record, n);
}

static void
write_expired(void *arg)
{
	conn_kill(arg);
}

static void
write_out(struct conn *c)
{
	struct httpd *h = c->h;
	bool wrote = false;

	while (c->out.bytes > 0 && !c->blocked && (!c->cut || c->cut_at > 0)) {
		ssize_t n = c->tls != NULL ? write_tls(c) : write_plain(c);

		if (n > 0) {
			sendq_drop(&c->out, (size_t)n);
			c->cut_at -= c->cut ? (size_t)n : 0;
			wrote = true;
		} else if (n == -1)
			c->blocked = true;
		else {
			conn_kill(c);
			return;
		}
	}
	if (c->cut && !c->blocked)
		conn_kill(c);
	if (wrote || (!c->blocked && c->unsent == 0))
		loop_cancel(h->loop, &c->write_timer);
	/* HTTP/2: the socket has room, but the windows are full. */
	if ((c->blocked || c->unsent > 0) && !loop_timer_armed(&c->write_timer))
		loop_after(h->loop, &c->write_timer, h->limits.write_ms,
		    write_expired, c);
}

void
conn_push(struct conn *c)
{
	if (c->dead || c->frozen)
		return;
	do {
		if (c->protocol == PROTOCOL_2)
			h2_pump(c);
		write_out(c);
	} while (c->protocol == PROTOCOL_2 && !c->dead && !c->blocked &&
	    h2_wants_pump(c));
}

/* Everything is sent: tells the peer, and drops input that still comes, so that
 * the kernel does not answer it with a reset that overtakes our last bytes. */
static void
linger(struct conn *c)
{
	if (c->tls != NULL)
		tls_close(c->tls);
	if (c->eof || shutdown(c->fd, SHUT_WR) != 0) {
		conn_kill(c);
		return;
	}
	c->lingers = true;
	conn_deadline(c, LINGER_MS);
}

static void
flush(struct conn *c)
{
	do
		conn_push(c);
	while (c->protocol == PROTOCOL_1 && !c->closing && !c->dead &&
	    !c->blocked && h1_resume(c));
	if (c->protocol == PROTOCOL_2)
		h2_settle(c);
	if (c->protocol == PROTOCOL_1 && c->eof && h1_is_idle(c))
		conn_close_gently(c);
	if (c->frozen)
		return;
	if (c->closing && !c->lingers && c->out.bytes == 0 && !c->dead)
		linger(c);
	if (c->dead)
		return;
	conn_watch(c,
	    (c->holds_input || c->eof ? 0 : LOOP_READ) |
		(c->blocked || (c->tls != NULL && tls_wants_write(c->tls))
			? LOOP_WRITE
			: 0));
}

static void
flush_one(struct conn *c)
{
	not_eventful(c);
	if (!c->dead && !c->frozen)
		flush(c);
	/* The end of one connection may end another: on_close calls
	 * handlers. */
	if (c->dead && !c->frozen && !c->is_dirty)
		conn_free(c);
}

static void
flush_all(void *arg)
{
	struct httpd *h = arg;
	struct conn *c;

	while ((c = SLIST_FIRST(&h->dirty)) != NULL) {
		SLIST_REMOVE_HEAD(&h->dirty, among_dirty);
		c->is_dirty = false;
		flush_one(c);
	}
}

static void
flush_events(void *arg)
{
	struct httpd *h = arg;
	uint64_t began = clock_ms(), took;

	while (!LIST_EMPTY(&h->eventful))
		flush_one(LIST_FIRST(&h->eventful));
	h1_forget_frames(h);
	h->events_due_ms = clock_ms();
	took = h->events_due_ms - began;
	h->events_due_ms += took < EVENTS_WAIT_MS ? took : EVENTS_WAIT_MS;
}

void
conn_free_all(struct httpd *h)
{
	struct conn *c;

	/* The last bytes still go out, if they can. */
	LIST_FOREACH (c, &h->conns, among_all) {
		if (c->protocol == PROTOCOL_2 && !c->dead && !c->frozen)
			h2_goaway(c);
		conn_push(c);
	}
	while (!LIST_EMPTY(&h->conns))
		conn_free(LIST_FIRST(&h->conns));
	SLIST_INIT(&h->dirty);
}
