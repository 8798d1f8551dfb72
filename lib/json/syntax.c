/* Part of json/json.h: whether a text is JSON, and where it stops being it. */
#include "json/json.h"

#include "base/utf8.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* The token expected next; the function of each value checks its inside. */
enum state { WANT_VALUE, WANT_VALUE_OR_END, WANT_KEY, WANT_KEY_OR_END, AFTER };

struct check {
	const char *start, *p, *end;
	const char *why; /* NULL while all is well; then p is the place */
	unsigned depth;
	/* One bit per open bracket: 1 = object. */
	uint64_t objects[JSON_DEPTH_MAX / 64 + 1];
};

static bool
bad(struct check *c, const char *at, const char *why)
{
	c->p = at;
	c->why = why;
	return false;
}

static bool
unexpected(struct check *c, const char *at)
{
	if (at >= c->end)
		return bad(c, c->end, "text is cut short");
	if (*at == '\0')
		return bad(c, at, "NUL byte");
	return bad(c, at, "unexpected byte");
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

static bool
check_escape(struct check *c)
{
	const char *p = c->p;
	unsigned n;

	if (p + 1 >= c->end)
		return unexpected(c, c->end);
	switch (p[1]) {
	case '"':
	case '\\':
	case '/':
	case 'b':
	case 'f':
	case 'n':
	case 'r':
	case 't':
		c->p += 2;
		return true;
	case 'u':
		for (int i = 2; i < 6; i++)
			if (p + i >= c->end || !is_hex(p[i]))
				return unexpected(c, p + i);
		break;
	default:
		return bad(c, p, "unknown escape");
	}
	n = code_unit(c, p);
	c->p += 6;
	if (n < 0xd800 || n > 0xdfff)
		return true;
	if (n >= 0xdc00 || code_unit(c, c->p) < 0xdc00 ||
	    code_unit(c, c->p) > 0xdfff)
		return bad(c, p, "half of a surrogate pair");
	c->p += 6;
	return true;
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

static bool
check_string(struct check *c)
{
	c->p++;
	for (;;) {
		unsigned char u;
		size_t n;

		c->p = plain_run(c->p, c->end);
		if (c->p >= c->end)
			return unexpected(c, c->end);
		u = (unsigned char)*c->p;
		if (u == '"') {
			c->p++;
			return true;
		}
		if (u == '\\') {
			if (!check_escape(c))
				return false;
		} else if (u == 0) {
			return bad(c, c->p, "NUL byte");
		} else if (u < 0x20) {
			return bad(c, c->p, "control character in a string");
		} else if ((n = utf8_length(c->p, c->end)) > 0) {
			c->p += n;
		} else {
			return bad(c, c->p, "invalid UTF-8");
		}
	}
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

static bool
check_word(struct check *c, const char *word)
{
	for (; *word != '\0'; word++, c->p++)
		if (c->p >= c->end || *c->p != *word)
			return unexpected(c, c->p);
	return true;
}

static bool
check_scalar(struct check *c)
{
	switch (*c->p) {
	case '"':
		return check_string(c);
	case 't':
		return check_word(c, "true");
	case 'f':
		return check_word(c, "false");
	case 'n':
		return check_word(c, "null");
	default:
		if (*c->p == '-' || (*c->p >= '0' && *c->p <= '9'))
			return json_take_number(&c->p, c->end) ||
			    unexpected(c, c->p);
		return unexpected(c, c->p);
	}
}

static void
skip_space(struct check *c)
{
	while (c->p < c->end &&
	    (*c->p == ' ' || *c->p == '\n' || *c->p == '\t' || *c->p == '\r'))
		c->p++;
}

static bool
in_object(const struct check *c)
{
	return c->objects[c->depth / 64] >> c->depth % 64 & 1;
}

static bool
open_bracket(struct check *c, enum state *state)
{
	uint64_t bit;

	if (c->depth == JSON_DEPTH_MAX)
		return bad(c, c->p, "nested deeper than 256 levels");
	c->depth++;
	bit = (uint64_t)1 << c->depth % 64;
	c->objects[c->depth / 64] &= ~bit;
	if (*c->p == '{')
		c->objects[c->depth / 64] |= bit;
	*state = *c->p == '{' ? WANT_KEY_OR_END : WANT_VALUE_OR_END;
	c->p++;
	return true;
}

static bool
close_bracket(struct check *c, enum state *state)
{
	if (c->depth == 0 || *c->p != (in_object(c) ? '}' : ']'))
		return unexpected(c, c->p);
	c->depth--;
	c->p++;
	*state = AFTER;
	return true;
}

static bool
check_key(struct check *c, enum state *state)
{
	if (*c->p != '"')
		return unexpected(c, c->p);
	if (!check_string(c))
		return false;
	skip_space(c);
	if (c->p >= c->end || *c->p != ':')
		return unexpected(c, c->p);
	c->p++;
	*state = WANT_VALUE;
	return true;
}

static bool
step(struct check *c, enum state *state)
{
	char byte = *c->p;

	switch (*state) {
	case WANT_KEY_OR_END:
		if (byte == '}')
			return close_bracket(c, state);
		return check_key(c, state);
	case WANT_KEY:
		return check_key(c, state);
	case WANT_VALUE_OR_END:
		if (byte == ']')
			return close_bracket(c, state);
		/* fall through */
	case WANT_VALUE:
		if (byte == '{' || byte == '[')
			return open_bracket(c, state);
		*state = AFTER;
		return check_scalar(c);
	case AFTER:
		break;
	}
	if (byte != ',')
		return close_bracket(c, state);
	*state = in_object(c) ? WANT_KEY : WANT_VALUE;
	c->p++;
	return true;
}

int
json_check(struct span text, struct err *err)
{
	struct check c = {.start = text.p, .p = text.p, .end = text.p + text.n};
	enum state state = WANT_VALUE;

	for (;;) {
		skip_space(&c);
		if (state == AFTER && c.depth == 0)
			break;
		if (c.p >= c.end)
			unexpected(&c, c.end);
		if (c.why != NULL || !step(&c, &state))
			goto fail;
	}
	if (c.p == c.end)
		return 0;
	bad(&c, c.p, *c.p == '\0' ? "NUL byte" : "text behind the value");
fail:
	return err_set(err, ERR_PERMANENT, "%s at byte %zu", c.why,
	    (size_t)(c.p - c.start) + 1);
}
