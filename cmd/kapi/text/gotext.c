#include "text/gotext.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/utf8.h"

enum { DEPTH_MAX = 10000 };

/* Where a scan is. fail stays NULL while all is well. */
struct scan {
	struct arena *arena;
	const unsigned char *p, *end;
	struct span fail;
	struct buf open; /* '[' and '{' */
};

/* A byte in single quotes, as strconv.Quote has it. */
static struct span
quoted(struct arena *a, unsigned char c)
{
	static const char escapes[] = "a\ab\bf\fn\nr\rt\tv\v\\\\";

	if (c == '\'')
		return span_str("'\\''");
	for (const char *e = escapes; *e != '\0'; e += 2)
		if (c == (unsigned char)e[1])
			return arena_printf(a, "'\\%c'", e[0]);
	if (c < 0x20 || c == 0x7f)
		return arena_printf(a, "'\\x%02x'", c);
	if (c < 0x7f)
		return arena_printf(a, "'%c'", c);
	/* Each byte counts as the code point of its number. */
	if (c < 0xa1 || c == 0xad)
		return arena_printf(a, "'\\u00%02x'", c);
	return arena_printf(a, "'%c%c'", 0xc0 | c >> 6, 0x80 | (c & 0x3f));
}

static int
fail(struct scan *s, const char *context)
{
	if (s->p >= s->end)
		s->fail = span_str("unexpected end of JSON input");
	else
		s->fail = arena_printf(s->arena, "invalid character %.*s %s",
		    SPAN_ARG(quoted(s->arena, *s->p)), context);
	return -1;
}

static int
peek(const struct scan *s)
{
	return s->p < s->end ? *s->p : -1;
}

static void
skip_space(struct scan *s)
{
	while (s->p < s->end && strchr(" \t\r\n", *s->p) && *s->p != '\0')
		s->p++;
}

static int
scan_digits(struct scan *s, const char *context)
{
	if (!span_is_digit(peek(s)))
		return fail(s, context);
	while (span_is_digit(peek(s)))
		s->p++;
	return 0;
}

static int
scan_escape(struct scan *s)
{
	int c = peek(s);

	if (c != 'u') {
		if (c <= 0 || strchr("bfnrt\\/\"", c) == NULL)
			return fail(s, "in string escape code");
		s->p++;
		return 0;
	}
	s->p++;
	for (int i = 0; i < 4; i++, s->p++) {
		c = peek(s) | 0x20;
		if (!span_is_digit(peek(s)) && (c < 'a' || c > 'f'))
			return fail(s, "in \\u hexadecimal character escape");
	}
	return 0;
}

static int
scan_string(struct scan *s)
{
	for (s->p++; s->p < s->end; s->p++) {
		if (*s->p == '"') {
			s->p++;
			return 0;
		}
		if (*s->p < 0x20)
			return fail(s, "in string literal");
		if (*s->p == '\\') {
			s->p++;
			if (scan_escape(s) != 0)
				return -1;
			s->p--;
		}
	}
	return fail(s, "");
}

static int
scan_word(struct scan *s, const char *word)
{
	char context[64];

	for (const char *w = word; *w != '\0'; w++, s->p++) {
		if (peek(s) == (unsigned char)*w)
			continue;
		snprintf(context, sizeof(context),
		    "in literal %s (expecting '%c')", word, *w);
		return fail(s, context);
	}
	return 0;
}

/* A scalar, or the opening of a container. */
static int
scan_value(struct scan *s)
{
	int c = peek(s);

	if (c == '{' || c == '[') {
		if (s->open.len >= DEPTH_MAX)
			return fail(s, "exceeded max depth");
		buf_addc(&s->open, (char)c);
		s->p++;
		return 0;
	}
	if (c == '"')
		return scan_string(s);
	if (c == '-' || span_is_digit(c)) {
		if (peek(s) == '-')
			s->p++;
		if (peek(s) == '0')
			s->p++;
		else if (scan_digits(s, "in numeric literal") != 0)
			return -1;
		if (peek(s) == '.') {
			s->p++;
			if (scan_digits(s,
				"after decimal point in numeric literal") != 0)
				return -1;
		}
		if (peek(s) != 'e' && peek(s) != 'E')
			return 0;
		s->p++;
		if (peek(s) == '+' || peek(s) == '-')
			s->p++;
		return scan_digits(s, "in exponent of numeric literal");
	}
	if (c == 't')
		return scan_word(s, "true");
	if (c == 'f')
		return scan_word(s, "false");
	if (c == 'n')
		return scan_word(s, "null");
	return fail(s, "looking for beginning of value");
}

