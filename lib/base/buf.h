/*
 * buf: a growable run of bytes. Zeroed memory (BUF_INIT) is an empty one.
 * Appending cannot fail (see mem.h); a caller that fills one from a network or
 * a file first compares len with a limit of its own.
 */
#ifndef BUF_H
#define BUF_H

#include <stdarg.h>
#include <stddef.h>

#include "base/span.h"

struct buf {
	char *data; /* owned; NULL while nothing was ever appended */
	size_t len;
	size_t cap;
};

#define BUF_INIT           \
	{                  \
		NULL, 0, 0 \
	}

void buf_release(struct buf *b); /* frees, leaves an empty buffer */
void buf_wipe(struct buf *b);	 /* overwrites a secret, then frees */
void buf_reset(struct buf *b);	 /* empties, keeps the memory */

void buf_add(struct buf *b, const void *p, size_t n);
void buf_adds(struct buf *b, const char *s);
void buf_addc(struct buf *b, char c);
void buf_addspan(struct buf *b, struct span s);
/* For messages and numbers. JSON and URLs have their own writers. */
void buf_addf(struct buf *b, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
void buf_addv(struct buf *b, const char *fmt, va_list ap)
    __attribute__((format(printf, 2, 0)));

/* Room for n more bytes after data + len; the caller adds to len. */
char *buf_reserve(struct buf *b, size_t n);
/* Drops n bytes from the front; the rest moves down. */
void buf_consume(struct buf *b, size_t n);
/* Shortens to n bytes. */
void buf_truncate(struct buf *b, size_t n);

/* The text, NUL-terminated, borrowed until the next change. */
const char *buf_str(struct buf *b);
/* The text of buf_str, owned by the caller. The buffer is empty afterwards. */
char *buf_take(struct buf *b);
/* buf_take without room to grow, for text that is kept for long. */
char *buf_take_exact(struct buf *b);
struct span buf_span(const struct buf *b);

#endif
