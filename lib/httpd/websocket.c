#include "httpd/websocket.h"

/* EVP_* would first set up all of OpenSSL, see value/digest.c. */
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/sha.h>

#include "base/utf8.h"
#include "value/base64.h"

enum { FIN = 0x80, RESERVED = 0x70, OPCODE = 0x0f, MASKED = 0x80 };
enum { MASK_BYTES = 4, LENGTH_16 = 126, LENGTH_64 = 127 };

static unsigned
opcode_of(const struct websocket_reader *r)
{
	return r->head[0] & OPCODE;
}

static bool
is_control(const struct websocket_reader *r)
{
	return opcode_of(r) >= WEBSOCKET_CLOSE;
}

/* Bytes of the longer length after the first two. */
static size_t
length_bytes(const struct websocket_reader *r)
{
	unsigned n = r->head[1] & 0x7f;

	return n == LENGTH_64 ? 8 : n == LENGTH_16 ? 2 : 0;
}

static size_t
head_bytes(const struct websocket_reader *r)
{
	return r->head_n < 2 ? 2 : 2 + length_bytes(r) + MASK_BYTES;
}

/* Whether a client may send these first two bytes now (sections 5.1, 5.2, 5.4,
 * 5.5). */
static bool
may_begin(const struct websocket_reader *r)
{
	bool fin = r->head[0] & FIN;

	if ((r->head[0] & RESERVED) != 0 || (r->head[1] & MASKED) == 0)
		return false;
	switch (opcode_of(r)) {
	case WEBSOCKET_CONTINUATION:
		return r->in_message;
	case WEBSOCKET_TEXT:
	case WEBSOCKET_BINARY:
		return !r->in_message;
	case WEBSOCKET_CLOSE:
	case WEBSOCKET_PING:
	case WEBSOCKET_PONG:
		return fin && length_bytes(r) == 0;
	default:
		return false;
	}
}

/* The head is whole. False: its length could be said in fewer bytes. */
static bool
take_length(struct websocket_reader *r)
{
	size_t bytes = length_bytes(r);

	r->at = 0;
	r->n = bytes == 0 ? r->head[1] & 0x7f : 0;
	for (size_t i = 0; i < bytes; i++)
		r->n = r->n << 8 | r->head[2 + i];
	return bytes == 0 || (bytes == 2 && r->n >= LENGTH_16) ||
	    (bytes == 8 && r->n > UINT16_MAX && r->n <= INT64_MAX);
}

static size_t
take_payload(struct websocket_reader *r, const char *p, size_t n)
{
	const unsigned char *mask = r->head + head_bytes(r) - MASK_BYTES;
	size_t k = r->n - r->at < n ? (size_t)(r->n - r->at) : n;

	for (size_t i = 0; is_control(r) && i < k; i++)
		r->control[r->at + i] =
		    (char)((unsigned char)p[i] ^ mask[(r->at + i) % 4]);
	if (!is_control(r)) {
		r->piece = span_make(p, k);
		for (size_t i = 0; i < MASK_BYTES; i++)
			r->piece_mask[i] = mask[(r->at + i) % MASK_BYTES];
		r->first = !r->begun;
		r->begun = r->begun || k > 0;
	}
	r->at += k;
	return k;
}

void
websocket_unmask(const struct websocket_reader *r, char *to)
{
	for (size_t i = 0; i < r->piece.n; i++)
		to[i] = (char)((unsigned char)r->piece.p[i] ^
		    r->piece_mask[i % MASK_BYTES]);
}

/* Codes that may be sent (section 7.4). */
static bool
is_close_code(unsigned code)
{
	return (code >= 1000 && code <= 1014 && (code < 1004 || code > 1006)) ||
	    (code >= 3000 && code <= 4999);
}

static bool
is_utf8(const char *p, const char *end)
{
	size_t n = 1;

	while (p < end && n > 0)
		p += n = utf8_length(p, end);
	return n > 0;
}

/* Whether the payload is that of a close frame: empty, or a code and a reason
 * (section 5.5.1). */
static bool
is_close(const struct websocket_reader *r)
{
	const unsigned char *p = (const unsigned char *)r->control;

	if (r->n == 0)
		return true;
	return r->n >= 2 && is_close_code((unsigned)p[0] << 8 | p[1]) &&
	    is_utf8(r->control + 2, r->control + r->n);
}

/* A frame ended: the next may come. */
static enum websocket_event
finish(struct websocket_reader *r)
{
	r->head_n = 0;
	switch (opcode_of(r)) {
	case WEBSOCKET_CLOSE:
		return is_close(r) ? WEBSOCKET_CLOSED : WEBSOCKET_BAD;
	case WEBSOCKET_PING:
		return WEBSOCKET_PINGED;
	case WEBSOCKET_PONG:
		return WEBSOCKET_MORE;
	default:
		r->in_message = (r->head[0] & FIN) == 0;
		r->begun = r->begun && r->in_message;
		return WEBSOCKET_MORE;
	}
}

static enum websocket_event
take_head(struct websocket_reader *r, char c)
{
	r->head[r->head_n++] = (unsigned char)c;
	if (r->head_n == 2 && !may_begin(r))
		return WEBSOCKET_BAD;
	if (r->head_n < head_bytes(r))
		return WEBSOCKET_MORE;
	if (!take_length(r))
		return WEBSOCKET_BAD;
	return r->n > WEBSOCKET_FRAME_MAX ? WEBSOCKET_TOO_LONG : WEBSOCKET_MORE;
}

enum websocket_event
websocket_read(
    struct websocket_reader *r, const char *p, size_t n, size_t *taken)
{
	enum websocket_event e = WEBSOCKET_MORE;
	size_t i = 0;

	while (i < n && e == WEBSOCKET_MORE) {
		bool told = false;

		if (r->head_n < head_bytes(r))
			e = take_head(r, p[i++]);
		else {
			told = r->wants_data && !is_control(r);
			i += take_payload(r, p + i, n - i);
		}
		if (e == WEBSOCKET_MORE && r->head_n == head_bytes(r) &&
		    r->at == r->n)
			e = finish(r);
		if (told)
			e = WEBSOCKET_DATA;
	}
	*taken = i;
	return e;
}

void
websocket_add_head(struct buf *b, enum websocket_opcode opcode, size_t n)
{
	size_t bytes = n < LENGTH_16 ? 0 : n <= UINT16_MAX ? 2 : 8;

	buf_addc(b, (char)(FIN | (int)opcode));
	buf_addc(b,
	    (char)(bytes == 0	 ? n
		    : bytes == 2 ? (size_t)LENGTH_16
				 : (size_t)LENGTH_64));
	for (size_t i = bytes; i > 0; i--)
		buf_addc(b, (char)(n >> (8 * (i - 1)) & 0xff));
}

void
websocket_add_close(struct buf *b, enum websocket_code code)
{
	websocket_add_head(b, WEBSOCKET_CLOSE, 2);
	buf_addc(b, (char)(code >> 8));
	buf_addc(b, (char)(code & 0xff));
}

/* Section 4.2.2. */
void
websocket_add_accept(struct buf *b, struct span key)
{
	static const char guid[] = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
	unsigned char digest[SHA_DIGEST_LENGTH];
	struct buf text = BUF_INIT;

	buf_addspan(&text, key);
	buf_adds(&text, guid);
	SHA1((const unsigned char *)text.data, text.len, digest);
	base64_add(b, span_make((const char *)digest, sizeof(digest)));
	buf_release(&text);
}
