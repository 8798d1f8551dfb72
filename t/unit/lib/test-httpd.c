/* httpd: HTTP/1.1, and what all connections have in common. */
#include "httpd/httpd.h"

#include <sys/resource.h>

#include "base/array.h"
#include "served.h"

#define H11 "HTTP/1.1\r\nHost: h\r\n"
#define LAST(length, body) OK(length "\r\nconnection: close", body)
#define OK(length, body)                                  \
	"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n" \
	"date: D\r\ncontent-length: " length "\r\n\r\n" body
#define BAD REFUSED("400 Bad Request", "400 Bad Request")
#define REFUSED(status, text)                         \
	"HTTP/1.1 " status "\r\n"                     \
	"content-type: text/plain; charset=utf-8\r\n" \
	"connection: close\r\n\r\n" text
#define TOO_LARGE                                       \
	"HTTP/1.1 413 Payload Too Large\r\ndate: D\r\n" \
	"content-length: 9\r\nconnection: close\r\n\r\ntoo large"

TEST(requests)
{
	int fd;

	serve(&httpd_default_limits);
	fd = client();
	asks(fd, "GET /a%20b?x=1&y " H11 "X-Test:  v \r\n\r\n",
	    OK("19", "GET /a%20b ?x=1&y v"), "a request");
	asks(fd, "\r\n\r\nGET / " H11 "X-No:\r\nX-Test:v\r\n\r\n",
	    OK("7", "GET / v"), "after empty lines, with an empty field");
	say(fd, "POST /b " H11 "Content-Length: 5\r\n\r\nhe");
	asks(fd, "llo", OK("15", "POST /b [hello]"), "with a body, kept alive");
	asks(fd,
	    "PUT /c " H11 "Transfer-Encoding: chunked\r\n\r\n"
	    "2\r\nhe\r\n3\r\nllo\r\n0\r\nX-Test: trailer\r\n\r\n",
	    OK("14", "PUT /c [hello]"), "in chunks");
	asks(fd, "HEAD /d " H11 "\r\n", OK("7", ""), "HEAD");
	asks(fd, "GET http://h:1/e?f HTTP/1.1\r\nHost: h:1\r\n\r\n",
	    OK("9", "GET /e ?f"), "through a proxy");
	asks_last(fd, "GET /g " H11 "Connection: close\r\n\r\n",
	    LAST("6", "GET /g"), "connection: close");
	asks_last(client(), "GET /h HTTP/1.0\r\n\r\n", LAST("6", "GET /h"),
	    "HTTP/1.0");
	asks_last(client(), "GET /goaway " H11 "\r\n",
	    LAST("11", "GET /goaway"), "goaway");
	until(httpd_connections(server) == 0);
	ok(httpd_connections(server) == 0, "no connection is left");
	serve_no_more();
}

TEST(order)
{
	size_t heard = 0;
	int fd;

	serve(&httpd_default_limits);
	fd = client();
	asks(fd,
	    "GET /1 " H11 "\r\n"
	    "GET /later " H11 "\r\n"
	    "POST /3 " H11 "Content-Length: 2\r\n\r\nab"
	    "GET /4 " H11 "\r\n",
	    OK("6", "GET /1"), "the first of four at once");
	until(later != NULL);
	ok(requests == 2, "the third waits for the answer to the second");
	httpd_reply(later, 204, NULL, 0, SPAN_NONE);
	hears(fd,
	    "HTTP/1.1 204 No Content\r\ndate: D\r\n\r\n" OK(
		"12", "POST /3 [ab]") OK("6", "GET /4"),
	    "... and then all come in order");
	close(fd);
	until(httpd_connections(server) == 0);
	ok(gone == 0, "no handler was told of an end that it knows");
	fd = client();
	for (int i = 0; i < 100; i++)
		say(fd, "GET /large " H11 "\r\n");
	shutdown(fd, SHUT_WR);
	until(hear_away(fd, &heard) == HEARD_END);
	ok(heard > 100 * LARGE && heard < 101 * LARGE,
	    "a hundred large answers to a client that closed its side");
	close(fd);
	serve_no_more();
}

