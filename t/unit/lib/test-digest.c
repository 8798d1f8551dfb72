#include "base/digest.h"
#include "tap.h"

static void
base64(const char *plain, const char *coded)
{
	struct buf b = BUF_INIT;

	digest_add_base64(&b, span_str(plain));
	is(buf_str(&b), coded, "encoded");
	buf_reset(&b);
	ok(digest_decode_base64(span_str(coded), &b) == 0, "decodes");
	is(buf_str(&b), plain, "to the same");
	buf_release(&b);
}

static void
refused(const char *coded)
{
	struct buf b = BUF_INIT;

	buf_adds(&b, "kept");
	ok(digest_decode_base64(span_str(coded), &b) == -1, coded);
	is(buf_str(&b), "kept", "and nothing is added");
	buf_release(&b);
}

int
main(void)
{
	struct buf b = BUF_INIT;
	unsigned char d[DIGEST_SIZE];

	digest_init();
	/* FIPS 180-2, appendix B.1 */
	digest_sha256(span_str("abc"), d);
	digest_add_hex(&b, d, sizeof(d));
	is(buf_str(&b),
	    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
	    "SHA-256 of abc");
	buf_reset(&b);
	/* RFC 4231, test case 2 */
	digest_hmac(
	    span_str("Jefe"), span_str("what do ya want for nothing?"), d);
	digest_add_hex(&b, d, 8);
	is(buf_str(&b), "5bdcc146bf60754e", "HMAC-SHA-256");
	buf_reset(&b);
	digest_add_base64url(&b, (const unsigned char *)"\xfb\xff\xfe\x01", 4);
	is(buf_str(&b), "-__-AQ", "base64url has no padding");
	buf_release(&b);
	/* RFC 4648, section 10 */
	base64("", "");
	base64("f", "Zg==");
	base64("fo", "Zm8=");
	base64("foo", "Zm9v");
	base64("foobar", "Zm9vYmFy");
	refused("Zg");
	refused("Zg=");
	refused("Z");
	refused("Zm9v!");
	refused("Zg==Zg==");
	refused("Zg===");
	return tap_done();
}
