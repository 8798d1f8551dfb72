/* spdy: frames of a client as zlib compresses their headers; inflate. */
#include "kubelet/spdy.h"

#include <stdlib.h>

#include "base/array.h"
#include "tap.h"

/* Streams 1, 3 and 5, the last with FIN and a block with codes of its own; made
 * by zlib with the dictionary, each flushed. */
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
static const char large[] =
    "cccstreamtypeexyzhh12gstreamtypehxyzgggstreamtypehh12dddstreamty"
    "pefstreamtypeaaa12aa12dd12aaastreamtypehh12ddstreamtypeddxyzaa12"
    "b12e12fff12ggg12ddxyzhhhxyzaastreamtypegg12cc12fxyzb12ggxyzaastr"
    "eamtypeeee12gggstreamtypecccstreamtypea12dd12fffxyzhh12aa12ccc12"
    "ddstreamtypehh12dddxyzhhxyzf12ff12a12ccc12c12e12bstreamtypehxyzd"
    "dstreamtypeccxyzbstreamtypeeeestreamtypeeee12ee12ffxyzbxyzggxyzd"
    "dstreamtypeeee12dddxyzastreamtypegstreamtypecc12gggstreamtypeh12"
    "aa12fff12g12estreamtypeaastreamtypebbxyzcc12estreamtypeaaastream"
    "typeh12aastreamtypefstreamtypegggstreamtypeh12gg12hxyzggstreamty"
    "pecxyzccxyzdd12bb12fff12hhhstreamtypebbbstreamtypebstreamtypeccc"
    "streamtypeee12eexyzfxyzddd12h12bbstreamtypegxyzcxyzbbb12g12dddst"
    "reamtypeeexyzbbxyzbxyzaaa12axyzbstreamtypedddxyzcxyzcccstreamtyp"
    "ecccstreamtypegg12eeexyzhhstreamtypedddxyzastreamtype";

static void
unhex(const char *hex, struct buf *b)
{
	while (*(hex += strspn(hex, " ")) != '\0') {
		char two[3] = {hex[0], hex[1], '\0'};

		buf_addc(b, (char)strtol(two, NULL, 16));
		hex += 2;
	}
}

/* A line for each event. */
static void
read_all(struct span s, size_t piece, struct buf *told)
{
	struct spdy_reader r = {0};
	enum spdy_event e = SPDY_MORE;
	struct span large_value;

	while (s.n > 0 && e != SPDY_BAD) {
		size_t taken, k = s.n < piece ? s.n : piece;

		e = spdy_read(&r, s.p, k, &taken);
		s = span_skip(s, taken);
		if (e == SPDY_MORE)
			continue;
		if (e == SPDY_DATA && r.data.n == 0 && !r.fin)
			continue;
		buf_addf(told, "%c", "-odrpgb"[e]);
		if (e == SPDY_OPEN || e == SPDY_DATA || e == SPDY_RESET ||
		    e == SPDY_PING)
			buf_addf(told, "%u", r.stream);
		if (e == SPDY_DATA)
			buf_addf(told, "%.*s", SPAN_ARG(r.data));
		if (e == SPDY_OPEN) {
			buf_addf(told, " %.*s %.*s %.*s",
			    SPAN_ARG(spdy_header(&r, "streamtype")),
			    SPAN_ARG(spdy_header(&r, "port")),
			    SPAN_ARG(spdy_header(&r, "requestid")));
			large_value = spdy_header(&r, "big");
			if (large_value.n > 0)
				buf_adds(told,
				    span_is(large_value, large) ? " large"
								: " WRONG");
		}
		buf_adds(told, r.fin && e != SPDY_PING ? "!\n" : "\n");
	}
	spdy_release(&r);
}

static void
reads(const char *hex, const char *want, const char *what)
{
	struct buf b = BUF_INIT, told = BUF_INIT;

	unhex(hex, &b);
	read_all(buf_span(&b), 100000, &told);
	is(buf_str(&told), want, what);
	buf_reset(&told);
	buf_release(&b);
	buf_release(&told);
}

