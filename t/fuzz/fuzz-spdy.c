/*
 * fuzz-spdy: frames of SPDY/3.1 that are almost right, among them blocks that
 * zlib has compressed.
 *
 *	fuzz-spdy [SECONDS [SEED]]
 *
 * A reader takes what it is given, reads nothing outside it (run it with ASan),
 * keeps within its limits, and tells the same events however the bytes are cut
 * into pieces.
 */
// needs cmd/kapi/kubelet/spdy.c
// needs t/fuzz/fuzz.c
#include "kubelet/spdy.h"

#include <stdio.h>
#include <stdlib.h>

#include "fuzz.h"

/* Three streams of a client: test-spdy has the same. */
static const char recorded[] =
    "800300010000003c0000000100000000000078bbe3c6a7c202253a703a2b294a"
    "4dcc851625aca9a0808614cb45a024cc64610024398b209198094adc8c060000"
    "0000ffff800300010000001800000003000000000000c2aa15540a2512d20900"
    "0000ffff80030001010001050000000500000000000074554b0e4231085c78a2"
    "36f14085fe5ceb423dbd0c6d024535519f7c8699a18d88a39b6e72892e576636"
    "8cf67cbde74c7958684a680c1f907cadd502dd1e4b2929e35d2bbe4becb2dfb5"
    "0a2e2a29e59672ef5da68e8122e530356df548314ba1c409a5212f2f05b0c821"
    "6c5392315b214633003da92d4d4be4a3a3414a77252b533aadf1edcc2077700a"
    "049b4a4595ba1afab564cdf7cafd80a0710b59ee09bcdf843d13a6a1f7c89700"
    "f373a1711ad6b04e8463a5e8aa45eca14d4756e819385be8cf8e9641f05db104"
    "6c02cf91c120988721239c42ed54a5a4470307f15cc77276b1e53f1ca0afed6b"
    "103b9d43df97f6fe903fb20f000000ffff";

static void
note(struct buf *told, enum spdy_event e, const struct spdy_reader *r)
{
	if (e == SPDY_MORE)
		return;
	if (e == SPDY_DATA) {
		/* Pieces are put together again. */
		buf_addf(told, "d%u ", r->stream);
		buf_addspan(told, r->data);
		buf_adds(told, r->fin ? "!" : "");
		return;
	}
	buf_addf(
	    told, "%c%u%s", "-odrpgb"[e], r -> stream, r -> fin ? "!" : "");
	if (e == SPDY_OPEN)
		buf_addspan(told, buf_span((struct buf *)&r->headers));
}

static void
read_all(struct span s, unsigned piece, struct buf *told)
{
	struct spdy_reader r = {0};
	enum spdy_event e = SPDY_MORE;
	uint32_t last = 0;
	bool in_data = false;

	while (s.n > 0 && e != SPDY_BAD) {
		size_t k = 1 + fuzz_below(piece), taken = 0;
		char *exact;

		k = k < s.n ? k : s.n;
		exact = fuzz_exact(span_make(s.p, k));
		e = spdy_read(&r, exact, k, &taken);
		fuzz_expect(taken > 0 && taken <= k, "something is taken");
		fuzz_expect(e != SPDY_MORE || taken == k, "all is taken");
		fuzz_expect(r.headers.len <= SPDY_HEADERS_MAX &&
			r.control.len <= SPDY_CONTROL_MAX,
		    "limits");
		if (e == SPDY_DATA && in_data && last == r.stream) {
			buf_addspan(told, r.data);
			buf_adds(told, r.fin ? "!" : "");
		} else
			note(told, e, &r);
		in_data = e == SPDY_DATA ? r.left > 0
		    : e == SPDY_MORE	 ? in_data
					 : false;
		last = r.stream;
		free(exact);
		s = span_skip(s, taken);
	}
	spdy_release(&r);
}

static void
try(struct span s)
{
	struct buf told = BUF_INIT, again = BUF_INIT;

	fuzz_input = s;
	read_all(s, 100000, &told);
	read_all(s, 1, &again);
	fuzz_expect(span_eq(buf_span(&told), buf_span(&again)), "byte by byte");
	buf_reset(&again);
	read_all(s, 50, &again);
	fuzz_expect(span_eq(buf_span(&told), buf_span(&again)), "in pieces");
	buf_release(&told);
	buf_release(&again);
}

static void
unhex(const char *hex, struct buf *b)
{
	for (; hex[0] != '\0'; hex += 2) {
		char two[3] = {hex[0], hex[1], '\0'};

		buf_addc(b, (char)strtol(two, NULL, 16));
	}
}

static void
add_some_frame(struct buf *b)
{
	switch (fuzz_below(4)) {
	case 0:
		spdy_add_ping(b, fuzz_below(100));
		break;
	case 1:
		spdy_add_reset(b, fuzz_below(100));
		break;
	case 2:
		spdy_add_reply(b, 1, fuzz_below(2) == 0);
		break;
	default:
		spdy_add_data(b, 1 + fuzz_below(9), 3, fuzz_below(2) == 0);
		buf_adds(b, "abc");
	}
}

int
main(int argc, char **argv)
{
	struct buf streams = BUF_INIT;

	unhex(recorded, &streams);
	fuzz_begin(argc, argv, 1);
	while (fuzz_goes_on()) {
		struct buf b = BUF_INIT;

		for (unsigned i = fuzz_below(3); i > 0; i--)
			add_some_frame(&b);
		buf_addspan(&b, buf_span(&streams));
		for (unsigned i = fuzz_below(3); i > 0; i--)
			add_some_frame(&b);
		for (unsigned i = fuzz_below(5); i > 0 && b.len > 0; i--)
			fuzz_flip(&b, fuzz_below((unsigned)b.len));
		try(buf_span(&b));
		buf_release(&b);
	}
	buf_release(&streams);
	fuzz_end("connections");
	return 0;
}
