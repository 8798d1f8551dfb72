/*
 * digest: SHA-256, hex and base64, on OpenSSL.
 *
 * digest_init() fetches the algorithm once, so that later calls open nothing
 * (ireconcile is sandboxed by then). Calling it twice is harmless.
 */
#ifndef DIGEST_H
#define DIGEST_H

#include <stddef.h>

#include "base/buf.h"
#include "base/span.h"

enum { DIGEST_SIZE = 32 };

void digest_init(void);
void digest_sha256(struct span text, unsigned char out[DIGEST_SIZE]);
/* HMAC-SHA-256: equal texts stay equal under one key, and say no more. */
void digest_hmac(
    struct span key, struct span text, unsigned char out[DIGEST_SIZE]);

/* Append n bytes as lower-case hex, base64, or base64url without padding. */
void digest_add_hex(struct buf *b, const unsigned char *p, size_t n);
void digest_add_base64(struct buf *b, struct span bytes);
void digest_add_base64url(struct buf *b, const unsigned char *p, size_t n);
/* Decodes base64 (white space between is skipped); -1 if it is not base64. */
int digest_decode_base64(struct span text, struct buf *out);

#endif