TEST(recorded)
{
	struct buf b = BUF_INIT;

	unhex(recorded, &b);
	for (size_t piece = 1; piece < 2000; piece = piece * 3 + 1) {
		struct buf told = BUF_INIT;

		read_all(buf_span(&b), piece, &told);
		is(buf_str(&told),
		    "o1 error 80 0\no3 data 80 0\no5 stdin   large!\n",
		    "streams are opened");
		buf_release(&told);
	}
	buf_release(&b);
}

TEST(frames)
{
	reads("00000003 00000002 6869", "d3hi\n", "data");
	reads("00000003 01000002 6869", "d3hi!\n", "... the last");
	reads("00000003 01000000", "d3!\n", "... nothing more");
	reads("80030006 00000004 00000007", "p7\n", "a ping");
	reads("80030003 00000008 0000000500000005", "r5\n", "a reset");
	reads("80030007 00000008 0000000000000000", "g\n", "going away");
	reads("80030004 00000004 00000000 80030009 00000008 0000000000000000 "
	      "80030006 00000004 00000007",
	    "p7\n", "others mean nothing");
	reads("80020006 00000004 00000007", "b\n", "another version");
	reads("81030006 00000004 00000007", "b\n", "a version of 9 bits");
	reads("80030006 00000005 0000000700", "b\n", "a long ping");
	reads("80030003 00000002 0000", "b\n", "a short reset");
	reads("80030001 00004001", "b\n", "a control frame that is too long");
	reads("80030001 00000004 00000001", "b\n", "a stream without headers");
}

#define SYN "80030001"
#define BLOCK " 00000001 00000000 0000 "
#define ZLIB "78bbe3c6a7c2"

TEST(blocks)
{
	reads(SYN " 00000019" BLOCK ZLIB "000400fbff00000000", "o1   \n",
	    "no headers, as they are");
	reads(SYN " 0000000a" BLOCK, "b\n", "nothing at all");
	reads(SYN " 00000019" BLOCK "78bbe3c6a7c3 000400fbff00000000", "b\n",
	    "another dictionary");
	reads(SYN " 00000015" BLOCK "789c 000400fbff00000000", "o1   \n",
	    "no dictionary");
	reads(SYN " 00000019" BLOCK ZLIB "000400fbfe00000000", "b\n",
	    "a wrong length");
	reads(SYN " 0000001d" BLOCK ZLIB "010400fbff00000000 00040001", "b\n",
	    "the last block");
	reads(SYN " 00000019" BLOCK ZLIB "000400fbff00000001", "b\n",
	    "headers that are cut off");
	reads(SYN " 00000011" BLOCK ZLIB "07", "b\n", "no such block");
	reads(
	    SYN " 00000012" BLOCK ZLIB "05e0", "b\n", "codes that are cut off");
	reads(SYN " 00000013" BLOCK ZLIB "edffff", "b\n", "too many codes");
}

static void
writes(const struct buf *b, const char *hex, const char *what)
{
	struct buf want = BUF_INIT;

	unhex(hex, &want);
	ok(span_eq(buf_span((struct buf *)b), buf_span(&want)), what);
	buf_release(&want);
}

TEST(writing)
{
	struct buf b = BUF_INIT;

	spdy_add_reply(&b, 3, true);
	writes(&b,
	    "80030002 00000018 00000003" ZLIB "000400fbff00000000000000ffff",
	    "a reply");
	buf_reset(&b);
	spdy_add_reply(&b, 5, false);
	writes(&b, "80030002 00000012 00000005 000400fbff00000000000000ffff",
	    "... another");
	buf_reset(&b);
	spdy_add_reset(&b, 7);
	spdy_add_ping(&b, 9);
	writes(&b,
	    "80030003 00000008 0000000700000005 80030006 00000004 00000009",
	    "a reset, a ping");
	buf_reset(&b);
	spdy_add_data(&b, 1, 258, false);
	spdy_add_data(&b, 1, 0, true);
	writes(&b, "00000001 00000102 00000001 01000000", "heads of data");
	buf_release(&b);
}
