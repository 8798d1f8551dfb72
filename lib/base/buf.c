#include "base/buf.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

void
buf_release(struct buf *b)
{
	free(b->data);
	*b = (struct buf)BUF_INIT;
}

void
buf_wipe(struct buf *b)
{
	if (b->data != NULL)
		explicit_bzero(b->data, b->cap);
	buf_release(b);
}

void
buf_reset(struct buf *b)
{
	b->len = 0;
}

char *
buf_reserve(struct buf *b, size_t n)
{
	if (b->cap - b->len < n || b->data == NULL) {
		size_t want = b->len + n;
		size_t cap = b->cap + b->cap / 2;

		if (want < n)
			want = SIZE_MAX; /* mem_realloc ends the process */
		if (cap < want)
			cap = want;
		if (cap < 64)
			cap = 64;
		b->data = mem_realloc(b->data, cap);
		b->cap = cap;
	}
	return b->data + b->len;
}

void
buf_add(struct buf *b, const void *p, size_t n)
{
	if (n == 0)
		return;
	memcpy(buf_reserve(b, n), p, n);
	b->len += n;
}

void
buf_adds(struct buf *b, const char *s)
{
	buf_add(b, s, strlen(s));
}

void
buf_addc(struct buf *b, char c)
{
	*buf_reserve(b, 1) = c;
	b->len++;
}

void
buf_addspan(struct buf *b, struct span s)
{
	buf_add(b, s.p, s.n);
}

void
buf_addv(struct buf *b, const char *fmt, va_list ap)
{
	va_list again;
	int n;

	va_copy(again, ap);
	n = vsnprintf(NULL, 0, fmt, ap);
	if (n > 0) {
		buf_reserve(b, (size_t)n + 1);
		vsnprintf(b->data + b->len, (size_t)n + 1, fmt, again);
		b->len += (size_t)n;
	}
	va_end(again);
}

void
buf_addf(struct buf *b, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	buf_addv(b, fmt, ap);
	va_end(ap);
}

void
buf_consume(struct buf *b, size_t n)
{
	if (n >= b->len) {
		b->len = 0;
		return;
	}
	memmove(b->data, b->data + n, b->len - n);
	b->len -= n;
}

void
buf_truncate(struct buf *b, size_t n)
{
	if (n < b->len)
		b->len = n;
}

const char *
buf_str(struct buf *b)
{
	*buf_reserve(b, 1) = '\0';
	return b->data;
}

char *
buf_take(struct buf *b)
{
	char *s;

	*buf_reserve(b, 1) = '\0';
	s = b->data;
	*b = (struct buf)BUF_INIT;
	return s;
}

char *
buf_take_exact(struct buf *b)
{
	size_t n = b->len;

	return mem_realloc(buf_take(b), n + 1);
}

struct span
buf_span(const struct buf *b)
{
	return span_make(b->data != NULL ? b->data : "", b->len);
}
