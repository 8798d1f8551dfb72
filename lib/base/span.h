/*
 * span: a borrowed piece of text. It owns nothing and is not NUL-terminated;
 * it lives as long as the text it points into. {NULL, 0} means "absent";
 * an empty text that is present has p != NULL.
 */
#ifndef SPAN_H
#define SPAN_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct span {
	const char *p;
	size_t n;
};

#define SPAN_NONE ((struct span){NULL, 0})
/* For printf's "%.*s". */
#define SPAN_ARG(s) (int)(s).n, (s).p ? (s).p : ""

static inline struct span
span_make(const char *p, size_t n)
{
	return (struct span){p, n};
}

static inline struct span
span_str(const char *s)
{
	return s == NULL ? SPAN_NONE : span_make(s, strlen(s));
}

static inline bool
span_eq(struct span a, struct span b)
{
	return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}

static inline bool
span_is(struct span a, const char *s)
{
	return span_eq(a, span_str(s));
}

/* Byte order; a proper prefix comes first. */
static inline int
span_cmp(struct span a, struct span b)
{
	size_t n = a.n < b.n ? a.n : b.n;
	int c = n == 0 ? 0 : memcmp(a.p, b.p, n);

	return c != 0 ? c : (a.n > b.n) - (a.n < b.n);
}

#endif
