/* websocket: frames as they come from a client, whole and in pieces; and
 * sockets on connections of httpd. */
#include "httpd/websocket.h"

#include "base/array.h"
#include "served.h"

/* With a mask of zeros the payload is as it reads. */
#define MASK "\0\0\0\0"

/* The last event of the bytes, read in pieces of this size. */
static enum websocket_event
read_in(struct websocket_reader *r, const char *p, size_t n, size_t piece)
{
	enum websocket_event e = WEBSOCKET_MORE;

	while (n > 0 && e == WEBSOCKET_MORE) {
		size_t taken, k = n < piece ? n : piece;

		e = websocket_read(r, p, k, &taken);
		if (taken == 0 || taken > k)
			return WEBSOCKET_BAD;
		p += taken;
		n -= taken;
	}
	return n > 0 ? WEBSOCKET_BAD : e;
}

TEST(frames)
{
	static const struct {
		const char *what, *bytes;
		size_t n;
		enum websocket_event event;
	} all[] = {
#define F(what, bytes, event) {what, bytes, sizeof(bytes) - 1, event}
	    F("a text", "\x81\x82" MASK "hi", WEBSOCKET_MORE),
	    F("an empty one", "\x82\x80" MASK, WEBSOCKET_MORE),
	    F("a pong", "\x8a\x81" MASK "x", WEBSOCKET_MORE),
	    F("a ping", "\x89\x85" MASK "hello", WEBSOCKET_PINGED),
	    F("its mask", "\x89\x85\x37\xfa\x21\x3d\x5f\x9f\x4d\x51\x58",
		WEBSOCKET_PINGED),
	    F("parts, and a ping", "\x01\x80" MASK "\x89\x80" MASK,
		WEBSOCKET_PINGED),
	    F("parts", "\x01\x80" MASK "\x00\x80" MASK "\x80\x80" MASK,
		WEBSOCKET_MORE),
	    F("messages", "\x81\x80" MASK "\x81\x80" MASK, WEBSOCKET_MORE),
	    F("close", "\x88\x80" MASK, WEBSOCKET_CLOSED),
	    F("a code", "\x88\x82" MASK "\x03\xe8", WEBSOCKET_CLOSED),
	    F("a reason", "\x88\x84" MASK "\x0f\xa0\xc3\xa9", WEBSOCKET_CLOSED),
	    F("the largest frame", "\x82\xff\0\0\0\0\x02\0\0\0" MASK,
		WEBSOCKET_MORE),
	    F("one more", "\x82\xff\0\0\0\0\x02\0\0\x01" MASK,
		WEBSOCKET_TOO_LONG),
	    F("no mask", "\x81\x02", WEBSOCKET_BAD),
	    F("RSV1", "\xc1\x82", WEBSOCKET_BAD),
	    F("RSV3", "\x91\x82", WEBSOCKET_BAD),
	    F("opcode 3", "\x83\x80", WEBSOCKET_BAD),
	    F("opcode 11", "\x8b\x80", WEBSOCKET_BAD),
	    F("a ping in parts", "\x09\x80", WEBSOCKET_BAD),
	    F("126 bytes of ping", "\x89\xfe", WEBSOCKET_BAD),
	    F("a continuation", "\x80\x80", WEBSOCKET_BAD),
	    F("after an end", "\x01\x80" MASK "\x80\x80" MASK "\x80\x80",
		WEBSOCKET_BAD),
	    F("a text in a text", "\x01\x80" MASK "\x81\x80", WEBSOCKET_BAD),
	    F("125 in 16 bits", "\x81\xfe\0\x7d" MASK, WEBSOCKET_BAD),
	    F("65535 in 64", "\x81\xff\0\0\0\0\0\0\xff\xff" MASK,
		WEBSOCKET_BAD),
	    F("negative", "\x81\xff\x80\0\0\0\0\x01\0\0" MASK, WEBSOCKET_BAD),
	    F("half a code", "\x88\x81" MASK "\x03", WEBSOCKET_BAD),
	    F("code 999", "\x88\x82" MASK "\x03\xe7", WEBSOCKET_BAD),
	    F("code 1005", "\x88\x82" MASK "\x03\xed", WEBSOCKET_BAD),
	    F("code 5000", "\x88\x82" MASK "\x13\x88", WEBSOCKET_BAD),
	    F("a reason that is not UTF-8", "\x88\x83" MASK "\x0f\xa0\xff",
		WEBSOCKET_BAD),
#undef F
	};

	for (size_t i = 0; i < COUNT(all); i++)
		for (size_t piece = 1; piece < 30; piece += 28) {
			struct websocket_reader r = {0};

			ok(read_in(&r, all[i].bytes, all[i].n, piece) ==
				all[i].event,
			    all[i].what);
			ok(all[i].event != WEBSOCKET_PINGED || r.n == 0 ||
				memcmp(r.control, "hello", 5) == 0,
			    "... its payload");
		}
}

