#include "base/digest.h"

#include <stdlib.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

/* Fetched once; freed never, as the process needs it until its end. */
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

void
digest_add_base64(struct buf *b, struct span bytes)
{
	char *to = buf_reserve(b, (bytes.n + 2) / 3 * 4 + 1);

	b->len += (size_t)EVP_EncodeBlock(
	    (unsigned char *)to, (const unsigned char *)bytes.p, (int)bytes.n);
}

void
digest_add_base64url(struct buf *b, const unsigned char *p, size_t n)
{
	size_t start = b->len;

	digest_add_base64(b, span_make((const char *)p, n));
	while (b->len > start && b->data[b->len - 1] == '=')
		b->len--;
	for (size_t i = start; i < b->len; i++) {
		if (b->data[i] == '+')
			b->data[i] = '-';
		else if (b->data[i] == '/')
			b->data[i] = '_';
	}
}

static int
base64_value(char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (span_is_digit(c))
		return c - '0' + 52;
	return c == '+' ? 62 : c == '/' ? 63 : -1;
}

/* OpenSSL's decoder accepts too much and reports too little. */
int
digest_decode_base64(struct span text, struct buf *out)
{
	unsigned bits = 0;
	size_t digits = 0, padding = 0, start = out->len;

	for (size_t i = 0; i < text.n; i++) {
		char c = text.p[i];
		int v = base64_value(c);

		if (c == ' ' || c == '\n' || c == '\r' || c == '\t')
			continue;
		if (c == '=' && ++padding <= 2)
			continue;
		if (v < 0 || padding > 0) {
			buf_truncate(out, start);
			return -1;
		}
		bits = bits << 6 | (unsigned)v;
		if (++digits % 4 != 1)
			buf_addc(
			    out, (char)(bits >> (6 - 2 * ((digits - 1) % 4))));
	}
	if (digits % 4 == 1 || (digits + padding) % 4 != 0) {
		buf_truncate(out, start);
		return -1;
	}
	return 0;
}
