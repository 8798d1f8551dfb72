#include "value/digest.h"

#include <string.h>
/* EVP_* would first set up all of OpenSSL, from its configuration on. */
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/sha.h>

enum { BLOCK = SHA256_CBLOCK };

void
digest_sha256(struct span text, unsigned char out[DIGEST_SIZE])
{
	SHA256_CTX c;

	SHA256_Init(&c);
	if (text.n > 0)
		SHA256_Update(&c, text.p, text.n);
	SHA256_Final(out, &c);
}

/* RFC 2104 */
static void
keyed(const unsigned char key[BLOCK], unsigned char pad, const void *p,
    size_t n, unsigned char out[DIGEST_SIZE])
{
	unsigned char block[BLOCK];
	SHA256_CTX c;

	for (size_t i = 0; i < BLOCK; i++)
		block[i] = key[i] ^ pad;
	SHA256_Init(&c);
	SHA256_Update(&c, block, BLOCK);
	if (n > 0)
		SHA256_Update(&c, p, n);
	SHA256_Final(out, &c);
	explicit_bzero(block, sizeof(block));
	explicit_bzero(&c, sizeof(c));
}

void
digest_hmac(struct span key, struct span text, unsigned char out[DIGEST_SIZE])
{
	unsigned char padded[BLOCK] = {0}, inner[DIGEST_SIZE];

	if (key.n > BLOCK)
		digest_sha256(key, padded);
	else if (key.n > 0)
		memcpy(padded, key.p, key.n);
	keyed(padded, 0x36, text.p, text.n, inner);
	keyed(padded, 0x5c, inner, sizeof(inner), out);
	explicit_bzero(padded, sizeof(padded));
}

void
digest_add_hex(struct buf *b, const unsigned char *p, size_t n)
{
	static const char hex[] = "0123456789abcdef";

	for (size_t i = 0; i < n; i++) {
		buf_addc(b, hex[p[i] >> 4]);
		buf_addc(b, hex[p[i] & 15]);
	}
}