TEST(stream)
{
	struct text *t = text_make(span_str("{\"type\":\"ADDED\"}\n"));
	int fd;

	serve(&httpd_default_limits);
	fd = client();
	asks(fd, "GET /watch " H11 "\r\n",
	    "HTTP/1.1 200 OK\r\ndate: D\r\ntransfer-encoding: chunked\r\n\r\n",
	    "a stream begins");
	httpd_send(later, t);
	httpd_send(later, t);
	ok(httpd_queued(later) == 2 * (4 + 17 + 2), "two events wait");
	hears(fd,
	    "11\r\n{\"type\":\"ADDED\"}\n\r\n"
	    "11\r\n{\"type\":\"ADDED\"}\n\r\n",
	    "... and come, each a chunk");
	httpd_end(later);
	hears(fd, "0\r\n\r\n", "... it ends");
	asks(fd, "GET /i " H11 "\r\n", OK("6", "GET /i"),
	    "... and the connection goes on");
	say(fd, "GET /watch " H11 "\r\n");
	until(later != NULL);
	close(fd);
	until(gone == 1);
	ok(gone == 1, "a client that goes is told of");
	fd = client();
	say(fd, "GET /watch HTTP/1.0\r\n\r\n");
	until(later != NULL);
	httpd_send(later, t);
	httpd_end(later);
	hears_last(fd,
	    "HTTP/1.1 200 OK\r\ndate: D\r\nconnection: close\r\n\r\n"
	    "{\"type\":\"ADDED\"}\n",
	    "HTTP/1.0 has no chunks");
	text_unref(t);
	serve_no_more();
}

TEST(refusals)
{
	struct httpd_limits limits = httpd_default_limits;
	char large[100] = {0};
	ssize_t sent = 0;
	int fd;

	limits.header_bytes = 1000;
	limits.body_bytes = 100;
	serve(&limits);
	asks_last(client(), "\x16\x03\x01 not HTTP at all\r\n\r\n", BAD,
	    "something else");
	asks_last(client(), "GET / HTTP/1.1\r\n\r\n",
	    REFUSED("400 Bad Request",
		"400 Bad Request: missing required Host header"),
	    "no host");
	fd = client();
	say(fd, "GET / " H11 "X: ");
	for (int i = 0; i < 20; i++)
		say(fd,
		    "0123456789012345678901234567890123456789012345678901"
		    "2345678901234567890123456789");
	hears_last(fd,
	    REFUSED("431 Request Header Fields Too Large",
		"431 Request Header Fields Too Large"),
	    "large headers");
	asks_last(client(), "POST / " H11 "Content-Length: 101\r\n\r\n",
	    TOO_LARGE, "a body that says it is too large");
	asks_last(client(),
	    "POST / " H11 "Transfer-Encoding: chunked\r\n\r\n"
	    "32\r\n01234567890123456789012345678901234567890123456789\r\n"
	    "33\r\n012345678901234567890123456789012345678901234567891\r\n",
	    TOO_LARGE, "one that becomes too large");
	asks_last(client(),
	    "POST / " H11 "Content-Length: 4\r\n"
	    "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
	    BAD, "two lengths");
	fd = client();
	asks(fd,
	    "POST / " H11 "Expect: 100-continue\r\n"
	    "Content-Length: 5\r\n\r\n",
	    "HTTP/1.1 100 Continue\r\n\r\n", "the body may come");
	asks(fd, "hello", OK("14", "POST / [hello]"), "... and does");
	asks_last(fd,
	    "POST / " H11 "Expect: 100-continue\r\n"
	    "Content-Length: 101\r\n\r\n",
	    TOO_LARGE, "this one may not");
	ok(requests == 1, "no handler saw the others");

	/* No reset while the client still sends, or it would not read the
	 * answer. */
	fd = client();
	say(fd, "POST / " H11 "Content-Length: 5000\r\n\r\n");
	for (int i = 0; i < 50; i++) {
		sent += send(fd, large, 100, MSG_NOSIGNAL);
		loop_once(loop, 0);
	}
	ok(sent == 5000, "what comes after a refusal is taken");
	hears_last(fd, TOO_LARGE, "... and it is read");
	serve_no_more();
}

