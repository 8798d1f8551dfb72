/* Part of json/json.h: checks that a text is JSON, and finds what is wrong. */
#include "json/json.h"

#include "base/utf8.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

struct check {
	const char *start, *end;
	const char *why, *at; /* why NULL: all is well */
	unsigned depth;
	/* A bit per open bracket: 1 = object. */
	uint64_t objects[JSON_DEPTH_MAX / 64 + 1];
};

/* Functions that take a place return the one behind what they check, or NULL
 * with why. */

static const char *
bad(struct check *c, const char *at, const char *why)
{
	c->at = at;
	c->why = why;
	return NULL;
}

static const char *
unexpected(struct check *c, const char *at)
{
	if (at >= c->end)
		return bad(c, c->end, "text is cut short");
	if (*at == '\0')
		return bad(c, at, "NUL byte");
	return bad(c, at,
	    at == c->start ? "not JSON: unexpected byte" : "unexpected byte");
}

static inline const char *
skip_space(const struct check *c, const char *p)
{
	while (
	    p < c->end && (*p == ' ' || *p == '\n' || *p == '\t' || *p == '\r'))
		p++;
	return p;
}

static bool
is_hex(char c)
{
	char lower = (char)(c | 0x20);

	return (c >= '0' && c <= '9') || (lower >= 'a' && lower <= 'f');
}

/* p is at "\uXXXX"; 0: it is not. */
static unsigned
code_unit(const struct check *c, const char *p)
{
	unsigned n = 0;

	if (c->end - p < 6 || p[0] != '\\' || p[1] != 'u')
		return 0;
	for (int i = 2; i < 6; i++) {
		if (!is_hex(p[i]))
			return 0;
		n = n << 4 |
		    (unsigned)(p[i] <= '9' ? p[i] - '0' : (p[i] & 7) + 9);
	}
	return n;
}

static const char *
check_escape(struct check *c, const char *p)
{
	unsigned n, low;

	if (p + 1 >= c->end)
		return unexpected(c, c->end);
	if (p[1] != '\0' && strchr("\"\\/bfnrt", p[1]) != NULL)
		return p + 2;
	if (p[1] != 'u')
		return bad(c, p, "unknown escape");
	for (int i = 2; i < 6; i++)
		if (p + i >= c->end || !is_hex(p[i]))
			return unexpected(c, p + i);
	n = code_unit(c, p);
	if (n < 0xd800 || n > 0xdfff)
		return p + 6;
	low = code_unit(c, p + 6);
	if (n >= 0xdc00 || low < 0xdc00 || low > 0xdfff)
		return bad(c, p, "half of a surrogate pair");
	return p + 12;
}

/* Skips plain ASCII: without quotes, backslashes, controls. */
static const char *
plain_run(const char *p, const char *end)
{
#ifdef __SSE2__
	for (; end - p >= 16; p += 16) {
		__m128i v = _mm_loadu_si128((const __m128i *)p);
		/* Signed: bytes from 0x80 on are below 0x20, too. */
		__m128i low = _mm_cmplt_epi8(v, _mm_set1_epi8(0x20));
		__m128i quote = _mm_cmpeq_epi8(v, _mm_set1_epi8('"'));
		__m128i slash = _mm_cmpeq_epi8(v, _mm_set1_epi8('\\'));
		int stop = _mm_movemask_epi8(
		    _mm_or_si128(low, _mm_or_si128(quote, slash)));

		if (stop != 0)
			return p + __builtin_ctz((unsigned)stop);
	}
#endif
	while (p < end && (unsigned char)*p >= 0x20 &&
	    (unsigned char)*p < 0x80 && *p != '"' && *p != '\\')
		p++;
	return p;
}

/* Checks a string from a byte on that plain_run stops at. */
static const char *
check_rest_of_string(struct check *c, const char *p)
{
	for (; p != NULL && p < c->end; p = plain_run(p, c->end)) {
		unsigned char u = (unsigned char)*p;
		size_t n;

		if (u == '"')
			return p + 1;
		if (u == '\\') {
			p = check_escape(c, p);
			if (p == NULL)
				return NULL;
		} else if (u == 0) {
			return bad(c, p, "NUL byte");
		} else if (u < 0x20) {
			return bad(c, p, "control character in a string");
		} else if ((n = utf8_length(p, c->end)) > 0) {
			p += n;
		} else {
			return bad(c, p, "invalid UTF-8");
		}
	}
	return unexpected(c, c->end);
}

