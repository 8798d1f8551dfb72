/*
 * span: a borrowed piece of text. It owns nothing and is not NUL-terminated;
 * it lives as long as the text it points into. {NULL, 0} means "absent";
 * an empty text that is present has p != NULL. Every function here takes both.
 */
#ifndef SPAN_H
#define SPAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>

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

/* Whether it is one of the names, which NULL ends. */
static inline bool
span_is_one_of(struct span s, const char *const *names)
{
	for (; *names != NULL; names++)
		if (span_is(s, *names))
			return true;
	return false;
}

/* Byte order; a proper prefix comes first. */
static inline int
span_cmp(struct span a, struct span b)
{
	size_t n = a.n < b.n ? a.n : b.n;
	int c = n == 0 ? 0 : memcmp(a.p, b.p, n);

	return c != 0 ? c : (a.n > b.n) - (a.n < b.n);
}

/* ---- parts ---- */

static inline bool
span_starts(struct span s, const char *prefix)
{
	size_t n = strlen(prefix);

	return s.n >= n && (n == 0 || memcmp(s.p, prefix, n) == 0);
}

static inline bool
span_ends(struct span s, const char *suffix)
{
	size_t n = strlen(suffix);

	return s.n >= n && (n == 0 || memcmp(s.p + s.n - n, suffix, n) == 0);
}

static inline bool
span_is_caseless(struct span s, const char *text)
{
	return s.n == strlen(text) &&
	    (s.n == 0 || strncasecmp(s.p, text, s.n) == 0);
}

/* Whether text, which is not empty, is anywhere in it. */
static inline bool
span_has_caseless(struct span s, const char *text)
{
	size_t n = strlen(text);

	for (size_t i = 0; i + n <= s.n; i++)
		if (strncasecmp(s.p + i, text, n) == 0)
			return true;
	return false;
}

/* Fast if the first byte of text is rare. */
static inline bool
span_has(struct span s, const char *text)
{
	size_t n = strlen(text);
	const char *p = s.p, *end = s.p + s.n;

	while (p != NULL && (size_t)(end - p) >= n &&
	    (p = memchr(p, *text, (size_t)(end - p) - n + 1)) != NULL) {
		if (memcmp(p, text, n) == 0)
			return true;
		p++;
	}
	return false;
}

/* The rest after the first n bytes; n <= s.n. */
static inline struct span
span_skip(struct span s, size_t n)
{
	return n == 0 ? s : span_make(s.p + n, s.n - n);
}

/* If *s starts with prefix, skips it and is true. */
static inline bool
span_take(struct span *s, const char *prefix)
{
	if (!span_starts(*s, prefix))
		return false;
	*s = span_skip(*s, strlen(prefix));
	return true;
}

/* The first c of s, and the last one; NULL: there is none. */
static inline const char *
span_find(struct span s, char c)
{
	return s.n == 0 ? NULL : memchr(s.p, c, s.n);
}

static inline const char *
span_find_last(struct span s, char c)
{
	return s.n == 0 ? NULL : memrchr(s.p, c, s.n);
}

/*
 * Returns the part of *rest before its first c, and leaves the part behind it
 * in *rest. Without a c it returns everything, and *rest becomes absent, so
 * that "while (rest.p != NULL)" sees every piece, also an empty one at the end.
 */
static inline struct span
span_cut(struct span *rest, char c)
{
	const char *at = span_find(*rest, c);
	struct span piece = *rest;

	*rest = SPAN_NONE;
	if (at != NULL) {
		*rest = span_make(at + 1, piece.n - (size_t)(at - piece.p) - 1);
		piece.n = (size_t)(at - piece.p);
	}
	return piece;
}

/* ---- bytes ---- */

#define SPAN_BLANKS " \t\r\n"
#define SPAN_SPACE " \t\n\v\f\r" /* isspace(), and Go in ASCII */

static inline bool
span_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* ASCII, in any locale. */
static inline bool
span_is_lower(char c)
{
	return c >= 'a' && c <= 'z';
}

static inline bool
span_is_alnum(char c)
{
	return span_is_lower(c) || (c >= 'A' && c <= 'Z') || span_is_digit(c);
}

static inline bool
span_is_among(char c, const char *set)
{
	return c != '\0' && strchr(set, c) != NULL;
}

static inline struct span
span_trim_start(struct span s, const char *set)
{
	while (s.n > 0 && span_is_among(*s.p, set))
		s = span_skip(s, 1);
	return s;
}

static inline struct span
span_trim_end(struct span s, const char *set)
{
	while (s.n > 0 && span_is_among(s.p[s.n - 1], set))
		s.n--;
	return s;
}

/* Without the bytes of set at both ends. */
static inline struct span
span_trim(struct span s, const char *set)
{
	return span_trim_end(span_trim_start(s, set), set);
}

/* How many digits s starts with. */
static inline size_t
span_digits(struct span s)
{
	size_t n = 0;

	while (n < s.n && span_is_digit(s.p[n]))
		n++;
	return n;
}

/* Digits and nothing else, at least one. */
static inline bool
span_is_digits(struct span s)
{
	return s.n > 0 && span_digits(s) == s.n;
}

/* Sets *n to the number in s: digits only, at most max. False: it is not
 * that. */
static inline bool
span_number(struct span s, uint64_t max, uint64_t *n)
{
	uint64_t value = 0;

	if (!span_is_digits(s))
		return false;
	for (size_t i = 0; i < s.n; i++) {
		unsigned digit = (unsigned)(s.p[i] - '0');

		if (value > (max - digit) / 10 || digit > max)
			return false;
		value = value * 10 + digit;
	}
	*n = value;
	return true;
}

#endif
