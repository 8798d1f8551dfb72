/*
 * httpd: HTTP/2, in frames made by hand (RFC 9113, section 4.1; header blocks
 * by RFC 7541's static table, nothing is indexed).
 */
#include "httpd/httpd.h"

#include "served.h"

enum {
	DATA = 0,
	HEADERS = 1,
	RST = 3,
	SETTINGS = 4,
	PING = 6,
	GOAWAY = 7,
	WINDOW_UPDATE = 8
};
enum { END_STREAM = 1, ACK = 1, END_HEADERS = 4 };

static struct buf in; /* from the server, not yet looked at */

static void
frame(int fd, int type, int flags, unsigned stream, const void *p, size_t n)
{
	unsigned char head[9] = {(unsigned char)(n >> 16),
	    (unsigned char)(n >> 8), (unsigned char)n, (unsigned char)type,
	    (unsigned char)flags, (unsigned char)(stream >> 24),
	    (unsigned char)(stream >> 16), (unsigned char)(stream >> 8),
	    (unsigned char)stream};

	say_n(fd, head, 9);
	say_n(fd, p, n);
}

/* :method by its index (2 GET, 3 POST), :scheme http, :path, :authority h. */
static void
ask(int fd, int method, const char *path, unsigned stream, int flags)
{
	struct buf b = BUF_INIT;

	buf_addc(&b, (char)(0x80 | method));
	buf_addc(&b, (char)0x86);
	buf_addc(&b, 0x04);
	buf_addc(&b, (char)strlen(path));
	buf_adds(&b, path);
	buf_add(&b, "\x01\x01h", 3);
	frame(fd, HEADERS, END_HEADERS | flags, stream, b.data, b.len);
	buf_release(&b);
}