static inline const char *
check_string(struct check *c, const char *p)
{
	p = plain_run(p + 1, c->end);
	return p < c->end && *p == '"' ? p + 1 : check_rest_of_string(c, p);
}

static bool
take_digits(const char **p, const char *end)
{
	const char *from = *p;

	while (*p < end && **p >= '0' && **p <= '9')
		++*p;
	return *p > from;
}

bool
json_take_number(const char **p, const char *end)
{
	if (*p < end && **p == '-')
		++*p;
	if (*p < end && **p == '0')
		++*p;
	else if (!take_digits(p, end))
		return false;
	if (*p < end && **p == '.') {
		++*p;
		if (!take_digits(p, end))
			return false;
	}
	if (*p == end || (**p | 0x20) != 'e')
		return true;
	++*p;
	if (*p < end && (**p == '+' || **p == '-'))
		++*p;
	return take_digits(p, end);
}

static const char *
check_word(struct check *c, const char *p, const char *word)
{
	for (; *word != '\0'; word++, p++)
		if (p >= c->end || *p != *word)
			return unexpected(c, p);
	return p;
}

static inline const char *
check_scalar(struct check *c, const char *p)
{
	switch (*p) {
	case '"':
		return check_string(c, p);
	case 't':
		return check_word(c, p, "true");
	case 'f':
		return check_word(c, p, "false");
	case 'n':
		return check_word(c, p, "null");
	default:
		if (*p == '-' || (*p >= '0' && *p <= '9'))
			return json_take_number(&p, c->end) ? p
							    : unexpected(c, p);
		return unexpected(c, p);
	}
}

static bool
in_object(const struct check *c)
{
	return c->objects[c->depth / 64] >> c->depth % 64 & 1;
}

static const char *
close_bracket(struct check *c, const char *p)
{
	if (*p != (in_object(c) ? '}' : ']'))
		return unexpected(c, p);
	c->depth--;
	return p + 1;
}

/* Up to the value. */
static inline const char *
check_key(struct check *c, const char *p)
{
	p = skip_space(c, p);
	if (p >= c->end || *p != '"')
		return unexpected(c, p);
	p = check_string(c, p);
	if (p == NULL)
		return NULL;
	p = skip_space(c, p);
	return p < c->end && *p == ':' ? p + 1 : unexpected(c, p);
}

/* Moves from behind a value to the next one, or to the end of the outermost. */
static inline const char *
next_value(struct check *c, const char *p)
{
	while (p != NULL) {
		p = skip_space(c, p);
		if (c->depth == 0)
			return p;
		if (p >= c->end)
			return unexpected(c, p);
		if (*p == ',')
			return in_object(c) ? check_key(c, p + 1) : p + 1;
		p = close_bracket(c, p);
	}
	return NULL;
}

/* Up to the first value in it, or the next one if it is empty. */
static const char *
open_bracket(struct check *c, const char *p)
{
	bool object = *p == '{';
	uint64_t bit;

	if (c->depth == JSON_DEPTH_MAX)
		return bad(c, p, "nested deeper than 256 levels");
	c->depth++;
	bit = (uint64_t)1 << c->depth % 64;
	c->objects[c->depth / 64] &= ~bit;
	if (object)
		c->objects[c->depth / 64] |= bit;
	p = skip_space(c, p + 1);
	if (p < c->end && *p == (object ? '}' : ']'))
		return next_value(c, close_bracket(c, p));
	return object ? check_key(c, p) : p;
}

static inline const char *
check_value(struct check *c, const char *p)
{
	p = skip_space(c, p);
	if (p >= c->end)
		return unexpected(c, p);
	if (*p == '{' || *p == '[')
		return open_bracket(c, p);
	return next_value(c, check_scalar(c, p));
}

int
json_check(struct span text, struct err *err)
{
	struct check c = {.start = text.p, .end = text.p + text.n};
	const char *p = text.p;

	do
		p = check_value(&c, p);
	while (p != NULL && c.depth > 0);
	if (p != NULL && p < c.end)
		bad(&c, p, *p == '\0' ? "NUL byte" : "text behind the value");
	if (c.why == NULL)
		return 0;
	return err_set(err, ERR_PERMANENT, "%s at byte %zu", c.why,
	    (size_t)(c.at - c.start) + 1);
}
