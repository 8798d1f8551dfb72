/*
 * fuzz-websocket: frames of a WebSocket that are almost right.
 *
 *	fuzz-websocket [SECONDS [SEED]]
 *
 * A reader takes what it is given, reads nothing outside it (run it with ASan),
 * and tells the same events however the bytes are cut into pieces. Frames that
 * a client may send are read as they were meant.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/mem.h"
#include "httpd/websocket.h"

static struct span input;

static void
expect(bool holds, const char *what)
{
	if (holds)
		return;
	fprintf(stderr, "fuzz-websocket: does not hold: %s\nfor ", what);
	for (size_t i = 0; i < input.n; i++)
		fprintf(stderr, "%02x", (unsigned char)input.p[i]);
	fprintf(stderr, "\n");
	abort();
}

static unsigned state;

static unsigned
below(unsigned n)
{
	state = state * 1664525u + 1013904223u;
	return (state >> 8) % n;
}

/* ---- reading ---- */

/* Of each event a letter, of a ping its payload besides; of messages the
 * payload, and a letter where one begins. */
static void
note(struct buf *told, enum websocket_event e, const struct websocket_reader *r)
{
	if (e == WEBSOCKET_MORE)
		return;
	if (e == WEBSOCKET_DATA) {
		if (r->first)
			buf_addc(told, '=');
		websocket_unmask(r, buf_reserve(told, r->piece.n));
		told->len += r->piece.n;
		return;
	}
	buf_addc(told, "--pctb"[e]);
	if (e != WEBSOCKET_PINGED)
		return;
	expect(r->n <= WEBSOCKET_CONTROL_MAX, "a short ping");
	buf_addc(told, (char)r->n);
	buf_add(told, r->control, (size_t)r->n);
}

static bool
goes_on(enum websocket_event e)
{
	return e <= WEBSOCKET_PINGED;
}

/* Pieces of at most so many bytes, each in memory of its own size. */
static void
read_all(struct span s, unsigned piece, struct buf *told)
{
	struct websocket_reader r = {.wants_data = true};
	enum websocket_event e = WEBSOCKET_MORE;

	while (s.n > 0 && goes_on(e)) {
		size_t k = 1 + below(piece), taken = 0;
		char *exact;

		k = k < s.n ? k : s.n;
		exact = mem_dup(s.p, k);
		exact = mem_array(exact, k, 1);
		e = websocket_read(&r, exact, k, &taken);
		expect(taken > 0 && taken <= k, "something is taken");
		expect(taken == k || e != WEBSOCKET_MORE, "all is taken");
		note(told, e, &r);
		free(exact);
		s = span_skip(s, taken);
	}
}

static void
try(struct span s, struct buf *told)
{
	struct buf again = BUF_INIT;

	input = s;
	read_all(s, 100000, told);
	read_all(s, 1, &again);
	expect(span_eq(buf_span(told), buf_span(&again)), "byte by byte");
	buf_reset(&again);
	read_all(s, 200, &again);
	expect(span_eq(buf_span(told), buf_span(&again)), "in pieces");
	buf_release(&again);
}

/* ---- making ---- */

static size_t
some_size(bool control)
{
	static const size_t sizes[] = {0, 1, 2, 125, 126, 127, 300},
			    large[] = {65535, 65536, 65600};

	if (control)
		return below(WEBSOCKET_CONTROL_MAX + 1);
	return below(50) == 0 ? large[below(3)] : sizes[below(7)];
}

/* A frame of a client: the server's, with a mask. */
static void
add_frame(struct buf *b, unsigned first, size_t n, const char *payload)
{
	size_t at = b->len;
	char mask[4];

	websocket_add_head(b, WEBSOCKET_TEXT, n);
	b->data[at] = (char)first;
	b->data[at + 1] = (char)(b->data[at + 1] | 0x80);
	for (size_t i = 0; i < 4; i++)
		mask[i] = (char)below(256);
	buf_add(b, mask, 4);
	for (size_t i = 0; i < n; i++)
		buf_addc(b, (char)(payload[i] ^ mask[i % 4]));
}

struct message {
	bool open, begun;
};

/* One that may follow, and the event that it is. */
static void
make(struct buf *b, struct message *m, struct buf *want)
{
	static char payload[1 << 17];
	bool control = below(2) == 0, fin = below(3) > 0;
	size_t n = some_size(control);

	for (size_t i = 0; i < 130; i++)
		payload[i] = (char)below(256);
	if (!control) {
		add_frame(b, (fin ? 0x80u : 0) | (m->open ? 0 : 1 + below(2)),
		    n, payload);
		if (n > 0 && !m->begun)
			buf_addc(want, '=');
		buf_add(want, payload, n);
		m->begun = !fin && (m->begun || n > 0);
		m->open = !fin;
	} else if (below(2) == 0) {
		add_frame(b, 0x80 | WEBSOCKET_PONG, n, payload);
	} else {
		add_frame(b, 0x80 | WEBSOCKET_PING, n, payload);
		buf_addc(want, 'p');
		buf_addc(want, (char)n);
		buf_add(want, payload, n);
	}
}

static void
mutate(struct buf *b)
{
	size_t at = below((unsigned)b->len);

	/* mostly where heads are */
	if (below(2) == 0)
		at = below(b->len < 20 ? (unsigned)b->len : 20);
	if (below(4) == 0)
		buf_truncate(b, at);
	else if (below(2) == 0)
		b->data[at] = (char)below(256);
	else
		b->data[at] = (char)(b->data[at] ^ (1 << below(8)));
}

int
main(int argc, char **argv)
{
	long seconds = argc > 1 ? strtol(argv[1], NULL, 10) : 10;
	time_t end = time(NULL) + seconds;
	unsigned long runs = 0;

	state = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 1;
	while (runs % 64 != 0 || time(NULL) < end) {
		struct buf b = BUF_INIT, want = BUF_INIT, told = BUF_INIT;
		struct message m = {false, false};

		for (unsigned i = 1 + below(5); i > 0; i--)
			make(&b, &m, &want);
		if (below(2) == 0) {
			add_frame(&b, 0x80 | WEBSOCKET_CLOSE, 2, "\x0f\xa0");
			buf_addc(&want, 'c');
		}
		try(buf_span(&b), &told);
		expect(span_eq(buf_span(&told), buf_span(&want)),
		    "frames that are right");
		for (unsigned i = below(4); i > 0 && b.len > 0; i--)
			mutate(&b);
		buf_reset(&told);
		try(buf_span(&b), &told);
		buf_release(&b);
		buf_release(&want);
		buf_release(&told);
		runs++;
	}
	printf("%lu connections\n", runs);
	return 0;
}