/* "key": */
static int
scan_key(struct scan *s)
{
	skip_space(s);
	if (peek(s) != '"')
		return fail(s, "looking for beginning of object key string");
	if (scan_string(s) != 0)
		return -1;
	skip_space(s);
	if (peek(s) != ':')
		return fail(s, "after object key");
	s->p++;
	skip_space(s);
	return 0;
}

/* Reads closing brackets after a value, then a comma. 1: the text ended. */
static int
scan_after(struct scan *s)
{
	for (;;) {
		char in = s->open.len > 0 ? s->open.data[s->open.len - 1] : 0;

		skip_space(s);
		if (in == 0 && s->p >= s->end)
			return 1;
		if (in == 0)
			return fail(s, "after top-level value");
		if (peek(s) == ',')
			return s->p++, 0;
		if (peek(s) != (in == '{' ? '}' : ']'))
			return fail(s,
			    in == '{' ? "after object key:value pair"
				      : "after array element");
		s->p++;
		buf_truncate(&s->open, s->open.len - 1);
	}
}

/* Reads one value, or its opening bracket. 1: the text ended. */
static int
scan_step(struct scan *s)
{
	const unsigned char *start;
	char in = s->open.len > 0 ? s->open.data[s->open.len - 1] : 0;
	size_t depth = s->open.len;

	if (in == '{' && scan_key(s) != 0)
		return -1;
	skip_space(s);
	start = s->p;
	if (scan_value(s) != 0)
		return -1;
	if (s->open.len == depth)
		return scan_after(s);
	skip_space(s);
	if (peek(s) != (*start == '{' ? '}' : ']'))
		return 0;
	s->p++;
	buf_truncate(&s->open, depth);
	return scan_after(s);
}

struct span
gotext_json_error(struct arena *a, struct span text)
{
	struct scan s = {.arena = a,
	    .p = (const unsigned char *)text.p,
	    .end = (const unsigned char *)text.p + text.n};

	if (text.p == NULL)
		s.p = s.end = (const unsigned char *)"";
	while (scan_step(&s) == 0)
		;
	buf_release(&s.open);
	return s.fail;
}

const char *
gotext_kind(const struct node *value)
{
	switch (value->kind) {
	case NODE_STRING:
		return "string";
	case NODE_NUMBER:
		return "number";
	case NODE_TRUE:
	case NODE_FALSE:
		return "bool";
	case NODE_ARRAY:
		return "array";
	case NODE_OBJECT:
		return "object";
	default:
		return "null";
	}
}

struct span
gotext_type_error(struct arena *a, const struct node *value, const char *type)
{
	return arena_printf(a,
	    "json: cannot unmarshal %s into Go value of type %s",
	    gotext_kind(value), type);
}

/* %v of a float64: the shortest digits that read back as the same value, with
 * an exponent below -4 or from 6 on. */
static void
add_float(struct buf *b, double value)
{
	char digits[40];
	int exponent;

	if (!isfinite(value)) { /* written with too many digits */
		buf_adds(b, value > 0 ? "+Inf" : "-Inf");
		return;
	}
	for (int n = 0; n < 18; n++) {
		snprintf(digits, sizeof(digits), "%.*e", n, value);
		if (strtod(digits, NULL) == value)
			break;
	}
	exponent = (int)strtol(strchr(digits, 'e') + 1, NULL, 10);
	if (exponent < -4 || exponent >= 6) {
		buf_adds(b, digits);
		return;
	}
	for (int n = 0; n < 25; n++) {
		snprintf(digits, sizeof(digits), "%.*f", n, value);
		if (strtod(digits, NULL) == value)
			break;
	}
	buf_adds(b, digits);
}

static int
compare_members(const void *x, const void *y)
{
	return span_cmp(
	    ((const struct member *)x)->key, ((const struct member *)y)->key);
}

static void add_value(struct buf *b, const struct node *value);