/* Requests that another server might split in another way. */
TEST(strict)
{
	static const struct {
		const char *what, *request;
	} bad[] = {
	    {"a blank before the colon", "Content-Length : 3\r\n\r\nabc"},
	    {"a blank in a name", "Content Length: 3\r\n\r\nabc"},
	    {"a line that ends with LF", "X: y\nZ: a\r\n\r\n"},
	    {"a head that ends with LF", "X: y\r\n\n"},
	    {"a CR in a value", "X: y\rZ: a\r\n\r\n"},
	    {"a folded line", "X: y\r\n z\r\n\r\n"},
	    {"a folded line, by a tab", "X: y\r\n\tz\r\n\r\n"},
	    {"a blank before the first name", " X: y\r\n\r\n"},
	    {"two lengths",
		"Content-Length: 3\r\nContent-Length: 4\r\n\r\nabc"},
	    {"a length twice",
		"Content-Length: 3\r\nContent-Length: 3\r\n\r\nabc"},
	    {"a list of lengths", "Content-Length: 3, 3\r\n\r\nabc"},
	    {"a signed length", "Content-Length: +3\r\n\r\nabc"},
	    {"chunks and a length",
		"Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n"
		"0\r\n\r\n"},
	    {"a length and chunks",
		"Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n"
		"0\r\n\r\n"},
	    {"chunked twice",
		"Transfer-Encoding: chunked\r\n"
		"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"},
	    {"chunked in chunks",
		"Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n"},
	    {"another encoding",
		"Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n"},
	    {"an invalid encoding",
		"Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n"},
	    {"two hosts", "Host: h\r\n\r\n"},
	    {"two other hosts", "Host: i\r\n\r\n"},
	    {"LF in the extension of a chunk",
		"Transfer-Encoding: chunked\r\n\r\n1;a=\nb\r\nx\r\n"
		"0\r\n\r\n"},
	    {"LF in that of the last chunk",
		"Transfer-Encoding: chunked\r\n\r\n1\r\nx\r\n"
		"0;a=\n\r\n\r\n"},
	    {"LF after a trailer",
		"Transfer-Encoding: chunked\r\n\r\n0\r\nA: b\n\r\n"},
	    {"LF after a chunk",
		"Transfer-Encoding: chunked\r\n\r\n1\r\nx\n0\r\n\r\n"},
	    {"a chunk of no number",
		"Transfer-Encoding: chunked\r\n\r\nx\r\n\r\n"},
	};

	serve(&httpd_default_limits);
	for (size_t i = 0; i < COUNT(bad); i++) {
		for (int bytewise = 0; bytewise < 2; bytewise++) {
			struct buf b = BUF_INIT;
			int fd = client();

			buf_addf(&b, "POST / " H11 "%s", bad[i].request);
			for (size_t k = 0; bytewise && k < b.len; k++) {
				say(fd, (char[]){b.data[k], '\0'});
				loop_once(loop, 0);
			}
			if (!bytewise)
				say(fd, buf_str(&b));
			if (!bytewise)
				printf("# %s\n", bad[i].what);
			hears_last(fd, BAD, "refused");
			buf_release(&b);
		}
	}
	ok(requests == 0, "no handler saw one of them");
	serve_no_more();
}

TEST(request_lines)
{
	static const char *const bad[] = {"GET / HTTP/9.9", "GET / HTTP/1.2",
	    "GET / HTTP/0.9", "GET / HTTP/2.0", "GET http://evil/ HTTP/1.1",
	    "GET http://h:1/ HTTP/1.1", "GET http://h@evil/ HTTP/1.1",
	    "GET http://evil?h/ HTTP/1.1", "GET http:///h HTTP/1.1",
	    "GET http://h:443/ HTTP/1.1", "GET https://h:80/ HTTP/1.1",
	    "GET http://h:x/ HTTP/1.1", "GET http://h../ HTTP/1.1"};
	static const struct {
		const char *target, *answer;
	} good[] = {{"http://H/x", OK("6", "GET /x")},
	    {"http://h:80/x", OK("6", "GET /x")},
	    {"http://h:/x", OK("6", "GET /x")},
	    {"http://h./x", OK("6", "GET /x")},
	    {"HTTPS://h:443/x", OK("6", "GET /x")},
	    {"http://h", OK("5", "GET /")},
	    {"http://h?x=/y", OK("11", "GET / ?x=/y")}};
	int fd;

	serve(&httpd_default_limits);
	for (size_t i = 0; i < COUNT(bad); i++) {
		fd = client();
		say(fd, bad[i]);
		asks_last(fd, "\r\nHost: h\r\n\r\n", BAD, "refused");
	}
	ok(requests == 0, "no handler saw one of these");
	fd = client();
	for (size_t i = 0; i < COUNT(good); i++) {
		say(fd, "GET ");
		say(fd, good[i].target);
		asks(fd, " " H11 "\r\n", good[i].answer, good[i].target);
	}
	asks(fd, "GET http://h/x HTTP/1.1\r\nHost: h:80\r\n\r\n",
	    OK("6", "GET /x"), "a port that only Host has");
	asks(fd,
	    "PUT /c " H11 "Transfer-Encoding: chunked\r\n\r\n"
	    "1;a=b\r\nx\r\n2\r\nyz\r\n0;c\r\nD: e\r\n\r\n",
	    OK("12", "PUT /c [xyz]"), "extensions and a trailer");
	serve_no_more();
}

