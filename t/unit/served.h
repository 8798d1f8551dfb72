/* served: a server of lib/httpd and the sockets of its clients in one
 * process. */
#ifndef SERVED_H
#define SERVED_H

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/buf.h"
#include "httpd/httpd.h"
#include "process/clock.h"
#include "tap.h"

enum { PATIENCE_MS = 60000, LARGE = 100000 };

static struct loop *loop;
static struct httpd *server;
static struct exchange *later; /* the last one of /later, /watch */
static int gone;	       /* calls of on_close */
static int requests;
__attribute__((unused)) static struct httpd_tls *tls; /* of the next server */

__attribute__((unused)) static void
on_gone(void *arg)
{
	(void)arg;
	gone++;
	later = NULL;
}

static void
echo(struct exchange *x, const struct httpd_request *r)
{
	struct httpd_header type = {
	    span_str("content-type"), span_str("text/plain")};
	struct buf b = BUF_INIT;

	buf_addf(&b, "%.*s %.*s", SPAN_ARG(r->method), SPAN_ARG(r->path));
	if (r->query.p != NULL)
		buf_addf(&b, " ?%.*s", SPAN_ARG(r->query));
	if (httpd_header(r, "x-test").p != NULL)
		buf_addf(&b, " %.*s", SPAN_ARG(httpd_header(r, "x-test")));
	if (r->body.n > 0)
		buf_addf(&b, " [%.*s]", SPAN_ARG(r->body));
	httpd_reply(x, 200, &type, 1, buf_span(&b));
	buf_release(&b);
}

/* Sends back what comes, "=" before the first piece of a message; "end" and
 * "cut" do that. */
static void
on_input(void *arg, struct span piece, bool first)
{
	(void)arg;
	if (span_is(piece, "end"))
		httpd_end(later);
	else if (span_is(piece, "cut"))
		httpd_cut(later);
	else
		httpd_send_parts(later, span_str(first ? "=" : "-"), piece);
}

static void
take_over(struct exchange *x, bool messages)
{
	static const struct httpd_header headers[] = {
	    {{"connection", 10}, {"Upgrade", 7}}, {{"upgrade", 7}, {"x", 1}}};
	static const struct httpd_input in = {on_input, NULL};

	later = x;
	httpd_on_close(x, on_gone, NULL);
	if (messages)
		httpd_start_messages(x, span_str("chosen"), &in);
	else
		httpd_start_bytes(x, headers, 2, &in);
}

static void
on_request(void *arg, struct exchange *x, const struct httpd_request *r)
{
	uint64_t n;

	(void)arg;
	requests++;
	if (span_is(r->path, "/later")) {
		later = x;
		httpd_on_close(x, on_gone, NULL);
	} else if (span_is(r->path, "/watch")) {
		later = x;
		httpd_on_close(x, on_gone, NULL);
		httpd_start(x, 200, NULL, 0);
	} else if (span_is(r->path, "/socket")) {
		later = x;
		httpd_on_close(x, on_gone, NULL);
		httpd_start_websocket(x);
	} else if (span_is(r->path, "/messages")) {
		take_over(x, true);
	} else if (span_is(r->path, "/bytes")) {
		take_over(x, false);
	} else if (span_is(r->path, "/large")) {
		char *p = calloc(1, LARGE);

		httpd_reply(x, 200, NULL, 0, span_make(p, LARGE));
		free(p);
	} else if (span_is(r->path, "/cut")) {
		httpd_cut(x);
	} else if (span_is(r->path, "/freeze")) {
		httpd_freeze(x);
	} else {
		if (span_is(r->path, "/goaway"))
			httpd_goaway(x);
		if (span_is(r->path, "/cut-after") &&
		    span_number(r->query, UINT64_MAX, &n))
			httpd_cut_after(x, n);
		if (span_is(r->path, "/alone"))
			httpd_close_others(x);
		echo(x, r);
	}
}

static void
on_too_large(void *arg, struct exchange *x, const struct httpd_request *r)
{
	(void)arg, (void)r;
	httpd_reply(x, 413, NULL, 0, span_str("too large"));
}

__attribute__((unused)) static void
serve(const struct httpd_limits *limits)
{
	const struct httpd_handler handler = {on_request, on_too_large, NULL};
	struct err err = ERR_INIT;

	later = NULL;
	gone = requests = 0;
	loop = loop_new();
	server = httpd_new(loop, "127.0.0.1:0", tls, limits, &handler, &err);
	if (server == NULL) {
		printf("Bail out! %s\n", err.message);
		exit(1);
	}
}

