#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <string.h>

#include "tap.h"
#include "value/digest.h"

/* With what OpenSSL makes of texts and keys of any length. */
TEST(compare)
{
	char text[300], key[300];
	unsigned char got[DIGEST_SIZE], want[DIGEST_SIZE];
	int texts = 0, keyed = 0;

	for (size_t i = 0; i < sizeof(text); i++) {
		text[i] = (char)(i * 37 + 11);
		key[i] = (char)(i * 101 + 3);
	}
	for (size_t n = 0; n < sizeof(text); n++) {
		size_t k = n * 7 % sizeof(key);

		digest_sha256(span_make(text, n), got);
		EVP_Digest(text, n, want, NULL, EVP_sha256(), NULL);
		texts += memcmp(got, want, DIGEST_SIZE) == 0;
		digest_hmac(span_make(key, k), span_make(text, n), got);
		HMAC(EVP_sha256(), key, (int)k, (const unsigned char *)text, n,
		    want, NULL);
		keyed += memcmp(got, want, DIGEST_SIZE) == 0;
	}
	ok(texts == sizeof(text), "SHA-256 of every length");
	ok(keyed == sizeof(text), "HMAC of every length");
	digest_sha256(span_str(NULL), got);
	EVP_Digest("", 0, want, NULL, EVP_sha256(), NULL);
	ok(memcmp(got, want, DIGEST_SIZE) == 0, "SHA-256 of nothing");
}

TEST(digest)
{
	struct buf b = BUF_INIT;
	unsigned char d[DIGEST_SIZE];

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
}