TEST(slow)
{
	struct httpd_limits limits = httpd_default_limits;
	int fds[5];

	limits.header_ms = 60;
	limits.body_ms = 120;
	serve(&limits);
	for (int i = 0; i < 5; i++)
		fds[i] = client();
	say(fds[0], "GET / HTT");
	say(fds[1], "P"); /* POST, or HTTP/2? */
	say(fds[2], "POST / " H11 "Content-Length: 5\r\n\r\nhe");
	asks(fds[3], "GET / " H11 "\r\n", OK("5", "GET /"), "a quick one");
	hears_last(fds[0], "", "half a head");
	hears_last(fds[1], "", "one byte");
	hears_last(fds[2],
	    REFUSED("408 Request Timeout", "408 Request Timeout"),
	    "half a body");
	until(httpd_connections(server) == 2);
	ok(httpd_connections(server) == 2, "who says nothing may stay");
	asks(fds[3], "GET / " H11 "\r\n", OK("5", "GET /"),
	    "... as does the one that had an answer");
	close(fds[3]);
	close(fds[4]);
	serve_no_more();
}

TEST(faults)
{
	struct buf b = BUF_INIT;
	int fd;

	serve(&httpd_default_limits);
	asks_last(client(),
	    "GET /1 " H11 "\r\n"
	    "GET /cut " H11 "\r\n",
	    OK("6", "GET /1"), "cut");
	fd = client();
	say(fd, "GET /freeze " H11 "\r\n");
	until(requests == 3);
	say(fd, "GET /2 " H11 "\r\n");
	for (int i = 0; i < 5; i++)
		loop_once(loop, 5);
	ok(hear(fd, &b, 0) == HEARD_MORE && b.len == 0, "frozen");
	ok(requests == 3 && httpd_connections(server) == 1,
	    "... and neither read nor closed");
	serve_no_more();
	close(fd);
}

TEST(cut_after)
{
	serve(&httpd_default_limits);
	asks_last(client(),
	    "GET /1 " H11 "\r\n"
	    "GET /cut-after?12 " H11 "\r\n"
	    "GET /2 " H11 "\r\n",
	    OK("6", "GET /1") "HTTP/1.1 200", "cut after some bytes");
	asks_last(client(), "GET /cut-after?9999 " H11 "\r\n",
	    OK("20", "GET /cut-after ?9999"), "... after all");
	until(httpd_connections(server) == 0);
	serve_no_more();
}

TEST(alone)
{
	struct buf b = BUF_INIT;
	int frozen, idle, waits, watch, fd;

	serve(&httpd_default_limits);
	frozen = client();
	say(frozen, "GET /freeze " H11 "\r\n");
	idle = client();
	asks(idle, "GET /1 " H11 "\r\n", OK("6", "GET /1"), "one is idle");
	waits = client();
	say(waits, "GET /later " H11 "\r\n");
	watch = client();
	asks(watch, "GET /watch " H11 "\r\n",
	    "HTTP/1.1 200 OK\r\ndate: D\r\ntransfer-encoding: chunked\r\n\r\n",
	    "one is a stream");
	until(requests == 4);
	fd = client();
	asks(fd, "GET /alone " H11 "\r\n", OK("10", "GET /alone"),
	    "the one that closes the others");
	ok(gone == 2, "... handlers were told");
	ok(hear(frozen, &b, 1) == HEARD_END && hear(idle, &b, 1) == HEARD_END &&
		hear(waits, &b, 1) == HEARD_END &&
		hear(watch, &b, 1) == HEARD_END && b.len == 0,
	    "... all the others are cut");
	ok(httpd_connections(server) == 1, "... and gone");
	asks(fd, "GET /2 " H11 "\r\n", OK("6", "GET /2"), "... it goes on");
	serve_no_more();
	close(fd);
	close(frozen);
	close(idle);
	close(waits);
	close(watch);
	buf_release(&b);
}