__attribute__((unused)) static void
serve_no_more(void)
{
	httpd_free(server);
	loop_free(loop);
	server = NULL;
}

__attribute__((unused)) static int
client(void)
{
	struct sockaddr_in a = {.sin_family = AF_INET,
	    .sin_port = htons((uint16_t)httpd_port(server)),
	    .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (connect(fd, (struct sockaddr *)&a, sizeof(a)) != 0) {
		printf("Bail out! connect: %s\n", strerror(errno));
		exit(1);
	}
	fcntl(fd, F_SETFL, O_NONBLOCK);
	return fd;
}

__attribute__((unused)) static void
say_n(int fd, const void *p, size_t n)
{
	const char *at = p;
	uint64_t until = clock_ms() + PATIENCE_MS;

	while (n > 0 && clock_ms() < until) {
		ssize_t k = send(fd, at, n, MSG_NOSIGNAL);

		if (k > 0) {
			at += k;
			n -= (size_t)k;
		} else if (errno != EAGAIN)
			return;
		loop_once(loop, 0);
	}
}

__attribute__((unused)) static void
say(int fd, const char *text)
{
	say_n(fd, text, strlen(text));
}

/* Dates differ from day to day. */
static void
normalise(struct buf *b)
{
	char *d, *from;

	if (*buf_str(b) == '\0') /* it ends the text, too */
		return;
	from = b->data;
	for (; (d = strstr(from, "date: ")) != NULL; from = d + 7) {
		char *end = strstr(d, "\r\n");

		if (end == NULL)
			return;
		d[6] = 'D';
		memmove(d + 7, end, strlen(end) + 1);
		b->len = strlen(b->data);
	}
}

enum { HEARD_MORE, HEARD_END };

/* Waits for at least n bytes more, the end, or a timeout. */
__attribute__((unused)) static int
hear(int fd, struct buf *b, size_t n)
{
	uint64_t until = clock_ms() + PATIENCE_MS;

	while (b->len < n && clock_ms() < until) {
		ssize_t k = recv(fd, buf_reserve(b, 65536), 65536, 0);

		if (k > 0) {
			b->len += (size_t)k;
			normalise(b);
		} else if (k == 0 || (errno != EAGAIN))
			return HEARD_END;
		else
			loop_once(loop, 5);
	}
	return HEARD_MORE;
}

/* Counts the bytes that came and drops them. */
__attribute__((unused)) static int
hear_away(int fd, size_t *heard)
{
	static char drop[1 << 16];
	ssize_t k = recv(fd, drop, sizeof(drop), 0);

	if (k > 0)
		*heard += (size_t)k;
	return k == 0 || (k < 0 && errno != EAGAIN) ? HEARD_END : HEARD_MORE;
}

/* Exactly this comes (only as far as one can know without waiting). */
#define hears(fd, want, what)                     \
	do {                                      \
		struct buf heard_ = BUF_INIT;     \
		hear(fd, &heard_, strlen(want));  \
		is(buf_str(&heard_), want, what); \
		buf_release(&heard_);             \
	} while (0)

/* This comes, and then the end; closes our side. */
#define hears_last(fd, want, what)                                \
	do {                                                      \
		struct buf heard_ = BUF_INIT;                     \
		int end_ = hear(fd, &heard_, strlen(want) + 1);   \
		is(buf_str(&heard_), want, what);                 \
		ok(end_ == HEARD_END, what ": and then the end"); \
		buf_release(&heard_);                             \
		close(fd);                                        \
	} while (0)

/* Says the text, and hears the answer; asks_last: and then the end. */
#define asks(fd, text, want, what)     \
	do {                           \
		say(fd, text);         \
		hears(fd, want, what); \
	} while (0)
#define asks_last(fd, text, want, what)         \
	do {                                    \
		int asker_ = fd;                \
		say(asker_, text);              \
		hears_last(asker_, want, what); \
	} while (0)

/* Runs the loop until the condition holds. */
#define until(condition)                                  \
	do {                                              \
		uint64_t end_ = clock_ms() + PATIENCE_MS; \
		while (!(condition) && clock_ms() < end_) \
			loop_once(loop, 5);               \
	} while (0)

#endif
