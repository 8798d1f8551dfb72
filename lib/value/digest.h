/*
 * digest: SHA-256 and hex, on OpenSSL. It opens no file and allocates nothing,
 * so a sandboxed process can begin with it.
 */
#ifndef DIGEST_H
#define DIGEST_H

#include <stddef.h>

#include "base/buf.h"
#include "base/span.h"

enum { DIGEST_SIZE = 32 };

void digest_sha256(struct span text, unsigned char out[DIGEST_SIZE]);
/* HMAC-SHA-256: under one key equal texts stay equal, and nothing else is
 * revealed. */
void digest_hmac(
    struct span key, struct span text, unsigned char out[DIGEST_SIZE]);

/* Appends n bytes as lower-case hex. */
void digest_add_hex(struct buf *b, const unsigned char *p, size_t n);

#endif