TEST(long_payloads)
{
	static char frames[8 + 200 + 14 + 70000 + 6] =
	    "\x82\xfe\0\xc8" MASK; /* and zeros */
	static const char second[] = "\x82\xff\0\0\0\0\0\x01\x11\x70" MASK;
	static const char third[] = "\x89\x80" MASK;

	memcpy(frames + 208, second, 14);
	memcpy(frames + 208 + 14 + 70000, third, 6);
	for (size_t piece = 1; piece < 100000; piece *= 3) {
		struct websocket_reader r = {0};

		ok(read_in(&r, frames, sizeof(frames), piece) ==
			WEBSOCKET_PINGED,
		    "lengths of 16 and 64 bits");
	}
}

/* Every piece of the bytes, with "=" where a message begins. */
static void
pieces(const char *p, size_t n, size_t piece, struct buf *b)
{
	struct websocket_reader r = {.wants_data = true};
	enum websocket_event e = WEBSOCKET_MORE;

	while (n > 0 && e <= WEBSOCKET_PINGED) {
		size_t taken, k = n < piece ? n : piece;

		e = websocket_read(&r, p, k, &taken);
		if (e == WEBSOCKET_DATA) {
			if (r.first)
				buf_addc(b, '=');
			websocket_unmask(&r, buf_reserve(b, r.piece.n));
			b->len += r.piece.n;
		}
		p += taken;
		n -= taken;
	}
}

TEST(data)
{
	static const char frames[] =
	    "\x81\x85\x37\xfa\x21\x3d\x5f\x9f\x4d\x51\x58" /* hello */
	    "\x02\x80" MASK "\x00\x82" MASK "ab"
	    "\x89\x81" MASK "p"
	    "\x80\x81" MASK "c"
	    "\x81\x80" MASK "\x82\x81" MASK "d";

	for (size_t piece = 1; piece < 60; piece++) {
		struct buf b = BUF_INIT;

		pieces(frames, sizeof(frames) - 1, piece, &b);
		is(buf_str(&b), "=hello=abc=d", "the payloads, in pieces");
		buf_release(&b);
	}
}

static void
writes(size_t n, const char *want, size_t want_n)
{
	struct buf b = BUF_INIT;

	websocket_add_head(&b, WEBSOCKET_TEXT, n);
	ok(b.len == want_n && memcmp(b.data, want, want_n) == 0, "a head");
	buf_release(&b);
}

TEST(writing)
{
	struct buf b = BUF_INIT;

	writes(0, "\x81\0", 2);
	writes(125, "\x81\x7d", 2);
	writes(126, "\x81\x7e\0\x7e", 4);
	writes(65535, "\x81\x7e\xff\xff", 4);
	writes(65536, "\x81\x7f\0\0\0\0\0\x01\0\0", 10);
	/* RFC 6455, section 1.3 */
	websocket_add_accept(&b, span_str("dGhlIHNhbXBsZSBub25jZQ=="));
	is(buf_str(&b), "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=", "the RFC's accept");
	buf_release(&b);
}

/* ---- on connections ---- */

#define ASKS(path)                                          \
	"GET " path " HTTP/1.1\r\nHost: h\r\n"              \
	"Connection: Upgrade\r\nUpgrade: websocket\r\n"     \
	"Origin: http://h\r\nSec-WebSocket-Version: 13\r\n" \
	"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
