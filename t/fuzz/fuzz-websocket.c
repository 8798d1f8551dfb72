/*
 * fuzz-websocket: frames of a WebSocket that are almost right.
 *
 *	fuzz-websocket [SECONDS [SEED]]
 *
 * A reader takes what it is given, reads nothing outside it (run it with ASan),
 * and tells the same events however the bytes are cut into pieces. Frames that
 * a client may send are read as they were meant.
 */
// needs t/fuzz/fuzz.c
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "fuzz.h"
#include "httpd/websocket.h"

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
	fuzz_expect(r->n <= WEBSOCKET_CONTROL_MAX, "a short ping");
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
		size_t k = 1 + fuzz_below(piece), taken = 0;
		char *exact;

		k = k < s.n ? k : s.n;
		exact = fuzz_exact(span_make(s.p, k));
		e = websocket_read(&r, exact, k, &taken);
		fuzz_expect(taken > 0 && taken <= k, "something is taken");
		fuzz_expect(taken == k || e != WEBSOCKET_MORE, "all is taken");
		note(told, e, &r);
		free(exact);
		s = span_skip(s, taken);
	}
}

static void
try(struct span s, struct buf *told)
{
	struct buf again = BUF_INIT;

	fuzz_input = s;
	read_all(s, 100000, told);
	read_all(s, 1, &again);
	fuzz_expect(span_eq(buf_span(told), buf_span(&again)), "byte by byte");
	buf_reset(&again);
	read_all(s, 200, &again);
	fuzz_expect(span_eq(buf_span(told), buf_span(&again)), "in pieces");
	buf_release(&again);
}

/* ---- making ---- */

static size_t
some_size(bool control)
{
	static const size_t sizes[] = {0, 1, 2, 125, 126, 127, 300},
			    large[] = {65535, 65536, 65600};

	if (control)
		return fuzz_below(WEBSOCKET_CONTROL_MAX + 1);
	return fuzz_below(50) == 0 ? large[fuzz_below(3)]
				   : sizes[fuzz_below(7)];
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
		mask[i] = (char)fuzz_below(256);
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
	bool control = fuzz_below(2) == 0, fin = fuzz_below(3) > 0;
	size_t n = some_size(control);

	for (size_t i = 0; i < 130; i++)
		payload[i] = (char)fuzz_below(256);
	if (!control) {
		add_frame(b,
		    (fin ? 0x80u : 0) | (m->open ? 0 : 1 + fuzz_below(2)), n,
		    payload);
		if (n > 0 && !m->begun)
			buf_addc(want, '=');
		buf_add(want, payload, n);
		m->begun = !fin && (m->begun || n > 0);
		m->open = !fin;
	} else if (fuzz_below(2) == 0) {
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
	size_t at = fuzz_below((unsigned)b->len);

	/* mostly where heads are */
	if (fuzz_below(2) == 0)
		at = fuzz_below(b->len < 20 ? (unsigned)b->len : 20);
	fuzz_flip(b, at);
}

int
main(int argc, char **argv)
{
	fuzz_begin(argc, argv, 1);
	while (fuzz_goes_on()) {
		struct buf b = BUF_INIT, want = BUF_INIT, told = BUF_INIT;
		struct message m = {false, false};

		for (unsigned i = 1 + fuzz_below(5); i > 0; i--)
			make(&b, &m, &want);
		if (fuzz_below(2) == 0) {
			add_frame(&b, 0x80 | WEBSOCKET_CLOSE, 2, "\x0f\xa0");
			buf_addc(&want, 'c');
		}
		try(buf_span(&b), &told);
		fuzz_expect(span_eq(buf_span(&told), buf_span(&want)),
		    "frames that are right");
		for (unsigned i = fuzz_below(4); i > 0 && b.len > 0; i--)
			mutate(&b);
		buf_reset(&told);
		try(buf_span(&b), &told);
		buf_release(&b);
		buf_release(&want);
		buf_release(&told);
	}
	fuzz_end("connections");
	return 0;
}