static void
add_value(struct buf *b, const struct node *value)
{
	int64_t j;
	bool whole;
	struct member *sorted;

	switch (value->kind) {
	case NODE_NULL:
		buf_adds(b, "<nil>");
		break;
	case NODE_FALSE:
	case NODE_TRUE:
		buf_adds(b, value->kind == NODE_TRUE ? "true" : "false");
		break;
	case NODE_NUMBER:
		whole = true;
		for (size_t k = 0; k < value->text.n; k++)
			whole =
			    whole && strchr(".eE", value->text.p[k]) == NULL;
		if (whole && tree_get_int(value, &j))
			buf_addf(b, "%lld", (long long)j);
		else
			add_float(b, tree_double(value));
		break;
	case NODE_STRING:
		buf_addspan(b, value->text);
		break;
	case NODE_ARRAY:
		buf_addc(b, '[');
		for (uint32_t i = 0; i < value->n; i++) {
			buf_adds(b, i > 0 ? " " : "");
			add_value(b, value->items[i]);
		}
		buf_addc(b, ']');
		break;
	case NODE_OBJECT:
		sorted = mem_array(NULL, value->n + 1, sizeof(*sorted));
		for (uint32_t i = 0; i < value->n; i++)
			sorted[i] = value->members[i];
		qsort(sorted, value->n, sizeof(*sorted), compare_members);
		buf_adds(b, "map[");
		for (uint32_t i = 0; i < value->n; i++) {
			buf_adds(b, i > 0 ? " " : "");
			buf_addspan(b, sorted[i].key);
			buf_addc(b, ':');
			add_value(b, sorted[i].value);
		}
		buf_addc(b, ']');
		free(sorted);
		break;
	}
}

struct span
gotext_value(struct arena *a, const struct node *value)
{
	struct buf b = BUF_INIT;
	struct span copy;

	add_value(&b, value);
	copy = tree_keep(a, &b);
	return copy.p == NULL ? span_make("", 0) : copy;
}

const char *
gotext_type(const struct node *n)
{
	switch (n->kind) {
	case NODE_OBJECT:
		return "map[string]interface {}";
	case NODE_ARRAY:
		return "[]interface {}";
	case NODE_STRING:
		return "string";
	case NODE_NUMBER:
		for (size_t i = 0; i < n->text.n; i++)
			if (strchr(".eE", n->text.p[i]) != NULL)
				return "float64";
		return "int64";
	case NODE_NULL:
		return "%!s(<nil>)";
	default:
		return "bool";
	}
}

struct span
gotext_string(struct arena *a, const struct node *value)
{
	struct span text = gotext_value(a, value);

	if (value->kind == NODE_NULL)
		return span_str("%!s(<nil>)");
	if (value->kind == NODE_STRING || value->kind == NODE_ARRAY ||
	    value->kind == NODE_OBJECT)
		return text;
	return arena_printf(
	    a, "%%!s(%s=%.*s)", gotext_type(value), SPAN_ARG(text));
}

static void
quote_byte(struct buf *b, unsigned char c)
{
	static const char short_for[] = "\aa\bb\ff\nn\rr\tt\vv\\\\\"\"";

	for (size_t i = 0; i + 1 < sizeof short_for; i += 2)
		if (c == (unsigned char)short_for[i]) {
			buf_addc(b, '\\');
			buf_addc(b, short_for[i + 1]);
			return;
		}
	if (c < 0x20 || c >= 0x7f)
		buf_addf(b, "\\x%02x", c);
	else
		buf_addc(b, (char)c);
}

struct span
gotext_quote(struct arena *a, struct span text)
{
	struct buf b = BUF_INIT;

	buf_addc(&b, '"');
	while (text.n > 0) {
		unsigned char c = (unsigned char)text.p[0];
		/* Letters beyond ASCII are printed; of controls there, only
		 * the C1 ones are not. */
		size_t n = c < 0x80 ? 0 : utf8_length(text.p, text.p + text.n);

		if (n == 2 && c == 0xc2 && (unsigned char)text.p[1] <= 0xa0) {
			buf_addf(&b, "\\u%04x", (unsigned char)text.p[1]);
		} else if (n > 0) {
			buf_add(&b, text.p, n);
		} else {
			quote_byte(&b, c);
			n = 1;
		}
		text = span_make(text.p + n, text.n - n);
	}
	buf_addc(&b, '"');
	return tree_keep(a, &b);
}
