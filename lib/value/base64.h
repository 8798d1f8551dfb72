/*
 * base64: RFC 4648, read as strictly as Go's encoding/base64 does.
 */
#ifndef BASE64_H
#define BASE64_H

#include <stddef.h>

#include "base/buf.h"
#include "base/span.h"

/* Bytes that Go's decoder ignores, and others that some callers ignore. */
#define BASE64_LINES "\r\n"
#define BASE64_BLANKS " \t\r\n"

/* Append bytes; url: the alphabet of URLs, without padding. */
void base64_add(struct buf *b, struct span bytes);
void base64_add_url(struct buf *b, struct span bytes);

/*
 * Appends the decoded text to out; bytes of `skip` are ignored.
 * -1: out is as it was, and *at (may be NULL) is the byte that Go's decoder
 * names.
 */
int base64_decode(
    struct span text, const char *skip, struct buf *out, size_t *at);
/* The alphabet of URLs, without padding; at is not NULL. */
int base64_decode_url(struct span text, struct buf *out, size_t *at);

#endif
