#include "tap.h"
#include "value/digest.h"

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
	buf_release(&b);
	return tap_done();
}