#define ACCEPTED                                        \
	"HTTP/1.1 101 Switching Protocols\r\n"          \
	"Upgrade: websocket\r\nConnection: Upgrade\r\n" \
	"Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n"

static const char without_key[] =
    "GET /messages HTTP/1.1\r\nHost: h\r\n"
    "Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n";

static int
upgraded(const char *path_and_rest, size_t n)
{
	int fd = client(), before = requests;

	say_n(fd, path_and_rest, n);
	until(requests > before); /* it may have closed at once */
	return fd;
}

#define UPGRADED(bytes) upgraded(bytes, sizeof(bytes) - 1)

/* n bytes, and no more for now. */
static void
hears_n(int fd, const char *want, size_t n, const char *what)
{
	struct buf b = BUF_INIT;

	hear(fd, &b, n);
	ok(b.len == n && memcmp(b.data, want, n) == 0, what);
	buf_release(&b);
}
#define HEARS(fd, want, what) hears_n(fd, want, sizeof(want) - 1, what)

TEST(socket)
{
	struct text *t = text_make(span_str("{\"type\":\"ADDED\"}\n"));
	int fd, other;

	serve(&httpd_default_limits);
	fd = UPGRADED(ASKS("/socket"));
	HEARS(fd, ACCEPTED, "a socket");
	later = NULL;
	other = UPGRADED(ASKS("/watch"));
	hears(other,
	    "HTTP/1.1 200 OK\r\ndate: D\r\ntransfer-encoding: chunked\r\n\r\n",
	    "a handler that does not know them");
	close(other);
	until(gone == 1);
	serve_no_more();

	serve(&httpd_default_limits);
	fd = UPGRADED(ASKS("/socket") "\x89\x81" MASK "x");
	HEARS(fd, ACCEPTED "\x8a\x01x", "a ping with the handshake");
	httpd_send(later, t);
	httpd_send(later, t);
	ok(httpd_queued(later) == 2 * (2 + 17), "two events wait");
	HEARS(fd,
	    "\x81\x11{\"type\":\"ADDED\"}\n\x81\x11{\"type\":\"ADDED\"}\n",
	    "... and come, each a message");
	httpd_end(later);
	hears_last(fd, "\x88\x02\x03\xe8", "... it closes");
	ok(gone == 0, "... which the handler knows");

	later = NULL;
	fd = UPGRADED(ASKS("/socket") "\x88\x80" MASK "GET / HTTP/1.1\r\n");
	hears_last(fd, ACCEPTED "\x88\x02\x03\xe8", "the client closes");
	ok(gone == 1 && requests == 2, "... which the handler is told");
	text_unref(t);
	serve_no_more();
}

#define CHOSEN                                          \
	"HTTP/1.1 101 Switching Protocols\r\n"          \
	"Upgrade: websocket\r\nConnection: Upgrade\r\n" \
	"Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"
#define BYTES                                                        \
	"POST /bytes HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\n" \
	"Upgrade: x\r\n\r\n"
#define SWITCHED                                                  \
	"HTTP/1.1 101 Switching Protocols\r\nconnection: Upgrade" \
	"\r\nupgrade: x\r\n\r\n"

