#include "value/base64.h"

#include <openssl/evp.h>

void
base64_add(struct buf *b, struct span bytes)
{
	char *to = buf_reserve(b, (bytes.n + 2) / 3 * 4 + 1);

	b->len += (size_t)EVP_EncodeBlock(
	    (unsigned char *)to, (const unsigned char *)bytes.p, (int)bytes.n);
}

void
base64_add_url(struct buf *b, struct span bytes)
{
	size_t start = b->len;

	base64_add(b, bytes);
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
digit(char c, const char *last_two)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (span_is_digit(c))
		return c - '0' + 52;
	return c == last_two[0] ? 62 : c == last_two[1] ? 63 : -1;
}

/* The first n - 1 bytes of a group of n digits, whose bits these are. */
static void
add_group(struct buf *out, unsigned bits, int n)
{
	bits <<= 6 * (4 - n);
	for (int i = 1; i < n; i++)
		buf_addc(out, (char)(bits >> (24 - 8 * i)));
}

static size_t
pass(struct span s, size_t i, const char *skip)
{
	while (i < s.n && span_is_among(s.p[i], skip))
		i++;
	return i;
}

/* Checks the padding: its first '=' is at i, after n digits of a group. */
static int
padding(struct span s, size_t i, int n, const char *skip, size_t *at)
{
	*at = i;
	if (n < 2)
		return -1;
	i++;
	if (n == 2) {
		i = pass(s, i, skip);
		*at = i == s.n ? s.n : i - 1;
		if (i == s.n || s.p[i] != '=')
			return -1;
		i++;
	}
	*at = pass(s, i, skip);
	return *at < s.n ? -1 : 0;
}

enum alphabet { STANDARD, OF_URLS };

/* Decodes one alphabet; on an error out has some bytes more. */
static int
decode(struct span s, enum alphabet which, const char *skip, struct buf *out,
    size_t *at)
{
	unsigned bits = 0;
	int n = 0, v;

	for (size_t i = pass(s, 0, skip); i < s.n; i = pass(s, i + 1, skip)) {
		if (s.p[i] == '=' && which == STANDARD) {
			add_group(out, bits, n);
			return padding(s, i, n, skip, at);
		}
		*at = i;
		v = digit(s.p[i], which == STANDARD ? "+/" : "-_");
		if (v < 0)
			return -1;
		bits = bits << 6 | (unsigned)v;
		if (++n == 4) {
			add_group(out, bits, n);
			bits = 0;
			n = 0;
		}
	}
	if (which == STANDARD) {
		*at = s.n - (size_t)n;
		return n == 0 ? 0 : -1;
	}
	*at = s.n == 0 ? 0 : s.n - 1;
	if (n > 1)
		add_group(out, bits, n);
	return n == 1 ? -1 : 0;
}

int
base64_decode(struct span text, const char *skip, struct buf *out, size_t *at)
{
	size_t start = out->len, ignored;
	int rc = decode(text, STANDARD, skip, out, at != NULL ? at : &ignored);

	if (rc != 0)
		buf_truncate(out, start);
	return rc;
}

int
base64_decode_url(struct span text, struct buf *out, size_t *at)
{
	size_t start = out->len;
	int rc = decode(text, OF_URLS, "", out, at);

	if (rc != 0)
		buf_truncate(out, start);
	return rc;
}
