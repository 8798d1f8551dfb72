#include "value/digest.h"

#include <stdlib.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

/* Fetched once, never freed: the process needs it until its end. */
static EVP_MD *sha256;

void
digest_init(void)
{
	unsigned char out[DIGEST_SIZE];

	if (sha256 == NULL)
		sha256 = EVP_MD_fetch(NULL, "SHA256", NULL);
	/* OpenSSL sets up more of itself at first use. */
	digest_sha256(span_str(""), out);
}

void
digest_sha256(struct span text, unsigned char out[DIGEST_SIZE])
{
	unsigned int n = DIGEST_SIZE;

	if (EVP_Digest(text.p != NULL ? text.p : "", text.n, out, &n,
		sha256 != NULL ? sha256 : EVP_sha256(), NULL) != 1)
		abort(); /* only a broken OpenSSL has no SHA-256 */
}

void
digest_hmac(struct span key, struct span text, unsigned char out[DIGEST_SIZE])
{
	unsigned int n = DIGEST_SIZE;

	if (HMAC(EVP_sha256(), key.p, (int)key.n, (const unsigned char *)text.p,
		text.n, out, &n) == NULL)
		abort();
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