TEST(input)
{
	int fd;

	serve(&httpd_default_limits);
	fd = UPGRADED(ASKS("/messages") "\x81\x82" MASK "hi");
	HEARS(fd, CHOSEN "Sec-WebSocket-Protocol: chosen\r\n\r\n\x82\x03=hi",
	    "a message with the handshake");
	say_n(fd, "\x02\x81" MASK "a\x80\x81" MASK "b\x89\x80" MASK, 20);
	HEARS(fd, "\x82\x02=a\x82\x02-b\x8a\0", "a message in two, a ping");
	say_n(fd, "\x81\x83" MASK "end\x81\x81" MASK "x", 16);
	hears_last(fd, "\x88\x02\x03\xe8", "the handler ends it");
	ok(gone == 0, "... and is told nothing");
	fd = UPGRADED(ASKS("/messages"));
	HEARS(fd, CHOSEN "Sec-WebSocket-Protocol: chosen\r\n\r\n", "another");
	say_n(fd, "\x81\x83" MASK "cut\x81\x81" MASK "x", 16);
	hears_last(fd, "", "the handler cuts it");
	fd = UPGRADED(ASKS("/messages"));
	HEARS(fd, CHOSEN "Sec-WebSocket-Protocol: chosen\r\n\r\n", "another");
	say_n(fd, "\x81\x00", 2);
	hears_last(fd, "\x88\x02\x03\xea", "a frame without mask");
	ok(gone == 1, "... which the handler is told");
	later = NULL;
	fd = UPGRADED(without_key);
	hears_last(fd,
	    "HTTP/1.1 400 Bad Request\r\n\r\nmismatch challenge/response",
	    "a handshake without key");
	serve_no_more();

	serve(&httpd_default_limits);
	fd = UPGRADED(BYTES "\x81\x82");
	HEARS(fd, SWITCHED "-\x81\x82", "another protocol: bytes as they are");
	say_n(fd, "end", 3);
	hears_last(fd, "", "... the handler ends it");
	later = NULL;
	fd = UPGRADED(BYTES);
	HEARS(fd, SWITCHED, "another");
	close(fd);
	until(gone == 1);
	ok(gone == 1, "... whose client goes");
	serve_no_more();
}

TEST(later)
{
	int fd;

	serve(&httpd_default_limits);
	fd = UPGRADED(ASKS("/later") "\x89\x81" MASK "x");
	ok(httpd_start_websocket(later), "accepted later");
	HEARS(fd, ACCEPTED "\x8a\x01x", "... the ping waited");
	say_n(fd, "\x81\x00", 2);
	hears_last(fd, "\x88\x02\x03\xea", "a frame without mask");
	ok(gone == 1, "... ends it");
	fd = UPGRADED(ASKS("/later"));
	close(fd);
	until(gone == 2);
	ok(gone == 2, "a client that is gone before");
	serve_no_more();
}

TEST(slow)
{
	struct httpd_limits limits = httpd_default_limits;
	struct text *t;
	char *p = calloc(1, LARGE);
	char pings[600] = {0};
	int little = 4096;
	size_t sent = 0;
	ssize_t k = 1;
	int fd, n = 0;

	limits.queued_bytes = 10 * LARGE;
	t = text_make(span_make(p, LARGE));
	serve(&limits);
	fd = UPGRADED(ASKS("/socket"));
	HEARS(fd, ACCEPTED, "a socket");
	while (n < 1000 && httpd_send(later, t) == 0)
		n++;
	ok(n >= 10 && n < 1000, "a client that does not read is cut");
	until(httpd_connections(server) == 0);
	ok(httpd_connections(server) == 0 && gone == 0, "... at once");
	close(fd);

	/* Pings without end, and no pong is read. */
	later = NULL;
	fd = UPGRADED(ASKS("/socket"));
	HEARS(fd, ACCEPTED, "another");
	/* Some kernels would keep all of them for it. */
	ok(setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &little, sizeof(little)) == 0,
	    "... that keeps little");
	for (size_t i = 0; i < sizeof(pings); i += 6) {
		pings[i] = (char)0x89;
		pings[i + 1] = (char)0x80;
	}
	for (uint64_t end = clock_ms() + 5000;
	     sent < (64 << 20) && clock_ms() < end;) {
		k = send(fd, pings + sent % 6, sizeof(pings) - 6, MSG_NOSIGNAL);
		if (k > 0)
			sent += (size_t)k;
		else if (loop_once(loop, 20),
		    send(fd, pings + sent % 6, 1, MSG_NOSIGNAL) != 1)
			break;
		else
			sent++;
		loop_once(loop, 0);
	}
	ok(sent < (64 << 20) && httpd_queued(later) < (1 << 20),
	    "nor are its pings taken without end");
	close(fd);
	until(gone == 1);
	ok(gone == 1, "... and its end is seen");
	free(p);
	text_unref(t);
	serve_no_more();
}