static int
session(void)
{
	int fd = client();

	in.len = 0;
	say(fd, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
	frame(fd, SETTINGS, 0, 0, "", 0);
	return fd;
}

/*
 * The next frame but SETTINGS and WINDOW_UPDATE, as "TYPE FLAGS STREAM TEXT":
 * TEXT is DATA's, or the error code of RST_STREAM and GOAWAY, or the status
 * of HEADERS. "end": nothing follows.
 */
static const char *
next_frame(int fd)
{
	static char text[300];

	for (;;) {
		const unsigned char *p;
		size_t n;
		unsigned stream;

		if (hear(fd, &in, 9) == HEARD_END && in.len < 9)
			return "end";
		if (in.len < 9)
			return "nothing";
		p = (const unsigned char *)in.data;
		n = (size_t)p[0] << 16 | (size_t)p[1] << 8 | p[2];
		stream = (unsigned)p[7] << 8 | p[8];
		hear(fd, &in, 9 + n);
		if (in.len < 9 + n)
			return "half a frame";
		p = (const unsigned char *)in.data;
		switch (p[3]) {
		case DATA:
			snprintf(text, sizeof(text), "data %d %u %.*s", p[4],
			    stream, (int)n, p + 9);
			break;
		case HEADERS:
			/* 8 to 14 of the static table are statuses */
			snprintf(text, sizeof(text), "headers %d %u %d", p[4],
			    stream, p[9] == 0x88 ? 200 : p[9]);
			break;
		case RST:
			snprintf(
			    text, sizeof(text), "rst %u %u", stream, p[12]);
			break;
		case GOAWAY:
			snprintf(text, sizeof(text), "goaway %u %u",
			    (unsigned)p[11] << 8 | p[12], p[16]);
			break;
		default:
			text[0] = '\0';
		}
		buf_consume(&in, 9 + n);
		if (text[0] != '\0')
			return text;
	}
}

TEST(requests)
{
	int fd;

	serve(&httpd_default_limits);
	fd = session();
	ask(fd, 2, "/a?b", 1, END_STREAM);
	is(next_frame(fd), "headers 4 1 200", "an answer");
	is(next_frame(fd), "data 1 1 GET /a ?b", "... with a body");
	ask(fd, 3, "/later", 3, 0);
	ask(fd, 3, "/b", 5, 0);
	frame(fd, DATA, END_STREAM, 5, "five", 4);
	is(next_frame(fd), "headers 4 5 200", "the second of two");
	is(next_frame(fd), "data 1 5 POST /b [five]", "... comes first");
	frame(fd, DATA, 0, 3, "th", 2);
	frame(fd, DATA, END_STREAM, 3, "ree", 3);
	until(later != NULL);
	httpd_reply(later, 200, NULL, 0, SPAN_NONE);
	is(next_frame(fd), "headers 5 3 200", "the first, without a body");
	ask(fd, 2, "/later", 7, END_STREAM);
	until(later != NULL && requests == 4);
	frame(fd, RST, 0, 7, "\0\0\0\x08", 4);
	until(gone == 1);
	ok(gone == 1, "a stream that the client resets is told of");
	later = NULL;
	ask(fd, 2, "/later", 9, END_STREAM);
	until(later != NULL);
	close(fd);
	until(gone == 2);
	ok(gone == 2, "... and one whose connection goes");
	serve_no_more();
}

TEST(stream)
{
	struct text *t = text_make(span_str("event"));
	struct exchange *first;
	int fd;

	serve(&httpd_default_limits);
	fd = session();
	ask(fd, 2, "/watch", 1, END_STREAM);
	is(next_frame(fd), "headers 4 1 200", "a stream begins");
	first = later;
	ask(fd, 2, "/watch", 3, END_STREAM);
	is(next_frame(fd), "headers 4 3 200", "a second one");
	httpd_send(first, t);
	httpd_send(later, t);
	httpd_send(first, t);
	is(next_frame(fd), "data 0 1 eventevent", "events of a round");
	is(next_frame(fd), "data 0 3 event", "... for both");
	httpd_end(first);
	is(next_frame(fd), "data 1 1 ", "one ends");
	httpd_send(later, t);
	is(next_frame(fd), "data 0 3 event", "... the other goes on");
	ok(t->refs == 1, "sent texts are let go");
	httpd_free(server);
	is(next_frame(fd), "goaway 3 0", "the server says when it ends");
	is(next_frame(fd), "end", "... and does");
	ok(gone == 1, "... and tells the handler");
	close(fd);
	loop_free(loop);
	text_unref(t);
}

TEST(limits)
{
	struct httpd_limits limits = httpd_default_limits;
	char large[3000];
	int fd;

	memset(large, 'x', sizeof(large));
	limits.body_bytes = 10;
	limits.header_bytes = 2000;
	limits.streams = 2;
	limits.body_ms = 1000;
	serve(&limits);
	fd = session();
	ask(fd, 3, "/a", 1, 0);
	frame(fd, DATA, 0, 1, "0123456789", 10);
	frame(fd, DATA, 0, 1, "0", 1);
	is(next_frame(fd), "headers 4 1 72", "a large body"); /* literal 413 */
	is(next_frame(fd), "data 1 1 too large", "... is refused");
	frame(fd, DATA, END_STREAM, 1, "0", 1);
	ask(fd, 3, "/slow", 3, 0);
	is(next_frame(fd), "rst 3 8", "a slow body is reset");
	ask(fd, 2, "/watch", 5, END_STREAM);
	is(next_frame(fd), "headers 4 5 200", "a stream");
	ask(fd, 2, "/later", 7, END_STREAM);
	ask(fd, 2, "/third", 9, END_STREAM);
	is(next_frame(fd), "rst 9 7", "a third at a time is refused");
	close(fd);
	fd = session();
	large[0] = (char)0x82, large[1] = (char)0x86, large[2] = 0x04;
	large[3] = 0x7f; /* 127 + ... in 7-bit digits, RFC 7541, 5.1 */
	large[4] = (char)(0x80 | ((2500 - 127) & 0x7f));
	large[5] = (char)((2500 - 127) >> 7);
	large[6] = '/';
	memcpy(large + 6 + 2500, "\x01\x01h", 3); /* :authority h */
	frame(fd, HEADERS, END_HEADERS | END_STREAM, 1, large, 6 + 2500 + 3);
	is(next_frame(fd), "headers 5 1 72", "large headers"); /* 431 */
	close(fd);
	serve_no_more();
}

TEST(back_pressure)
{
	struct httpd_limits limits = httpd_default_limits;
	char *p = calloc(1, 30000);
	struct text *t = text_make(span_make(p, 30000));
	struct exchange *slow;
	int fd, rc = 0;

	limits.queued_bytes = 100000;
	serve(&limits);
	fd = session();
	ask(fd, 2, "/watch", 1, END_STREAM);
	is(next_frame(fd), "headers 4 1 200", "a stream");
	slow = later;
	later = NULL;
	ask(fd, 2, "/later", 3, END_STREAM);
	until(later != NULL);
	/* The window of a stream is 65,535 bytes. */
	for (int i = 0; i < 10 && rc == 0; i++)
		rc = httpd_send(slow, t);
	ok(rc == -1, "too much for a stream");
	httpd_reply(later, 200, NULL, 0, SPAN_NONE);
	while (strncmp(next_frame(fd), "data 0 1", 8) == 0)
		;
	is(next_frame(fd), "headers 5 3 200", "... others go on");
	ok(gone == 0 && t->refs == 1, "... it is gone without a word");
	close(fd);
	serve_no_more();

	/* A window that is never opened. */
	limits.write_ms = 60;
	limits.queued_bytes = 1000000;
	serve(&limits);
	fd = session();
	ask(fd, 2, "/watch", 1, END_STREAM);
	is(next_frame(fd), "headers 4 1 200", "a stream");
	for (int i = 0; i < 3; i++)
		httpd_send(later, t);
	until(gone == 1);
	ok(gone == 1, "who opens no window for write_ms is cut");
	close(fd);
	serve_no_more();

	/* While the client does not read answers, no more are made. */
	limits.queued_bytes = 20000;
	limits.write_ms = 60000;
	serve(&limits);
	fd = session();
	ask(fd, 2, "/watch", 1, END_STREAM);
	until(later != NULL);
	for (int i = 0; i < 3; i++) /* 65,535 of them leave */
		httpd_send(later, t);
	ask(fd, 2, "/a", 3, END_STREAM);
	ask(fd, 2, "/b", 5, END_STREAM);
	frame(fd, RST, 0, 5, "\0\0\0\x08", 4);
	for (int i = 0; i < 10; i++)
		loop_once(loop, 5);
	ok(requests == 1, "a request waits while answers do");
	frame(fd, WINDOW_UPDATE, 0, 1, "\0\1\0\0", 4);
	frame(fd, WINDOW_UPDATE, 0, 0, "\0\1\0\0", 4);
	until(requests == 2);
	ok(requests == 2, "... until they are taken; but not who left");
	close(fd);
	serve_no_more();
	text_unref(t);
	free(p);
}

TEST(bad)
{
	struct httpd_limits limits = httpd_default_limits;
	int fd;

	limits.header_ms = 60;
	serve(&limits);
	fd = client();
	in.len = 0;
	say(fd, "PRI * HTTP/2.0\r\n\r\nSM");
	is(next_frame(fd), "end", "half a preface");
	close(fd);
	serve_no_more();
	serve(&httpd_default_limits);
	fd = client();
	say(fd, "PRI * HTTP/2.0\r\n\r\nXX\r\n\r\n");
	{
		struct buf b = BUF_INIT;

		hear(fd, &b, 1000);
		ok(strncmp(buf_str(&b), "HTTP/1.1 400 Bad Request\r\n", 26) ==
			0,
		    "a wrong one is bad HTTP/1.1");
		buf_release(&b);
	}
	close(fd);
	fd = client();
	say(fd, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
	say(fd, "GET / HTTP/1.1\r\n\r\n");
	is(next_frame(fd), "goaway 0 1", "a preface and no frames");
	is(next_frame(fd), "end", "... ends");
	close(fd);
	fd = session();
	frame(fd, HEADERS, END_HEADERS | END_STREAM, 1, "\xff\xff\xff", 3);
	is(next_frame(fd), "goaway 1 9", "a bad header block");
	is(next_frame(fd), "end", "... ends");
	close(fd);
	fd = session();
	frame(fd, HEADERS, END_HEADERS | END_STREAM, 1, "\x82", 1);
	is(next_frame(fd), "rst 1 1", "a request without a path");
	frame(fd, DATA, 0, 99, "x", 1);
	is(next_frame(fd), "goaway 1 1", "data of no stream");
	close(fd);
	ok(requests == 0, "no handler saw any of it");
	serve_no_more();
}

TEST(faults)
{
	int fd;

	serve(&httpd_default_limits);
	fd = session();
	ask(fd, 2, "/watch", 1, END_STREAM);
	is(next_frame(fd), "headers 4 1 200", "a stream");
	ask(fd, 2, "/goaway", 3, END_STREAM);
	is(next_frame(fd), "goaway 3 0", "GOAWAY");
	is(next_frame(fd), "headers 4 3 200", "... and the answer");
	is(next_frame(fd), "data 1 3 GET /goaway", "... whole");
	httpd_end(later);
	is(next_frame(fd), "data 1 1 ", "the stream goes on to its end");
	is(next_frame(fd), "end", "... then the connection ends");
	close(fd);
	fd = session();
	ask(fd, 2, "/watch", 1, END_STREAM);
	ask(fd, 2, "/cut", 3, END_STREAM);
	is(next_frame(fd), "headers 4 1 200", "what was said comes");
	is(next_frame(fd), "end", "cut");
	ok(gone == 1, "... the other stream is told of");
	close(fd);
	fd = session();
	ask(fd, 2, "/cut-after?20", 1, END_STREAM);
	is(next_frame(fd), "half a frame", "cut in the middle of a frame");
	close(fd);
	fd = session();
	ask(fd, 2, "/cut-after?9999", 1, END_STREAM);
	is(next_frame(fd), "headers 4 1 200", "cut after all");
	is(next_frame(fd), "data 1 1 GET /cut-after ?9999", "... is whole");
	is(next_frame(fd), "end", "... and then the end");
	close(fd);
	serve_no_more();
}

TEST(alone)
{
	int fd, other;

	serve(&httpd_default_limits);
	other = session();
	ask(other, 2, "/watch", 1, END_STREAM);
	is(next_frame(other), "headers 4 1 200", "a stream");
	fd = session();
	ask(fd, 2, "/later", 1, END_STREAM);
	ask(fd, 2, "/watch", 3, END_STREAM);
	is(next_frame(fd), "headers 4 3 200", "two of the same connection");
	ask(fd, 2, "/alone", 5, END_STREAM);
	is(next_frame(fd), "rst 3 2", "the one that closes the others");
	is(next_frame(fd), "rst 1 2", "... resets those beside it");
	is(next_frame(fd), "headers 4 5 200", "... and is answered");
	is(next_frame(fd), "data 1 5 GET /alone", "... as a whole");
	is(next_frame(other), "end", "... the other connection is cut");
	ok(gone == 3, "... handlers were told");
	ask(fd, 2, "/later", 7, END_STREAM);
	until(later != NULL);
	httpd_reply(later, 200, NULL, 0, SPAN_NONE);
	is(next_frame(fd), "headers 5 7 200", "... it goes on");
	close(fd);
	close(other);
	serve_no_more();
}

int
main(void)
{
	tap_run();
	buf_release(&in);
	return tap_done();
}