/* A client that does not read. */
TEST(back_pressure)
{
	struct httpd_limits limits = httpd_default_limits;
	char *p = malloc(100000);
	struct text *t;
	struct buf b = BUF_INIT;
	int fd, rc = 0, sent;

	memset(p, 'x', 100000);
	t = text_make(span_make(p, 100000));
	limits.queued_bytes = 1000000;
	limits.write_ms = 1000;
	serve(&limits);
	fd = client();
	say(fd, "GET /watch " H11 "\r\n");
	until(later != NULL);
	for (sent = 0; sent < 1000 && rc == 0; sent++)
		rc = httpd_send(later, t);
	ok(rc == -1, "too much for who does not read");
	ok(sent > 10, "... but not at once");
	until(httpd_connections(server) == 0);
	ok(httpd_connections(server) == 0, "... it is closed");
	ok(gone == 0, "... and the handler was told by -1 alone");
	until(t->refs == 1);
	ok(t->refs == 1, "... nothing is kept for it");
	close(fd);

	fd = client();
	say(fd, "GET /watch " H11 "\r\n");
	until(requests == 2);
	for (sent = 0; sent < 100 && httpd_send(later, t) == 0; sent++) {
		b.len = 0;
		hear(fd, &b, 100000);
	}
	ok(sent == 100, "another reads a hundred events");
	/* A connection with queued data that the client does not read is closed
	 * after a time. */
	for (sent = 0; sent < 1000 && gone == 0; sent++) {
		if (httpd_queued(later) > 0)
			loop_once(loop, 10);
		else
			httpd_send(later, t);
	}
	until(gone == 1);
	ok(gone == 1, "who takes nothing for write_ms is cut");
	close(fd);
	buf_release(&b);
	serve_no_more();

	/* A client that sends requests and reads no answers: they wait in the
	 * kernel. */
	serve(&httpd_default_limits);
	fd = client();
	for (int i = 0; i < 2000; i++) {
		static const char head[] =
		    "POST /p " H11 "Content-Length: 50000\r\n"
		    "\r\n";

		if (send(fd, head, sizeof(head) - 1, MSG_NOSIGNAL) < 0 ||
		    send(fd, p, 50000, MSG_NOSIGNAL) < 50000)
			break;
		loop_once(loop, 0);
	}
	for (int i = 0; i < 20; i++)
		loop_once(loop, 0);
	ok(requests < 500, "a client that only asks is not listened to");
	close(fd);
	serve_no_more();
	text_unref(t);
	free(p);
}

static bool
is_closed(int fd)
{
	char c;

	return recv(fd, &c, 1, 0) == 0;
}

TEST(many)
{
	struct rlimit l;
	struct httpd_limits limits = httpd_default_limits;
	int fds[300], open_ones = 0, fd;

	getrlimit(RLIMIT_NOFILE, &l);
	limits.connections = 200;
	serve(&limits);
	for (int i = 0; i < 300; i++)
		fds[i] = client();
	until(httpd_connections(server) == 200);
	for (int i = 0; i < 20; i++)
		loop_once(loop, 0);
	for (int i = 0; i < 300; i++) {
		char c;

		if (recv(fds[i], &c, 1, 0) < 0 && errno == EAGAIN)
			open_ones++;
	}
	ok(open_ones == 200, "200 of 300 connections are taken");
	fd = client();
	asks(fd, "GET / " H11 "\r\n", OK("5", "GET /"),
	    "... one more takes the place of another,");
	ok(is_closed(fds[0]) && is_closed(fds[100]) && !is_closed(fds[101]) &&
		!is_closed(fds[299]),
	    "... which is the oldest that is silent");
	for (int i = 0; i < 300; i++)
		close(fds[i]);
	close(fd);
	serve_no_more();
}

TEST(addresses)
{
	const struct httpd_handler handler = {on_request, NULL, NULL};
	static const struct {
		const char *address, *message;
	} bad[] = {
	    {"127.0.0.1", "bad address \"127.0.0.1\": want HOST:PORT"},
	    {"127.0.0.1:", "bad address \"127.0.0.1:\": want HOST:PORT"},
	    {"127.0.0.1:http",
		"bad address \"127.0.0.1:http\": a port is a number up to "
		"65535"},
	    /* The blank: no name server is asked. */
	    {"127.0.0 1:0",
		"bad address \"127.0.0 1:0\": Name or service not known"},
	    {"192.0.2.1:0",
		"cannot listen on 192.0.2.1:0: Cannot assign "
		"requested address"},
	};
	struct err err = ERR_INIT;
	struct httpd *h;

	loop = loop_new();
	for (size_t i = 0; i < COUNT(bad); i++) {
		h = httpd_new(loop, bad[i].address, NULL, &httpd_default_limits,
		    &handler, &err);
		ok(h == NULL, bad[i].address);
		is(err.message, bad[i].message, "... says why");
	}
	h = httpd_new(
	    loop, "[::1]:0", NULL, &httpd_default_limits, &handler, &err);
	ok(h != NULL && httpd_port(h) > 0, "[::1]:0");
	httpd_free(h);
	loop_free(loop);
}
